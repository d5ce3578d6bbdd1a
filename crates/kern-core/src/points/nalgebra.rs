//! Conversions from and to matrices of the crate nalgebra.

use super::Samples;
use crate::{Error, Points, Scalar};
use nalgebra::{DMatrix, DMatrixView};

/// Copies an n × d matrix, one sample per row.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples};
/// use nalgebra::DMatrix;
/// let x = Samples::try_from(&DMatrix::from_row_slice(2, 2, &[0.0, 1.0, 2.0, 3.0]))?;
/// assert_eq!(x.item(1), [2.0, 3.0]);
/// // The samples are the columns of the matrix in memory, without a copy.
/// assert_eq!(x.as_matrix_columns()[(1, 0)], 1.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
impl<T: Scalar + nalgebra::Scalar> TryFrom<&DMatrix<T>> for Samples<T> {
    type Error = Error;

    fn try_from(matrix: &DMatrix<T>) -> Result<Self, Error> {
        let rows =
            (0..matrix.nrows()).flat_map(|i| (0..matrix.ncols()).map(move |j| matrix[(i, j)]));
        Self::from_row_major(matrix.ncols(), rows.collect())
    }
}

impl<T: Scalar + nalgebra::Scalar> Samples<T> {
    /// Takes ownership of a d × n matrix, one sample per column, without a copy: nalgebra stores
    /// columns contiguously. Feature `nalgebra`.
    ///
    /// # Errors
    /// As [`from_row_major`](Samples::from_row_major).
    pub fn from_matrix_columns(matrix: DMatrix<T>) -> Result<Self, Error> {
        let dim = matrix.nrows();
        Self::from_row_major(dim, matrix.data.into())
    }

    /// The samples as the columns of a d × n matrix (no copy). Feature `nalgebra`.
    #[must_use]
    pub fn as_matrix_columns(&self) -> DMatrixView<'_, T> {
        DMatrixView::from_slice(self.as_slice(), self.dim(), self.len())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn columns_are_taken_over() {
        let columns = DMatrix::from_row_slice(2, 3, &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
        let place = columns.as_ptr();
        let x = Samples::from_matrix_columns(columns.clone()).unwrap();
        assert_eq!((x.len(), x.item(2)), (3, &[4.0, 5.0][..]));
        assert_eq!(Samples::try_from(&columns.transpose()).unwrap(), x);
        assert_eq!(Samples::from_matrix_columns(columns).unwrap().as_slice().as_ptr(), place);
        assert!(Samples::from_matrix_columns(DMatrix::<f64>::zeros(0, 3)).is_err());
    }
}
