//! The features of the points: all of them, or a block at a time.

use crate::Error;
use crate::statistics::fill;
use faer::MatRef;
use kern_core::memory::LargeMat;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes};
use std::ops::Range;

/// Points of the smallest block.
const LEAST: usize = 256;

/// Features in blocks of equal length, of which one is in memory.
pub(super) struct Blocks<'a, P: Points, M> {
    map: &'a M,
    points: &'a P,
    length: usize,
    memory: LargeMat<P::Scalar>,
    /// The block in memory.
    present: Option<usize>,
}

impl<'a, P: Points, M: FeatureMap<P>> Blocks<'a, P, M> {
    /// As few blocks as the budget allows.
    pub(super) fn new(map: &'a M, points: &'a P, budget: &MemoryBudget) -> Result<Self, Error> {
        let (dim, n) = (map.dim(), points.len());
        if dim == 0 {
            return Err(Error::Count { name: "features", given: 0, allowed: "at least 1" });
        }
        // Columns begin where a line of memory does.
        let column = matrix_bytes::<P::Scalar>(dim, 1).next_multiple_of(64);
        let least = column.saturating_mul(LEAST.min(n) as u64);
        budget.require("a block of features", least, "use fewer features")?;
        let most = usize::try_from(budget.as_bytes() / column).unwrap_or(usize::MAX).min(n);
        let length = n.div_ceil(n.div_ceil(most));
        let memory = LargeMat::zeros(dim, length)?;
        Ok(Self { map, points, length, memory, present: None })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.points.len().div_ceil(self.length)
    }

    /// The block that a point is in.
    pub(super) fn of(&self, row: usize) -> usize {
        row / self.length
    }

    /// The points of a block, and their features, one column each.
    pub(super) fn load(
        &mut self,
        k: usize,
    ) -> Result<(Range<usize>, MatRef<'_, P::Scalar>), Error> {
        let start = k * self.length;
        let range = start..(start + self.length).min(self.points.len());
        if self.present != Some(k) {
            self.present = None;
            let panel = self.memory.as_mut().subcols_mut(0, range.len());
            fill(self.map, self.points, range.clone(), panel)?;
            self.present = Some(k);
        }
        Ok((range.clone(), self.memory.as_ref().subcols(0, range.len())))
    }
}

/// The features of one point.
#[inline(always)]
pub(super) fn column<T: Scalar>(z: MatRef<'_, T>, j: usize) -> &[T] {
    z.col(j).try_as_col_major().map_or(&[], |column| column.as_slice())
}
