//! Gram matrix with a column cache: columns are computed on demand, and the most recently used ones
//! are kept within a memory budget.

use crate::column_cache::{Cache, CacheStatistics, Columns};
use crate::lazy::Evaluator;
use crate::{Error, GramOperator, MemoryBudget, Representation, Rows, check, stored, zeros};
use faer::{ColRef, MatMut, MatRef};
use kern_core::{Kernel, Points, Scalar};
use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A Gram matrix with a cache of columns (which are also the rows), bounded in bytes. Intended for
/// solvers that work on few points at a time, such as SMO and SGD.
///
/// All missing columns of a request are computed together. When the cache is full they replace the
/// least recently used ones, except columns in use: those of a [`Columns`] that has not been
/// dropped. A solver pins its working set by keeping it.
///
/// # Complexity
/// n kernel evaluations for a missing column. Memory for n·c values with the c columns that fit,
/// and O(n). Products do not use the cache: n²/2 evaluations, as for a
/// [`LazyGram`](crate::LazyGram).
///
/// # Numerics
/// A column has the same bits whatever the cache holds and whatever else is requested, and its
/// diagonal entry is that of [`diag`](GramOperator::diag), so the cache cannot affect a solver's
/// result. This holds if an entry of a block of the kernel depends on its own two points only. It
/// does for all kernels of this library, except those of distances between *sparse* samples, where
/// the size of other points determines which entries are recomputed from differences; such entries
/// may change within the rounding that this rule allows.
///
/// # References
/// Joachims (1999), *Making large-scale SVM learning practical*: a row cache with
/// least-recently-used replacement.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{BlockedGram, MemoryBudget};
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
/// let two_columns = MemoryBudget::bytes(2 * 3 * 8);
/// let gram = BlockedGram::new(&Linear, &x, &two_columns)?;
/// let working_set = gram.columns(&[2, 0])?;
/// assert_eq!(working_set.column(0), [3.0, 6.0, 9.0]);
/// assert!(gram.columns(&[1]).is_err(), "both places are in use");
/// drop(working_set);
/// assert_eq!(gram.columns(&[0, 1])?.column(1), [2.0, 4.0, 6.0]);
/// let statistics = gram.statistics();
/// assert_eq!((statistics.hits, statistics.misses, statistics.evictions), (1, 3, 1));
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[doc(alias = "kernel cache")]
pub struct BlockedGram<'a, K: ?Sized, P: Points + ?Sized> {
    values: Evaluator<'a, K, P>,
    cache: Mutex<Cache<P::Scalar>>,
}

impl<'a, P: Points + ?Sized, K: Kernel<P> + ?Sized> BlockedGram<'a, K, P> {
    /// The Gram matrix of `points`, caching as many columns as the budget allows.
    ///
    /// # Errors
    /// [`Error::Budget`] if not even one column fits, [`Error::Core`] if the kernel refuses the
    /// points.
    pub fn new(kernel: &'a K, points: &'a P, budget: &MemoryBudget) -> Result<Self, Error> {
        let n = points.len();
        let instead = Representation::Lazy.advice();
        let needed = Representation::Blocked.bytes::<P::Scalar>(n);
        budget.require("a column of a blocked Gram matrix", needed, instead)?;
        let values = Evaluator::new(kernel, points)?;
        Ok(Self { values, cache: Mutex::new(Cache::new(n, budget)) })
    }

    /// Starts with a cache of size `first`, and doubles it, up to its budget, whenever as many
    /// evicted columns as it holds had to be recomputed. For kernels that are computed faster than
    /// new memory can be obtained, which systems must zero and hosts of virtual machines must find.
    /// A request for more columns than fit grows the cache at once.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Linear};
    /// use kern_gram::{BlockedGram, MemoryBudget};
    /// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
    /// let one_column = MemoryBudget::bytes(3 * 8);
    /// let gram = BlockedGram::new(&Linear, &x, &MemoryBudget::mebibytes(1))?;
    /// let gram = gram.initial_budget(&one_column);
    /// for i in [0, 1, 0, 1] {
    ///     gram.columns(&[i])?;
    /// }
    /// // The third request computes a column again, so both are kept from then on.
    /// assert_eq!((gram.statistics().misses, gram.statistics().columns), (3, 2));
    /// # Ok::<(), kern_gram::Error>(())
    /// ```
    #[must_use]
    pub fn initial_budget(self, first: &MemoryBudget) -> Self {
        self.cache().begin_with(first);
        self
    }

