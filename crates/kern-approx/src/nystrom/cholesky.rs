//! The Cholesky factor of a matrix in double precision.

use faer::Mat;
use kern_gram::numerics::cholesky::factorise;

/// L of A = LLᵀ, with zeros above the diagonal, in the place of A; None unless A is positive definite
/// to rounding.
pub(super) fn lower_factor(mut matrix: Mat<f64>) -> Option<Mat<f64>> {
    factorise(matrix.as_mut()).ok()?;
    for j in 1..matrix.ncols() {
        matrix.col_as_slice_mut(j)[..j].fill(0.0);
    }
    Some(matrix)
}
