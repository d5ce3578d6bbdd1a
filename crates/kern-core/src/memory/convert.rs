//! The numbers of matrices in another type.

use super::zeros;
use crate::{Error, Scalar};
use faer::{Mat, MatMut, MatRef};

/// The same numbers in another type, rounded if it is narrower.
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
