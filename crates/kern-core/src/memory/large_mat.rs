//! A matrix in pages of its own.

use super::Pages;
use crate::{Error, Scalar};
use faer::{MatMut, MatRef};

/// A cache line. Columns begin on one, so that no vector of a column straddles two.
const LINE: usize = 64;

/// An owned matrix, column after column, for matrices that fill much memory: [`faer::Mat`] is
/// zeroed by one thread before anybody can write to it, this one is not ([`Pages`]).
///
/// # Examples
/// ```
/// use kern_core::memory::LargeMat;
/// let mut a = LargeMat::<f64>::zeros(2, 3)?;
/// a.as_mut()[(1, 2)] = 5.0;
/// assert_eq!((a.as_ref().shape(), a.as_ref()[(1, 2)]), ((2, 3), 5.0));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LargeMat<T: Scalar> {
    values: Pages<T>,
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<T: Scalar> LargeMat<T> {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn zeros(rows: usize, cols: usize) -> Result<Self, Error> {
        let stride = rows.checked_next_multiple_of(LINE / size_of::<T>()).unwrap_or(rows);
        let values = Pages::zeroed(stride.saturating_mul(cols))?;
        Ok(Self { values, rows, cols, stride })
    }

    /// The matrix.
    #[must_use]
    pub fn as_ref(&self) -> MatRef<'_, T> {
        let padded = MatRef::from_column_major_slice(&self.values, self.stride, self.cols);
        padded.subrows(0, self.rows)
    }

    /// The matrix, to be written.
    #[must_use]
    pub fn as_mut(&mut self) -> MatMut<'_, T> {
        let padded = MatMut::from_column_major_slice_mut(&mut self.values, self.stride, self.cols);
        padded.subrows_mut(0, self.rows)
    }
}