    /// Statistics of the cache: hits, misses, evictions and memory in use.
    #[must_use]
    pub fn statistics(&self) -> CacheStatistics {
        self.cache().statistics()
    }

    /// The number of columns that fit into the cache.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.cache().capacity()
    }

    /// No code that may panic runs while the cache is locked, so it is consistent even if the lock
    /// is poisoned.
    fn cache(&self) -> MutexGuard<'_, Cache<P::Scalar>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T, P, K> BlockedGram<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Kernel<P> + ?Sized,
{
    /// The columns with these indices, shared with the cache, which keeps them at least until the
    /// result is dropped.
    ///
    /// # Errors
    /// [`Error::Budget`] if they do not fit next to the columns in use, [`Error::NotFinite`], or an
    /// index out of bounds.
    pub fn columns(&self, indices: &[usize]) -> Result<Columns<T>, Error> {
        check::indices(indices, self.values.size())?;
        // The lock is never held while threads of a pool work: one of them might take up a task of
        // the caller that requests columns, too.
        let mut request = self.cache().request(indices)?;
        let computed = self.values.columns_into(&request.missing, &mut request.fresh);
        self.cache().deliver(indices, request, computed)
    }

    /// Calls `work` for groups of these columns that fit into the cache next to the columns in use,
    /// with the positions of the group; with `None` instead of columns if the cache is entirely in
    /// use.
    fn for_each_group(
        &self,
        cols: &[usize],
        mut work: impl FnMut(Range<usize>, Option<Columns<T>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut done = 0;
        while done < cols.len() {
            let room = self.cache().room().max(1).min(cols.len() - done);
            let part = done..done + room;
            match self.columns(&cols[part.clone()]) {
                Ok(columns) => work(part, Some(columns))?,
                Err(Error::Budget { .. }) => {
                    self.cache().count_uncached(room);
                    work(part, None)?;
                }
                Err(error) => return Err(error),
            }
            done += room;
        }
        Ok(())
    }
}

impl<T, P, K> GramOperator<T> for BlockedGram<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Kernel<P> + ?Sized,
{
    fn size(&self) -> usize {
        self.values.size()
    }

    fn diag(&self) -> Vec<T> {
        self.values.diag().to_vec()
    }

    /// Reads from the cache, in groups that fit next to the columns in use; if none fit, computes
    /// the entries without the cache.
    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::submatrix(self.size(), rows, cols, out.as_ref())?;
        self.for_each_group(cols, |part, columns| {
            let out = out.as_mut().subcols_mut(part.start, part.len());
            let Some(columns) = columns else {
                return self.values.submatrix_into(rows, &cols[part], out);
            };
            for (column, out) in columns.iter().zip(out.col_iter_mut()) {
                stored::copy_rows(ColRef::from_slice(column), rows, out);
            }
            Ok(())
        })
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        self.values.apply_into(v, out)
    }

    /// Reads from the cache, in groups that fit into it.
    fn apply_columns_into(
        &self,
        cols: &[usize],
        v: MatRef<'_, T>,
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::column_product(self.size(), cols, v, out.as_ref())?;
        out.fill(T::ZERO);
        self.for_each_group(cols, |part, columns| {
            let v = v.subrows(part.start, part.len());
            if let Some(columns) = columns {
                stored::add_columns(&columns.iter().collect::<Vec<_>>(), v, out.as_mut());
            } else {
                let mut change = zeros(out.nrows(), out.ncols())?;
                self.values.apply_columns_into(&cols[part], v, change.as_mut())?;
                out += change;
            }
            Ok(())
        })?;
        check::finite_product(out.as_ref())
    }

    /// As for a lazy Gram matrix.
    fn product_cost(&self) -> f64 {
        check::area(self.size(), self.size()) / 2.0
    }
}

impl<K: ?Sized, P: Points + ?Sized> fmt::Debug for BlockedGram<'_, K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockedGram").field("values", &self.values).finish_non_exhaustive()
    }
}
