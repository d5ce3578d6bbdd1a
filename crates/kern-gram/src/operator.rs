//! What a solver may ask of a Gram matrix.

use crate::Error;
use faer::{Mat, MatMut, MatRef};
use kern_core::Scalar;

/// A symmetric n × n matrix of kernel values, stored or not.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{GramOperator, LazyGram};
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let gram = LazyGram::new(&Linear, &x)?;
/// assert_eq!(gram.size(), 2);
/// assert_eq!(gram.diag(), [1.0, 4.0]);
/// let v = kern_core::faer::mat![[1.0], [1.0]];
/// assert_eq!(gram.apply(v.as_ref())?[(1, 0)], 6.0);
/// # Ok::<(), kern_gram::Error>(())
/// ```
pub trait GramOperator<T: Scalar>: Send + Sync {
    /// The number of points, n.
    fn size(&self) -> usize;

    /// The n diagonal entries.
    fn diag(&self) -> Vec<T>;

    /// Column b of `out` becomes column `indices[b]` of the matrix (which is also that row).
    ///
    /// # Shapes and units
    /// `out` is n × `indices.len()`.
    ///
    /// # Errors
    /// [`Error::Shape`], an index out of bounds, or [`Error::NotFinite`].
    fn columns_into(&self, indices: &[usize], out: MatMut<'_, T>) -> Result<(), Error>;

    /// Column `i` without copying, if it is stored contiguously.
    fn stored_column(&self, i: usize) -> Option<&[T]> {
        let _ = i;
        None
    }

    /// out = G·v.
    ///
    /// # Shapes and units
    /// `v` and `out` are n × r: r right-hand sides at once.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`].
    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error>;

    /// G·v in a new matrix.
    ///
    /// # Errors
    /// As [`apply_into`](GramOperator::apply_into).
    fn apply(&self, v: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        let mut out = Mat::zeros(self.size(), v.ncols());
        self.apply_into(v, out.as_mut())?;
        Ok(out)
    }
}
