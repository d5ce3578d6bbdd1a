//! The column cache: columns of the kernel matrix within a memory budget.
//!
//! A matrix that fits the budget is computed in full ([`with_columns`]). Columns of a larger
//! matrix, or of a kernel that is cheaper to compute than to read from memory, are computed on
//! demand and kept as long as the budget allows. Kernel values within a block are computed rather
//! than read where that is faster, which is measured. The budget of the cache is the memory that
//! the vectors of the fit leave ([`Sizes::left`]).

use super::smo_block::{BLOCK, WHOLE, widest};
use crate::Error;
use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::stopwatch::fastest;
use kern_gram::{
    BlockedGram, DenseGram, GramOperator, LazyGram, MemoryBudget, Representation, Rows,
    matrix_bytes, sequentially,
};
use std::sync::OnceLock;

/// Bytes of the largest matrix that is computed in full. Of a larger matrix only the requested
/// columns are worth their memory: with 20,000 points and 7000 support vectors, two thirds of the
/// processor time went into zeroing pages for the full matrix. For the same reason the cache is
/// limited to this size if kernel values are cheaper to compute than to read: 1.1 s with 1 GiB, 2.4
/// to 3.6 s with 4 GiB of fresh memory.
const LARGEST_MATRIX: u64 = 1 << 30;

/// The initial size of the cache for a cheap kernel (`docs/decisions/svm.md`).
const FIRST: MemoryBudget = MemoryBudget::mebibytes(16);

/// Seconds that a thread takes to read a kernel value from a column outside of the processor cache;
/// as many loads are in flight as there are fill buffers. Measured: 7.5 ns for each of 256 × 512
/// values.
const LOOKED_UP: f64 = 7e-9;

/// Problems of up to this size are solved in parallel, one thread each; larger ones in sequence,
/// each by all threads.
pub(super) const SIDE_BY_SIDE: usize = 4 * WHOLE;

/// The smallest number of columns to work with: those of a pair.
const SMALLEST_COLUMNS: u64 = 2;
/// Bytes per point: its class, its weight twice, its place in the order and in the column cache (16
/// bytes), a diagonal entry and a norm.
const POINT_BYTES: usize = 72;
/// Bytes per variable of each problem: its linear term, bounds, start, solution and side.
const VARIABLE_BYTES: usize = 48;
/// Bytes per variable of a problem that is being solved: its row, gradient, mark, and its place
/// among the candidates of working set selection, in lists that double when they grow.
const WORK_BYTES: usize = 96;
/// Bytes of the kernel value tiles and gathered operands of all threads.
const TILE_BYTES: u64 = 1 << 21;

/// The number of problems assumed to be solved concurrently. The budget must not depend on the
/// number of threads, because results depend on it.
const THREADS: usize = 8;

/// A function applied to columns.
type Use<'a, T> = &'a mut dyn FnMut(&[&[T]]);

/// Access to columns of a kernel matrix, several at a time.
pub(super) trait KernelColumns<T: Scalar>: Sync {
    /// The largest number of columns available at once.
    fn most(&self) -> usize;

    /// Calls `f` with the columns of these indices, which may repeat.
    fn with(&self, indices: &[usize], f: Use<'_, T>) -> Result<(), Error>;

    /// The source of kernel values within a block, if computing them is faster than reading them
    /// from their columns.
    fn values(&self) -> Option<&dyn GramOperator<T>>;

    /// K(x, x) of all points, from the stored columns if all of them are stored.
    fn diagonal(&self) -> Vec<f64>;
}

/// True if the matrix of n points may be computed in full.
pub(super) fn is_stored<T>(n: usize, budget: &MemoryBudget) -> bool {
    let whole = matrix_bytes::<T>(n, n);
    budget.fits(whole) && whole <= LARGEST_MATRIX
}

/// Calls `f` with the columns of the kernel matrix for this number of problems, within `budget`
/// (see [`Sizes::left`]), and with true if all columns are stored.
pub(super) fn with_columns<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>, R>(
    kernel: &K,
    points: &P,
    problems: usize,
    budget: &MemoryBudget,
    f: impl FnOnce(&dyn KernelColumns<T>, bool) -> Result<R, Error>,
) -> Result<R, Error> {
    let n = points.len();
    let values = Recomputed::new(kernel, points);
    // Several problems together need the columns of nearly all points.
    let some = || problems == 1 && !FIRST.fits(matrix_bytes::<T>(n, n)) && values.is_cheap();
    if is_stored::<T>(n, budget) && !some() {
        let gram = DenseGram::new(kernel, points, budget)?;
        if let Some(columns) = StoredColumns::new(&gram, &values) {
            return f(&columns, true);
        }
    }
    let enough = LARGEST_MATRIX.max(matrix_bytes::<T>(n, 2 * BLOCK));
    let most = if values.is_cheap() { enough } else { u64::MAX };
    let budget = MemoryBudget::bytes(budget.as_bytes().min(most));
    f(&CachedColumns::new(&values, &budget)?, false)
}

/// A matrix stored in full, in contiguous columns.
struct StoredColumns<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    values: &'a dyn Values<T>,
}

