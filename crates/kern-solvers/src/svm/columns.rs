//! Columns of the kernel matrix, stored or computed.

use super::values::{Recomputed, Values};
use crate::Error;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{BlockedGram, GramOperator, MemoryBudget};

/// The memory that columns of cheap values get at first (`docs/decisions/svm.md`).
pub(super) const FIRST: MemoryBudget = MemoryBudget::mebibytes(16);

/// A use of columns.
pub(super) type Use<'a, T> = &'a mut dyn FnMut(&[&[T]]);

/// Some columns of a kernel matrix at a time.
pub(super) trait KernelColumns<T: Scalar>: Sync {
    /// The number that can be had at once.
    fn most(&self) -> usize;

    /// Calls `f` with the columns of these indices, which may occur more than once.
    fn with(&self, indices: &[usize], f: Use<'_, T>) -> Result<(), Error>;

    /// The values between the points of a block, computed, if that takes less time than to look them up in
    /// their columns.
    fn values(&self) -> Option<&dyn GramOperator<T>>;

    /// K(x, x) of all points, from the columns that are stored if these are all.
    fn diagonal(&self) -> Vec<f64>;
}

/// A matrix that is stored in contiguous columns.
pub(super) struct StoredColumns<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    values: &'a dyn Values<T>,
}

impl<'a, T: Scalar> StoredColumns<'a, T> {
    /// All columns of `gram`, if it has them in memory, and values that may be computed instead of looked up.
    pub(super) fn new(gram: &'a dyn GramOperator<T>, values: &'a dyn Values<T>) -> Option<Self> {
        gram.stored_column(0)?;
        Some(Self { gram, values })
    }
}

impl<T: Scalar> KernelColumns<T> for StoredColumns<'_, T> {
    fn most(&self) -> usize {
        usize::MAX
    }

    fn with(&self, indices: &[usize], f: Use<'_, T>) -> Result<(), Error> {
        let columns: Vec<&[T]> =
            indices.iter().filter_map(|&i| self.gram.stored_column(i)).collect();
        f(&columns);
        Ok(())
    }

    fn values(&self) -> Option<&dyn GramOperator<T>> {
        self.values.cheap()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.gram.diag().iter().map(|k| k.to_f64()).collect()
    }
}

/// Columns that are computed, and kept as long as a budget allows.
pub(super) struct CachedColumns<'v, 'a, K, P: Points> {
    gram: BlockedGram<'a, K, P>,
    values: &'v Recomputed<'a, K, P>,
}

impl<'v, 'a, P: Points, K: Kernel<P>> CachedColumns<'v, 'a, K, P> {
    /// Columns within the budget, and values that may be computed instead of looked up.
    pub(super) fn new(
        values: &'v Recomputed<'a, K, P>,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let gram = BlockedGram::new(values.kernel, values.points, budget)?;
        let gram = if values.is_cheap() { gram.frugal(&FIRST) } else { gram };
        Ok(Self { gram, values })
    }
}

impl<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>> KernelColumns<T>
    for CachedColumns<'_, '_, K, P>
{
    fn most(&self) -> usize {
        self.gram.capacity()
    }

    fn with(&self, indices: &[usize], f: Use<'_, T>) -> Result<(), Error> {
        let columns = self.gram.columns(indices)?;
        f(&columns.iter().collect::<Vec<_>>());
        Ok(())
    }

    fn values(&self) -> Option<&dyn GramOperator<T>> {
        self.values.get()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.gram.diag().iter().map(|k| k.to_f64()).collect()
    }
}
