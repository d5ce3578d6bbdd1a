//! The features of the points: all of them, or a block at a time.

use crate::Error;
use faer::{MatMut, MatRef};
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_gram::{MemoryBudget, matrix_bytes};
use std::ops::Range;

/// Points of the smallest block.
const LEAST: usize = 256;

/// Writes the features of a range of points into the columns of a matrix.
pub(super) type Fill<'a, T> = &'a dyn Fn(Range<usize>, MatMut<'_, T>) -> Result<(), Error>;

/// Features in blocks of equal length, of which one is in memory.
pub(super) struct Blocks<'a, T: Scalar> {
    fill: Fill<'a, T>,
    points: usize,
    length: usize,
    memory: LargeMat<T>,
    /// The block in memory.
    present: Option<usize>,
}

impl<'a, T: Scalar> Blocks<'a, T> {
    /// As few blocks of `dim` features of so many points as the budget allows.
    pub(super) fn new(
        fill: Fill<'a, T>,
        (dim, n): (usize, usize),
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        if dim == 0 {
            return Err(Error::Count { name: "features", given: 0, allowed: "at least 1" });
        }
        // Columns begin where a line of memory does.
        let column = matrix_bytes::<T>(dim, 1).next_multiple_of(64);
        let least = column.saturating_mul(LEAST.min(n) as u64);
        budget.require("a block of features", least, "use fewer features")?;
        let most = usize::try_from(budget.as_bytes() / column).unwrap_or(usize::MAX).min(n);
        let length = n.div_ceil(n.div_ceil(most));
        let memory = LargeMat::zeros(dim, length)?;
        Ok(Self { fill, points: n, length, memory, present: None })
    }

    /// The number of features.
    pub(super) fn dim(&self) -> usize {
        self.memory.as_ref().nrows()
    }

    /// The number of points.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> usize {
        self.points.div_ceil(self.length)
    }

    /// The block that a point is in.
    pub(super) fn of(&self, row: usize) -> usize {
        row / self.length
    }

    /// The points of a block, and their features, one column each.
    pub(super) fn load(&mut self, k: usize) -> Result<(Range<usize>, MatRef<'_, T>), Error> {
        let start = k * self.length;
        let range = start..(start + self.length).min(self.points);
        if self.present != Some(k) {
            self.present = None;
            (self.fill)(range.clone(), self.memory.as_mut().subcols_mut(0, range.len()))?;
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