impl<'a, T: Scalar> StoredColumns<'a, T> {
    /// All columns of `gram`, if they are in memory, and the kernel values to compute instead of
    /// reading them.
    fn new(gram: &'a dyn GramOperator<T>, values: &'a dyn Values<T>) -> Option<Self> {
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

/// Columns that are computed on demand and kept within a budget.
struct CachedColumns<'v, 'a, K, P: Points> {
    gram: BlockedGram<'a, K, P>,
    values: &'v Recomputed<'a, K, P>,
}

impl<'v, 'a, P: Points, K: Kernel<P>> CachedColumns<'v, 'a, K, P> {
    /// A cache within the budget, and the kernel values to compute instead of reading them.
    fn new(values: &'v Recomputed<'a, K, P>, budget: &MemoryBudget) -> Result<Self, Error> {
        let gram = BlockedGram::new(values.kernel, values.points, budget)?;
        let gram = if values.is_cheap() { gram.initial_budget(&FIRST) } else { gram };
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

/// Kernel values within a block, if computing them is faster than reading them.
trait Values<T: Scalar>: Sync {
    fn cheap(&self) -> Option<&dyn GramOperator<T>>;
}

/// A kernel on points with values computed on demand, at a cost that is measured when it is first
/// needed.
struct Recomputed<'a, K, P: Points> {
    kernel: &'a K,
    points: &'a P,
    gram: OnceLock<Option<LazyGram<'a, K, P>>>,
    cheap: OnceLock<bool>,
}

impl<'a, T: Scalar, P: Points<Scalar = T>, K: Kernel<P>> Recomputed<'a, K, P> {
    fn new(kernel: &'a K, points: &'a P) -> Self {
        Self { kernel, points, gram: OnceLock::new(), cheap: OnceLock::new() }
    }

    /// The source of computed values; `None` if it would repeat per-point work that a column does
    /// only once.
    fn get(&self) -> Option<&dyn GramOperator<T>> {
        let make = || {
            let one = self.points.select(&[0]).ok()?;
            let bound = self.kernel.bind(&one, &one, None).is_some();
            if bound { None } else { LazyGram::new(self.kernel, self.points).ok() }
        };
        self.gram.get_or_init(make).as_ref().map(|gram| gram as &dyn GramOperator<T>)
    }

    /// True if computing a value is faster than reading it from memory. Because this is measured,
    /// no bit of a result may depend on it.
    fn is_cheap(&self) -> bool {
        // Measuring a kernel without blocks is as expensive as anything it could save.
        let possible = self.points.entries_are_local() && !self.kernel.is_pointwise();
        let measure = || self.get().is_some_and(|gram| seconds_per_value(gram) <= LOOKED_UP);
        possible && *self.cheap.get_or_init(measure)
    }
}

impl<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>> Values<T> for Recomputed<'_, K, P> {
    fn cheap(&self) -> Option<&dyn GramOperator<T>> {
        self.get().filter(|_| self.is_cheap())
    }
}

/// Seconds per value that one thread takes for a block of points spread over the data; infinite if
/// the values cannot be computed.
fn seconds_per_value<T: Scalar>(gram: &dyn GramOperator<T>) -> f64 {
    /// Large enough to amortise the fixed cost of a block.
    const SOME: usize = 128;
    const REPEATS: usize = 3;
    let (n, m) = (gram.size(), SOME.min(gram.size()));
    let some: Vec<usize> = (0..m).map(|k| k * n / m).collect();
    let mut out = Mat::<T>::zeros(m, m);
    let compute = || gram.submatrix_into(Rows::Of(&some), &some, out.as_mut());
    let seconds = sequentially(|| fastest(REPEATS, compute));
    seconds.map_or(f64::INFINITY, |seconds| seconds / (m * m) as f64)
}

/// The sizes that determine memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The number of training points.
    pub(super) points: usize,
    /// The number of variables of all problems together.
    pub(super) variables: usize,
    /// The number of variables of the largest problem.
    pub(super) largest: usize,
    /// The number of problems.
    pub(super) functions: usize,
    /// The number of models that are kept until the first is returned.
    pub(super) models: usize,
}

impl Sizes {
    /// The budget of the column cache: the memory left next to a copy of the points (`copied`
    /// bytes) and the vectors of the solver.
    ///
    /// # Errors
    /// [`Error::Gram`] if two columns and the block of a pair do not fit.
    pub(super) fn left<T: Scalar>(
        self,
        budget: &MemoryBudget,
        copied: u64,
    ) -> Result<MemoryBudget, Error> {
        let fixed = self.fixed::<T>().saturating_add(copied);
        let column = Representation::Blocked.bytes::<T>(self.points);
        let pair = column.saturating_mul(2 * SMALLEST_COLUMNS);
        let what = "vectors of the fit, two columns of the kernel matrix, and a block";
        let instead = "SGD with the hinge loss and Storage::OnTheFly takes less";
        budget.require(what, fixed.saturating_add(pair), instead)?;
        let rest = budget.as_bytes() - fixed;
        // The block gets its full size, or half of the rest if that is less.
        Ok(MemoryBudget::bytes(rest - self.block().min(rest / 2)))
    }

    /// Bytes of the vectors, and of the coefficients of all functions.
    fn fixed<T: Scalar>(self) -> u64 {
        let kept = matrix_bytes::<[u8; VARIABLE_BYTES]>(self.variables, self.models);
        let at_once = if self.side_by_side() { self.variables } else { self.largest };
        let parts = [
            matrix_bytes::<[u8; POINT_BYTES]>(self.points, 1),
            kept,
            matrix_bytes::<[u8; WORK_BYTES]>(at_once, 1),
            matrix_bytes::<T>(self.points, self.functions),
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// Bytes of the kernel values within a block, for each problem solved concurrently, and of
    /// tiles.
    fn block(self) -> u64 {
        let edge = widest(self.largest);
        let problems = if self.side_by_side() { self.functions.min(THREADS) } else { 1 };
        // Twice: the second copy holds values while they are computed.
        let square = matrix_bytes::<f64>(edge, 2 * edge);
        square.saturating_mul(problems as u64).saturating_add(TILE_BYTES)
    }

    fn side_by_side(self) -> bool {
        self.functions > 1 && self.largest <= SIDE_BY_SIDE
    }
}
