//! Conversions from and to arrays of the crate ndarray.

use super::Samples;
use crate::memory::Shared;
use crate::{Error, Points, Scalar};
use ndarray::{ArcArray2, Array2, ArrayView2, aview2};
use std::sync::Arc;

/// An n × d array in row-major order.
struct Rows<T>(ArcArray2<T>);

impl<T> AsRef<[T]> for Rows<T> {
    fn as_ref(&self) -> &[T] {
        self.0.as_slice().unwrap_or(&[])
    }
}

/// Copies an n × d array, one sample per row.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples};
/// use ndarray::array;
/// let x = Samples::try_from(array![[0.0, 1.0], [2.0, 3.0]].view())?;
/// assert_eq!(x.item(1), [2.0, 3.0]);
/// assert_eq!(x.as_array(), array![[0.0, 1.0], [2.0, 3.0]]);
/// # Ok::<(), kern_core::Error>(())
/// ```
impl<T: Scalar> TryFrom<ArrayView2<'_, T>> for Samples<T> {
    type Error = Error;

    fn try_from(array: ArrayView2<'_, T>) -> Result<Self, Error> {
        Self::from_row_major(array.ncols(), array.iter().copied().collect())
    }
}

/// Takes ownership of an n × d array, one sample per row; copies it only if it is not in row-major
/// order.
impl<T: Scalar> TryFrom<Array2<T>> for Samples<T> {
    type Error = Error;

    fn try_from(array: Array2<T>) -> Result<Self, Error> {
        Self::try_from(array.into_shared())
    }
}

/// Shares an n × d array, one sample per row; copies it only if it is not in row-major order.
impl<T: Scalar> TryFrom<ArcArray2<T>> for Samples<T> {
    type Error = Error;

    fn try_from(array: ArcArray2<T>) -> Result<Self, Error> {
        if !array.is_standard_layout() {
            return Self::try_from(array.view());
        }
        let dim = array.ncols();
        let rows: Shared<T> = Arc::new(Rows(array));
        Self::from_shared(dim, rows)
    }
}

impl<T: Scalar> Samples<T> {
    /// The samples as an n × d array (no copy). Feature `ndarray`.
    #[must_use]
    pub fn as_array(&self) -> ArrayView2<'_, T> {
        let rows = ArrayView2::from_shape((self.len(), self.dim()), self.as_slice());
        // The number of values matches the shape.
        rows.unwrap_or_else(|_| aview2::<T, 1>(&[]))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use ndarray::{Axis, ShapeBuilder, Slice, array};

    #[test]
    fn rows_are_shared_and_columns_copied() {
        let rows = array![[0.0, 1.0], [2.0, 3.0]].into_shared();
        let x = Samples::try_from(rows.clone()).unwrap();
        assert_eq!(x.as_slice().as_ptr(), rows.as_ptr());
        let owned = array![[0.0_f32, 1.0], [2.0, 3.0]];
        let place = owned.as_ptr();
        assert_eq!(Samples::try_from(owned).unwrap().as_slice().as_ptr(), place);
        let columns = Array2::from_shape_vec((2, 2).f(), vec![0.0, 2.0, 1.0, 3.0]).unwrap();
        assert_eq!(Samples::try_from(columns).unwrap(), x);
        assert_eq!(
            Samples::try_from(rows.slice_axis(Axis(1), Slice::from(1..))).unwrap().item(1),
            [3.0]
        );
        assert_eq!(x.as_array(), rows);
        assert!(Samples::<f64>::try_from(Array2::zeros((3, 0))).is_err());
        assert!(Samples::try_from(array![[f64::NAN]]).is_err());
    }
}
