//! The Cholesky factor of a matrix in double precision.

use crate::Error;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::{Mat, Spec};
use kern_gram::{matrix_bytes, parallel};

/// L of A = LLᵀ, with zeros above the diagonal, in the place of A; None unless A is positive definite
/// to rounding.
pub(super) fn lower_factor(mut matrix: Mat<f64>) -> Result<Option<Mat<f64>>, Error> {
    let (size, par) = (matrix.nrows(), parallel::parallelism());
    let refused = |_| kern_core::Error::Allocation { bytes: matrix_bytes::<f64>(size, size) };
    let workspace = cholesky_in_place_scratch::<f64>(size, par, Spec::default());
    let mut memory = MemBuffer::try_new(workspace).map_err(refused)?;
    let (stack, plain) = (MemStack::new(&mut memory), LltRegularization::default());
    if cholesky_in_place(matrix.as_mut(), plain, par, stack, Spec::default()).is_err() {
        return Ok(None);
    }
    for j in 1..size {
        matrix.col_as_slice_mut(j)[..j].fill(0.0);
    }
    Ok(Some(matrix))
}
