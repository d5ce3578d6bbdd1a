//! Where columns of the kernel matrix come from.

use super::values::{Recomputed, Values};
use crate::Error;
use faer::MatMut;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{BlockedGram, GramOperator, MemoryBudget, zero_vec};
use std::sync::atomic::{AtomicU64, Ordering};

/// What is done with columns.
pub(super) type Use<'a, T> = &'a mut dyn FnMut(&[&[T]]);

/// Some columns of a kernel matrix at a time.
pub(super) trait Columns<T: Scalar>: Sync {
    /// How many can be had at once.
    fn most(&self) -> usize;

    /// Calls `f` with the columns of these indices, which may occur more than once.
    fn with(&self, indices: &[usize], f: Use<'_, T>) -> Result<(), Error>;

    /// Where values between the points of a block are computed, if that takes less time than to look them up in
    /// their columns.
    fn values(&self) -> Option<&dyn GramOperator<T>> {
        None
    }

    /// How many values of columns were computed, and how many columns were there already.
    fn cost(&self) -> (u64, u64);
}

/// A matrix that is stored in contiguous columns.
pub(super) struct Stored<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    values: Option<&'a dyn Values<T>>,
    computed: u64,
    hits: AtomicU64,
}

impl<'a, T: Scalar> Stored<'a, T> {
    /// All columns of `gram`, if it has them in memory; so many of its values were computed for this.
    pub(super) fn new(gram: &'a dyn GramOperator<T>, computed: u64) -> Option<Self> {
        gram.stored_column(0)?;
        Some(Self { gram, values: None, computed, hits: AtomicU64::new(0) })
    }

    /// With values that may be computed instead of looked up.
    pub(super) fn with_values(self, values: &'a dyn Values<T>) -> Self {
        Self { values: Some(values), ..self }
    }
}

impl<T: Scalar> Columns<T> for Stored<'_, T> {
    fn most(&self) -> usize {
        usize::MAX
    }

    fn with(&self, indices: &[usize], f: Use<'_, T>) -> Result<(), Error> {
        let columns: Vec<&[T]> =
            indices.iter().filter_map(|&i| self.gram.stored_column(i)).collect();
        self.hits.fetch_add(indices.len() as u64, Ordering::Relaxed);
        f(&columns);
        Ok(())
    }

    fn values(&self) -> Option<&dyn GramOperator<T>> {
        self.values.and_then(Values::cheap)
    }

    fn cost(&self) -> (u64, u64) {
        (self.computed, self.hits.load(Ordering::Relaxed))
    }
}

/// Columns that are computed, and kept as long as a budget allows.
pub(super) struct Cached<'v, 'a, K, P: Points> {
    gram: BlockedGram<'a, K, P>,
    values: &'v Recomputed<'a, K, P>,
}

impl<'v, 'a, P: Points, K: Kernel<P>> Cached<'v, 'a, K, P> {
    /// Columns within the budget, and values that may be computed instead of looked up.
    pub(super) fn new(
        values: &'v Recomputed<'a, K, P>,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let gram = BlockedGram::new(values.kernel, values.points, budget)?;
        Ok(Self { gram, values })
    }
}

impl<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>> Columns<T> for Cached<'_, '_, K, P> {
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

    fn cost(&self) -> (u64, u64) {
        let statistics = self.gram.statistics();
        let n = GramOperator::size(&self.gram) as u64;
        (statistics.misses.saturating_mul(n), statistics.hits)
    }
}

/// Columns of any operator, copied into a buffer.
pub(super) struct Copied<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    most: usize,
    values: AtomicU64,
}

impl<'a, T: Scalar> Copied<'a, T> {
    /// So many columns at a time.
    pub(super) fn new(gram: &'a dyn GramOperator<T>, most: usize) -> Self {
        Self { gram, most, values: AtomicU64::new(0) }
    }
}

impl<T: Scalar> Columns<T> for Copied<'_, T> {
    fn most(&self) -> usize {
        self.most
    }

    fn with(&self, indices: &[usize], f: Use<'_, T>) -> Result<(), Error> {
        let n = self.gram.size();
        let mut buffer = zero_vec(n.saturating_mul(indices.len()))?;
        let out = MatMut::from_column_major_slice_mut(&mut buffer, n, indices.len());
        self.gram.columns_into(indices, out)?;
        self.values.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        f(&buffer.chunks_exact(n).collect::<Vec<_>>());
        Ok(())
    }

    fn cost(&self) -> (u64, u64) {
        (self.values.load(Ordering::Relaxed), 0)
    }
}
