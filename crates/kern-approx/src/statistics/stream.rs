//! Features in panels: a few thousand points at a time, within a budget.

use super::Error;
use super::products::BLOCK;
use crate::columns::non_finite;
use crate::transform::{self, chunk};
use faer::{MatMut, MatRef};
use kern_core::memory::LargeMat;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes, tile_ranges};
use std::ops::Range;

/// Numbers of a panel, as long as it has at least one block: 32 MiB of doubles.
const NUMBERS: usize = 1 << 22;

/// The memory of the smallest panel.
#[must_use]
pub fn panel_bytes<T: Scalar>(dim: usize, n: usize) -> u64 {
    matrix_bytes::<T>(dim, BLOCK.min(n))
}

/// The features of points, panel by panel, in one piece of memory.
#[derive(Debug)]
pub struct Panels<'a, P: Points, M: ?Sized> {
    map: &'a M,
    points: &'a P,
    memory: LargeMat<P::Scalar>,
}

impl<'a, P: Points, M: FeatureMap<P> + ?Sized> Panels<'a, P, M> {
    /// Panels that take no more than the budget.
    pub fn new(map: &'a M, points: &'a P, budget: &MemoryBudget) -> Result<Self, Error> {
        map.check(points)?;
        let (dim, n) = (map.dim(), points.len());
        let smallest = panel_bytes::<P::Scalar>(dim, n);
        budget.require("a panel of features", smallest, "use fewer features")?;
        let wanted = (NUMBERS / dim.max(1)).max(BLOCK);
        let allowed = budget.as_bytes() / matrix_bytes::<P::Scalar>(dim.max(1), 1);
        let length = wanted.min(usize::try_from(allowed).unwrap_or(usize::MAX));
        // Whole blocks, so that sums do not depend on the length.
        let length = (length / BLOCK * BLOCK).max(BLOCK).min(n);
        Ok(Self { map, points, memory: LargeMat::zeros(dim, length)? })
    }

    /// Hands every panel to `work`, with the range of its points.
    pub fn for_each(
        &mut self,
        mut work: impl FnMut(Range<usize>, MatMut<'_, P::Scalar>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let length = self.memory.as_ref().ncols().max(1);
        for range in tile_ranges(self.points.len(), length) {
            let mut panel = self.memory.as_mut().subcols_mut(0, range.len());
            fill(self.map, self.points, range.clone(), panel.as_mut())?;
            work(range, panel)?;
        }
        Ok(())
    }
}

/// The features of a range of points, if they are finite.
pub fn fill<P: Points, M: FeatureMap<P> + ?Sized>(
    map: &M,
    points: &P,
    range: Range<usize>,
    panel: MatMut<'_, P::Scalar>,
) -> Result<(), kern_core::Error> {
    match transform::fill(map, points, (range, chunk(map.dim())), panel) {
        Some((sample, feature, given)) => {
            Err(kern_core::Error::FeatureNotFinite { sample, feature, given })
        }
        None => Ok(()),
    }
}

/// The first feature that is not finite, as an error.
pub fn check_features<T: Scalar>(z: MatRef<'_, T>) -> Result<(), kern_core::Error> {
    match non_finite(z) {
        Some((feature, sample, given)) => {
            Err(kern_core::Error::FeatureNotFinite { sample, feature, given })
        }
        None => Ok(()),
    }
}
