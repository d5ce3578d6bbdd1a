//! The kernel matrix: whole, or some of its columns.

use super::columns::{CachedColumns, FIRST, KernelColumns, StoredColumns};
use super::solver::BLOCK;
use super::values::Recomputed;
use crate::Error;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes};

/// Bytes of the greatest matrix that is computed at once. Of larger ones only the columns that are asked for are
/// worth their memory: with 20,000 points, of which 7000 are support vectors, two thirds of the processor's time
/// went into the system's zeroing of the matrix. For the same reason no more columns are kept of a kernel whose
/// values are computed faster than fetched: 1.1 s with 1 GiB, 2.4 to 3.6 s with 4 GiB of fresh memory.
const GREATEST_MATRIX: u64 = 1 << 30;

/// Says whether the matrix of n points may be computed at once.
pub(super) fn is_stored<T>(n: usize, budget: &MemoryBudget) -> bool {
    let whole = matrix_bytes::<T>(n, n);
    budget.fits(whole) && whole <= GREATEST_MATRIX
}

/// Runs `f` on the columns of the kernel matrix of so many problems, which may take `budget` (see
/// [`Sizes::left`](super::memory::Sizes)), and says whether they are all stored.
pub(super) fn with_columns<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>, R>(
    (kernel, points): (&K, &P),
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
