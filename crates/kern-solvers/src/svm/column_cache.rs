//! The column cache: columns of the kernel matrix within a budget of memory.
//!
//! A matrix that fits is computed at once ([`with_columns`]). Of a larger one, or of one whose values
//! are computed faster than fetched, columns are computed as they are needed, and kept as long as
//! the budget allows. Values between a few points are computed instead of looked up where that takes
//! less time, which is measured. The budget of the columns is what the vectors of the fit leave
//! ([`Sizes::left`]).

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

/// Bytes of the greatest matrix that is computed at once. Of larger ones only the columns that are asked for are
/// worth their memory: with 20,000 points, of which 7000 are support vectors, two thirds of the processor's time
/// went into the system's zeroing of the matrix. For the same reason no more columns are kept of a kernel whose
/// values are computed faster than fetched: 1.1 s with 1 GiB, 2.4 to 3.6 s with 4 GiB of fresh memory.
const GREATEST_MATRIX: u64 = 1 << 30;

/// The memory that columns of cheap values get at first (`docs/decisions/svm.md`).
const FIRST: MemoryBudget = MemoryBudget::mebibytes(16);

/// Seconds in which a thread finds a value in a column that is not in its cache: as many loads are on their way
/// at a time as the processor has buffers for them. Measured: 7.5 ns for each of 256 × 512 values.
const LOOKED_UP: f64 = 7e-9;

/// Problems of up to so many points are solved side by side, a thread each; larger ones one after the other, by
/// all threads.
pub(super) const SIDE_BY_SIDE: usize = 4 * WHOLE;

/// The least number of columns to work with: those of a pair.
const LEAST_COLUMNS: u64 = 2;
/// Of each point: its class, its weight twice, its place in the order and in the cache of columns (16), a diagonal
/// entry and a norm.
const POINT_BYTES: usize = 72;
/// Of each variable of each problem: its linear term, bounds, start, solution, and side.
const VARIABLE_BYTES: usize = 48;
/// Of each variable that is being worked on: its row, gradient, mark, and place among those that want to rise or to
/// fall, in lists that double when they grow.
const WORK_BYTES: usize = 96;
/// Tiles of kernel values and gathered operands, of all threads.
const TILE_BYTES: u64 = 1 << 21;

/// Problems that are taken to be solved at the same time, at most: what is left must not depend on the machine's
/// threads, since results depend on it.
const THREADS: usize = 8;

/// A use of columns.
type Use<'a, T> = &'a mut dyn FnMut(&[&[T]]);

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

/// Says whether the matrix of n points may be computed at once.
pub(super) fn is_stored<T>(n: usize, budget: &MemoryBudget) -> bool {
    let whole = matrix_bytes::<T>(n, n);
    budget.fits(whole) && whole <= GREATEST_MATRIX
}

/// Runs `f` on the columns of the kernel matrix of so many problems, which may take `budget` (see
/// [`Sizes::left`]), and says whether they are all stored.
pub(super) fn with_columns<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>, R>(
    kernel: &K,
    points: &P,
    problems: usize,
    budget: &MemoryBudget,
    f: impl FnOnce(&dyn KernelColumns<T>, bool) -> Result<R, Error>,
) -> Result<R, Error> {
    let n = points.len();
    let values = Recomputed::new(kernel, points);
    // Several problems need the columns of nearly all points.
    let some = || problems == 1 && !FIRST.fits(matrix_bytes::<T>(n, n)) && values.is_cheap();
    if is_stored::<T>(n, budget) && !some() {
        let gram = DenseGram::new(kernel, points, budget)?;
        if let Some(columns) = StoredColumns::new(&gram, &values) {
            return f(&columns, true);
        }
    }
    let enough = GREATEST_MATRIX.max(matrix_bytes::<T>(n, 2 * BLOCK));
    let most = if values.is_cheap() { enough } else { u64::MAX };
    let budget = MemoryBudget::bytes(budget.as_bytes().min(most));
    f(&CachedColumns::new(&values, &budget)?, false)
}

/// A matrix that is stored in contiguous columns.
struct StoredColumns<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    values: &'a dyn Values<T>,
}

