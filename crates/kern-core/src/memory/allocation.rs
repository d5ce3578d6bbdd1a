//! Fallible allocation of zero matrices and vectors, their size in bytes, and conversion between
//! scalar types.

use crate::simd::Buffer;
use crate::{Error, Scalar};
use faer::{Mat, MatMut, MatRef};

/// The bytes of `rows` × `cols` values of type `T`, saturating at the largest `u64`.
///
/// If a call allocates several pieces, add their sizes with saturation, too.
///
/// # Examples
/// ```
/// use kern_core::memory::matrix_bytes;
/// let needed = matrix_bytes::<f64>(1000, 1000).saturating_add(matrix_bytes::<f32>(1000, 1));
/// assert_eq!(needed, 8_004_000);
/// assert_eq!(matrix_bytes::<f64>(usize::MAX, usize::MAX), u64::MAX);
/// ```
#[must_use]
pub const fn matrix_bytes<T>(rows: usize, cols: usize) -> u64 {
    (rows as u64).saturating_mul(cols as u64).saturating_mul(size_of::<T>() as u64)
}

/// A matrix of zeros.
///
/// # Errors
/// [`Error::Allocation`] if the system refuses the memory, where [`Mat::zeros`] would panic.
///
/// # Examples
/// ```
/// use kern_core::{Error, memory::zeros};
/// assert_eq!(zeros::<f64>(2, 3)?.shape(), (2, 3));
/// assert!(matches!(zeros::<f64>(1 << 40, 1 << 20), Err(Error::Allocation { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn zeros<T: Scalar>(rows: usize, cols: usize) -> Result<Mat<T>, Error> {
    let mut matrix = Mat::new();
    let refused = |_| Error::Allocation { bytes: matrix_bytes::<T>(rows, cols) };
    matrix.try_reserve(rows, cols).map_err(refused)?;
    matrix.resize_with(rows, cols, |_, _| T::ZERO);
    Ok(matrix)
}

/// A vector of zeros.
///
/// # Errors
/// [`Error::Allocation`] if the system refuses the memory, where `vec!` would abort.
///
/// # Examples
/// ```
/// use kern_core::memory::zero_vec;
/// assert_eq!(zero_vec::<f32>(2)?, [0.0, 0.0]);
/// assert!(zero_vec::<f32>(usize::MAX).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn zero_vec<T: Scalar>(len: usize) -> Result<Vec<T>, Error> {
    let mut vec = Vec::new();
    let refused = |_| Error::Allocation { bytes: matrix_bytes::<T>(len, 1) };
    vec.try_reserve_exact(len).map_err(refused)?;
    vec.resize(len, T::ZERO);
    Ok(vec)
}

/// Zeros that begin on a cache line.
pub(crate) fn zero_buffer<T: Scalar>(len: usize) -> Result<Buffer<T>, Error> {
    Ok(Buffer::of(zero_vec(len.saturating_add(Buffer::<T>::SPARE))?))
}

/// Converts a matrix to another scalar type, rounding if it is narrower.
///
/// # Errors
/// [`Error::Allocation`] if the system refuses the memory.
///
/// # Examples
/// ```
/// use kern_core::{faer::{Mat, mat}, memory::converted};
/// let narrow: Mat<f32> = converted(mat![[0.5, 0.1]].as_ref())?;
/// assert_eq!(narrow, mat![[0.5_f32, 0.1]]);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn converted<A: Scalar, B: Scalar>(from: MatRef<'_, A>) -> Result<Mat<B>, Error> {
    let mut out = zeros(from.nrows(), from.ncols())?;
    convert_into(from, out.as_mut());
    Ok(out)
}

/// [`converted`], into a matrix of the same shape.
pub fn convert_into<A: Scalar, B: Scalar>(from: MatRef<'_, A>, to: MatMut<'_, B>) {
    for (to, from) in to.col_iter_mut().zip(from.col_iter()) {
        to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = B::from_f64(from.to_f64()));
    }
}
