//! The Cholesky factor of a matrix in double precision.

use crate::Error;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::{Mat, MatRef, Spec};
use kern_core::Scalar;
use kern_gram::{matrix_bytes, parallel, zeros};

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

/// A copy in double precision.
pub(super) fn widened<T: Scalar>(matrix: MatRef<'_, T>) -> Result<Mat<f64>, Error> {
    let mut wide = zeros(matrix.nrows(), matrix.ncols())?;
    for j in 0..matrix.ncols() {
        let pairs = wide.col_as_slice_mut(j).iter_mut().zip(matrix.col(j).iter());
        pairs.for_each(|(to, from)| *to = from.to_f64());
    }
    Ok(wide)
}

/// A copy in the precision of the points.
pub(super) fn narrowed<T: Scalar>(matrix: &Mat<f64>) -> Result<Mat<T>, Error> {
    let mut narrow = zeros(matrix.nrows(), matrix.ncols())?;
    for j in 0..matrix.ncols() {
        let pairs = narrow.col_as_slice_mut(j).iter_mut().zip(matrix.col_as_slice(j));
        pairs.for_each(|(to, from)| *to = T::from_f64(*from));
    }
    Ok(narrow)
}