impl<'a, T: Scalar> StoredColumns<'a, T> {
    /// All columns of `gram`, if it has them in memory, and values that may be computed instead of looked up.
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

/// Columns that are computed, and kept as long as a budget allows.
struct CachedColumns<'v, 'a, K, P: Points> {
    gram: BlockedGram<'a, K, P>,
    values: &'v Recomputed<'a, K, P>,
}

impl<'v, 'a, P: Points, K: Kernel<P>> CachedColumns<'v, 'a, K, P> {
    /// Columns within the budget, and values that may be computed instead of looked up.
    fn new(values: &'v Recomputed<'a, K, P>, budget: &MemoryBudget) -> Result<Self, Error> {
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

/// Values between some points, computed, if that takes less time than to look them up.
trait Values<T: Scalar>: Sync {
    fn cheap(&self) -> Option<&dyn GramOperator<T>>;
}

/// A kernel on points, whose values are computed as they are needed, and whose cost is measured when somebody wants
/// to know it.
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

    /// The source of computed values, unless that repeats work for each point which is done only once for columns.
    fn get(&self) -> Option<&dyn GramOperator<T>> {
        let make = || {
            let one = self.points.select(&[0]).ok()?;
            let bound = self.kernel.bind(&one, &one).is_some();
            if bound { None } else { LazyGram::new(self.kernel, self.points).ok() }
        };
        self.gram.get_or_init(make).as_ref().map(|gram| gram as &dyn GramOperator<T>)
    }

    /// True if a value is computed faster than it is fetched from memory. Since this is measured, no bit of a
    /// result may depend on it.
    fn is_cheap(&self) -> bool {
        // To measure a kernel without blocks is as dear as what it could save.
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

/// The seconds that one thread takes for a value between some points, spread over all; infinite where it cannot.
fn seconds_per_value<T: Scalar>(gram: &dyn GramOperator<T>) -> f64 {
    /// Enough of them that what is done once for a block does not count.
    const SOME: usize = 128;
    const REPEATS: usize = 3;
    let (n, m) = (gram.size(), SOME.min(gram.size()));
    let some: Vec<usize> = (0..m).map(|k| k * n / m).collect();
    let mut out = Mat::<T>::zeros(m, m);
    let compute = || gram.submatrix_into(Rows::Of(&some), &some, out.as_mut());
    let seconds = sequentially(|| fastest(REPEATS, compute));
    seconds.map_or(f64::INFINITY, |seconds| seconds / (m * m) as f64)
}

/// The sizes that memory depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Points of the fit.
    pub(super) points: usize,
    /// Variables of all problems together.
    pub(super) variables: usize,
    /// Variables of the largest problem.
    pub(super) largest: usize,
    /// The number of problems.
    pub(super) functions: usize,
    /// Models that are learned before the first is handed out.
    pub(super) models: usize,
}

impl Sizes {
    /// The budget of the columns: what is left beside a copy of the points of so many bytes and all that the
    /// solver needs.
    ///
    /// # Errors
    /// [`Error::Gram`] if not even two columns and the block of a pair are left.
    pub(super) fn left<T: Scalar>(
        self,
        budget: &MemoryBudget,
        copied: u64,
    ) -> Result<MemoryBudget, Error> {
        let fixed = self.fixed::<T>().saturating_add(copied);
        let column = Representation::Blocked.bytes::<T>(self.points);
        let pair = column.saturating_mul(2 * LEAST_COLUMNS);
        let what = "vectors of the fit, two columns of the kernel matrix, and a block";
        let instead = "SGD with the hinge loss and Storage::OnTheFly takes less";
        budget.require(what, fixed.saturating_add(pair), instead)?;
        let rest = budget.as_bytes() - fixed;
        // The block beside the columns, or as much as them where there is less.
        Ok(MemoryBudget::bytes(rest - self.block().min(rest / 2)))
    }

    /// Vectors, and the coefficients of all functions.
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

    /// The kernel values between the variables of a block, of each problem that is solved at the same time, and tiles.
    fn block(self) -> u64 {
        let edge = widest(self.largest);
        let problems = if self.side_by_side() { self.functions.min(THREADS) } else { 1 };
        // Twice: once as they are computed.
        let square = matrix_bytes::<f64>(edge, 2 * edge);
        square.saturating_mul(problems as u64).saturating_add(TILE_BYTES)
    }

    fn side_by_side(self) -> bool {
        self.functions > 1 && self.largest <= SIDE_BY_SIDE
    }
}
