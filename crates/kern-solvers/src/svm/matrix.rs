//! How the kernel matrix is kept: whole if it is small enough, else some of its columns.

use super::columns::{Cached, Columns, Stored};
use crate::Error;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{BlockedGram, DenseGram, MemoryBudget, matrix_bytes};

/// Bytes of the greatest matrix that is computed at once. Of larger ones only the columns that are asked for are
/// worth their memory: with 20,000 points, of which 7000 are support vectors, two thirds of the processor's time
/// went into the system's zeroing of the matrix.
const GREATEST_MATRIX: u64 = 1 << 30;

/// Runs `f` on the columns of the kernel matrix, which may take `budget` (see [`Sizes::left`](super::memory::Sizes)), and says whether they are all stored.
pub(super) fn with_columns<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>, R>(
    kernel: &K,
    points: &P,
    budget: &MemoryBudget,
    f: impl FnOnce(&dyn Columns<T>, bool) -> Result<R, Error>,
) -> Result<R, Error> {
    let n = points.len();
    let whole = matrix_bytes::<T>(n, n);
    if budget.fits(whole) && whole <= GREATEST_MATRIX {
        let gram = DenseGram::new(kernel, points, budget)?;
        let values = (n as u64).saturating_mul(n as u64 + 1) / 2;
        if let Some(columns) = Stored::new(&gram, values) {
            return f(&columns, true);
        }
    }
    f(&Cached::new(BlockedGram::new(kernel, points, budget)?), false)
}
