//! The features of the points: all at once, or one block at a time.

use super::feature_vectors::{Quads, Vectors};
use crate::Error;
use faer::MatMut;
use kern_core::memory::LargeMat;
use kern_core::{Scalar, SparseSamples};
use kern_gram::{MemoryBudget, matrix_bytes};
use std::ops::Range;

/// Points of the smallest block.
const SMALLEST: usize = 256;

/// Writes the features of a range of points into the columns of a matrix.
type Fill<'a, T> = &'a dyn Fn(Range<usize>, MatMut<'_, T>) -> Result<(), Error>;

/// Features in blocks of equal length, one of which is in memory; sparse vectors form a single
/// block.
pub(super) struct Blocks<'a, T: Scalar> {
    points: usize,
    dim: usize,
    length: usize,
    source: Source<'a, T>,
}

/// The source of the features.
enum Source<'a, T: Scalar> {
    Filled {
        fill: Fill<'a, T>,
        memory: LargeMat<T>,
        /// The block in memory.
        present: Option<usize>,
    },
    Given(&'a SparseSamples<T>, &'a [usize]),
    Grouped(Quads<T>),
}

impl<'a, T: Scalar> Blocks<'a, T> {
    /// As few blocks of `dim` features of `n` points as the budget allows.
    pub(super) fn new(
        fill: Fill<'a, T>,
        dim: usize,
        n: usize,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        Error::check_positive("features", dim)?;
        // Columns start at a cache line.
        let column = matrix_bytes::<T>(dim, 1).next_multiple_of(64);
        let smallest = column.saturating_mul(SMALLEST.min(n) as u64);
        budget.require("a block of features", smallest, "use fewer features")?;
        let most = usize::try_from(budget.as_bytes() / column).unwrap_or(usize::MAX).min(n);
        let length = n.div_ceil(n.div_ceil(most));
        let memory = LargeMat::zeros(dim, length)?;
        let source = Source::Filled { fill, memory, present: None };
        Ok(Self { points: n, dim, length, source })
    }

    /// One block of sparse vectors in this order, used as features themselves; grouped by value if
    /// they have few distinct values and the memory suffices.
    pub(super) fn given(
        points: &'a SparseSamples<T>,
        order: &'a [usize],
        budget: &MemoryBudget,
    ) -> Self {
        let (n, dim) = (order.len(), points.dim());
        let fits = budget.fits(Quads::<T>::bytes(points));
        let source = match fits.then(|| Quads::of(points, order)).flatten() {
            Some(quads) => Source::Grouped(quads),
            None => Source::Given(points, order),
        };
        Self { points: n, dim, length: n.max(1), source }
    }

    /// The number of features.
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    /// The number of points.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> usize {
        self.points.div_ceil(self.length)
    }

    /// The block that contains a point.
    pub(super) fn of(&self, row: usize) -> usize {
        row / self.length
    }

    /// The points of a block, with their features.
    pub(super) fn load(&mut self, k: usize) -> Result<(Range<usize>, Vectors<'_, T>), Error> {
        let start = k * self.length;
        let range = start..(start + self.length).min(self.points);
        let vectors = match &mut self.source {
            Source::Given(points, order) => Vectors::Sparse(points, order),
            Source::Grouped(quads) => Vectors::Quads(quads),
            Source::Filled { fill, memory, present } => {
                if *present != Some(k) {
                    *present = None;
                    fill(range.clone(), memory.as_mut().subcols_mut(0, range.len()))?;
                    *present = Some(k);
                }
                Vectors::Dense(memory.as_ref().subcols(0, range.len()))
            }
        };
        Ok((range, vectors))
    }
}
