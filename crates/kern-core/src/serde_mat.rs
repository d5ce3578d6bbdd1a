//! Serialisation of faer matrices, for `#[serde(with = "kern_core::serde_mat")]`.
//!
//! A matrix is stored as its shape and its entries in column-major order.

use crate::Scalar;
use faer::Mat;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(bound = "T: Scalar")]
struct Packed<T> {
    nrows: usize,
    ncols: usize,
    values: Vec<T>,
}

/// An empty matrix with a longer side than this is considered corrupt.
const LARGEST_EMPTY: usize = 1 << 20;

/// Writes a matrix.
///
/// # Errors
/// Those of the serialiser.
pub fn serialize<T: Scalar, S: Serializer>(mat: &Mat<T>, serializer: S) -> Result<S::Ok, S::Error> {
    let (nrows, ncols) = mat.shape();
    let values = (0..ncols).flat_map(|j| (0..nrows).map(move |i| mat[(i, j)])).collect();
    Packed { nrows, ncols, values }.serialize(serializer)
}

/// Reads a matrix.
///
/// # Errors
/// The errors of the deserialiser, and an error if the shape does not match the number of entries,
/// or is empty with a side greater than 2²⁰.
pub fn deserialize<'de, T: Scalar, D: Deserializer<'de>>(input: D) -> Result<Mat<T>, D::Error> {
    let Packed { nrows, ncols, values } = Packed::<T>::deserialize(input)?;
    let empty = nrows.min(ncols) == 0 && nrows.max(ncols) > LARGEST_EMPTY;
    if empty || nrows.checked_mul(ncols) != Some(values.len()) {
        let given = values.len();
        return Err(D::Error::custom(format!(
            "a {nrows} x {ncols} matrix cannot have {given} values"
        )));
    }
    Ok(Mat::from_fn(nrows, ncols, |i, j| values[j * nrows + i]))
}
