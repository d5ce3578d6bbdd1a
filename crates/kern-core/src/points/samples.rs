//! Dense samples: vectors of Rᵈ, stored contiguously.
//!
//! Squared norms are computed on first use. Functions that are generic in the points have a
//! separate instance for the most common type, dense samples in double precision.

use super::Points;
use super::collection::check_dim;
use crate::memory::{Pages, Shared, matrix_bytes};
use crate::products::{Layout, PackedPoints};
use crate::{Error, Once, Scalar};
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

/// The number of samples whose norms are computed together: that of a tile.
const PIECE: usize = 256;

/// The number of rows up to which packing the columns takes a large part of a product's time.
const FEW: usize = 8;

/// n dense vectors of Rᵈ, each contiguous in memory.
///
/// # Shapes and units
/// The user's data is an n × d matrix with one sample per row; the samples are stored one after the
/// other. d ≥ 1; n may be 0. All values are finite, which the constructor checks.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples};
/// let x = Samples::from_rows(&[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])?;
/// assert_eq!((x.len(), x.dim()), (3, 2));
/// assert_eq!(x.item(1), [2.0, 3.0]);
/// assert!(Samples::from_rows(&[[f64::NAN]]).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "data matrix")]
#[doc(alias = "design matrix")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed<T>", into = "Packed<T>", bound = "T: Scalar")]
pub struct Samples<T: Scalar> {
    dim: usize,
    values: Pages<T>,
    derived: Derived<T>,
}

/// The file format: the values only. Everything else is derived and checked when reading.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "T: Scalar")]
struct Packed<T> {
    dim: usize,
    values: Vec<T>,
}

impl<T: Scalar> TryFrom<Packed<T>> for Samples<T> {
    type Error = Error;
    fn try_from(packed: Packed<T>) -> Result<Self, Error> {
        Self::from_row_major(packed.dim, packed.values)
    }
}

impl<T: Scalar> From<Samples<T>> for Packed<T> {
    fn from(samples: Samples<T>) -> Self {
        Packed { dim: samples.dim, values: samples.values.into_vec() }
    }
}

impl<T: Scalar> Samples<T> {
    /// Takes ownership of values in row-major order.
    ///
    /// # Shapes and units
    /// `values` has length n·`dim`; sample i is `values[i * dim..(i + 1) * dim]`.
    ///
    /// # Errors
    /// [`Error::Dimension`] if `dim` is 0 or does not divide the length, [`Error::NotFinite`].
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Points, Samples};
    /// let x = Samples::from_row_major(2, vec![0.0_f32, 1.0, 2.0, 3.0])?;
    /// assert_eq!(x.item(1), [2.0, 3.0]);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn from_row_major(dim: usize, values: Vec<T>) -> Result<Self, Error> {
        Self::from_pages(dim, values.into())
    }

    /// As [`from_row_major`](Samples::from_row_major), for large memory that was filled in
    /// parallel.
    ///
    /// # Errors
    /// The same.
    pub fn from_pages(dim: usize, values: Pages<T>) -> Result<Self, Error> {
        if dim == 0 {
            return Err(Error::Dimension { what: "features per sample", expected: 1, given: 0 });
        }
        let rest = values.len() % dim;
        if rest != 0 {
            return Err(Error::Dimension {
                what: "features of the last sample",
                expected: dim,
                given: rest,
            });
        }
        if !T::all_finite(&values)
            && let Some(at) = values.iter().position(|v| !v.is_finite_number())
        {
            let given = values[at].to_f64();
            return Err(Error::NotFinite { sample: at / dim, feature: at % dim, given });
        }
        Ok(Self::of_values(dim, values))
    }

    /// Samples of values that are known to be valid, or whose results are checked.
    pub(crate) fn of_values(dim: usize, values: Pages<T>) -> Self {
        Self { dim, values, derived: Derived::default() }
    }

    /// Uses values in row-major order in an array of another library, without a copy. Cloning or
    /// selecting samples copies them.
    ///
    /// # Errors
    /// As [`from_row_major`](Samples::from_row_major).
    ///
    /// # Examples
    /// ```
    /// use kern_core::Samples;
    /// use std::sync::Arc;
    /// let array = Arc::new(vec![0.0, 1.0, 2.0, 3.0]);
    /// let x = Samples::from_shared(2, array.clone())?;
    /// assert_eq!(x.as_slice().as_ptr(), array.as_ptr());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn from_shared(dim: usize, array: Shared<T>) -> Result<Self, Error> {
        Self::from_pages(dim, Pages::shared(array))
    }

    /// Copies rows: arrays, slices or vectors of equal length, in a collection or from an iterator.
    ///
    /// # Errors
    /// [`Error::Dimension`] if there is no row, a row is empty, or rows have different lengths;
    /// [`Error::NotFinite`].
    ///
    /// # Examples
    /// An array of arrays, a vector of vectors, and an iterator:
    /// ```
    /// use kern_core::Samples;
    /// let arrays = Samples::from_rows(&[[0.0, 1.0], [2.0, 3.0]])?;
    /// let vectors: Vec<Vec<f64>> = vec![vec![0.0, 1.0], vec![2.0, 3.0]];
    /// assert_eq!(Samples::from_rows(&vectors)?, arrays);
    /// let rows = (0..2).map(|i| 2.0 * f64::from(i)).map(|value| [value, value + 1.0]);
    /// assert_eq!(Samples::from_rows(rows)?, arrays);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn from_rows<R: AsRef<[T]>>(rows: impl IntoIterator<Item = R>) -> Result<Self, Error> {
        let mut rows = rows.into_iter().peekable();
        let dim = rows.peek().map_or(0, |row| row.as_ref().len());
        let mut values = Vec::new();
        // An iterator may announce more rows than it has, or than fit into memory.
        let _ = values.try_reserve_exact(rows.size_hint().0.saturating_mul(dim));
        for row in rows {
            let row = row.as_ref();
            check_dim(dim, row.len())?;
            values.extend_from_slice(row);
        }
        Self::from_row_major(dim, values)
    }

    /// Copies an n × d matrix, one sample per row.
    ///
    /// # Errors
    /// [`Error::Dimension`] if d is 0, [`Error::NotFinite`].
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Points, Samples, faer::Mat};
    /// let x = Samples::from_matrix(Mat::from_fn(3, 2, |i, j| (i * 10 + j) as f64).as_ref())?;
    /// assert_eq!(x.item(2), [20.0, 21.0]);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn from_matrix(x: MatRef<'_, T>) -> Result<Self, Error> {
        let values = (0..x.nrows()).flat_map(|i| (0..x.ncols()).map(move |j| x[(i, j)])).collect();
        Self::from_row_major(x.ncols(), values)
    }

    /// The dimension d.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// All values, sample after sample.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// The d × m matrix whose columns are the samples of `range`, without a copy.
    ///
    /// # Panics
    /// If the range is out of bounds, as for a slice.
    #[must_use]
    pub fn columns(&self, range: Range<usize>) -> MatRef<'_, T> {
        let values = &self.values[range.start * self.dim..range.end * self.dim];
        MatRef::from_column_major_slice(values, self.dim, range.len())
    }

    /// A copy as an n × d matrix, one sample per row.
    #[must_use]
    pub fn to_matrix(&self) -> Mat<T> {
        self.columns(0..self.len()).transpose().to_owned()
    }
}

impl<T: Scalar> Points for Samples<T> {
    type Item = [T];
    type Scalar = T;

    fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    fn item(&self, i: usize) -> &[T] {
        &self.values[i * self.dim..(i + 1) * self.dim]
    }

    fn select(&self, indices: &[usize]) -> Result<Self, Error> {
        Error::check_indices(indices, self.len())?;
        let mut values = Vec::with_capacity(indices.len() * self.dim);
        indices.iter().for_each(|&i| values.extend_from_slice(self.item(i)));
        Ok(Self::of_values(self.dim, values.into()))
    }

    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        check_dim(self.dim, other.dim)
    }

    fn bytes(&self) -> u64 {
        matrix_bytes::<T>(self.len(), self.dim)
    }

    fn dense_dim(&self) -> Option<usize> {
        Some(self.dim)
    }

    fn prepare_columns(&self, rows: usize) {
        if rows <= FEW {
            let pack = || PackedPoints::new(self.columns(0..self.len())).map(Box::new);
            self.derived.packed.get_or_init(pack);
        }
    }

    fn once<'a, 'b: 'a, F: OnceOfPoints>(
        arguments: F::Args<'a, 'b, Self>,
    ) -> F::Output<'a, 'b, Self> {
        T::once::<OfSamples<F>>(arguments)
    }
}

/// What has been computed from the samples. It follows from them, so all compare equal, and a clone
/// starts with none.
#[derive(Debug)]
struct Derived<T> {
    /// ‖x_i‖², piece by piece.
    norms: OnceLock<Vec<OnceLock<Vec<T>>>>,
    /// The samples in the layout of the register kernel, if the memory was there.
    packed: OnceLock<Option<Box<PackedPoints<T>>>>,
    /// The largest |coordinate|.
    magnitude: OnceLock<T>,
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self { norms: OnceLock::new(), packed: OnceLock::new(), magnitude: OnceLock::new() }
    }
}

impl<T> Clone for Derived<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> PartialEq for Derived<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T: Scalar> Samples<T> {
    /// Where a product finds the samples of `range`, its rows.
    pub(crate) fn layout(&self, range: Range<usize>) -> Layout<'_, T> {
        let packed = self.derived.packed.get().and_then(Option::as_deref);
        packed.and_then(|packed| packed.panels(range)).map_or(Layout::Unpacked, Layout::Panels)
    }

    /// The largest |coordinate|.
    pub(crate) fn magnitude(&self) -> T {
        let largest = || self.values.iter().fold(T::ZERO, |most, v| v.magnitude().at_least(most));
        *self.derived.magnitude.get_or_init(largest)
    }

    /// `out[i]` = ‖x‖² of sample `range.start + i`, a [`Scalar::dot`].
    ///
    /// # Panics
    /// If the lengths differ, or the range is out of bounds.
    pub(crate) fn squared_norms_into(&self, range: Range<usize>, out: &mut [T]) {
        let none = || (0..self.len().div_ceil(PIECE)).map(|_| OnceLock::new()).collect();
        let pieces = self.derived.norms.get_or_init(none);
        let square = |i: usize| T::dot(self.item(i), self.item(i));
        for start in (range.start - range.start % PIECE..range.end).step_by(PIECE) {
            let all = start..self.len().min(start + PIECE);
            let piece = pieces[start / PIECE].get_or_init(|| all.clone().map(square).collect());
            let asked = all.start.max(range.start)..all.end.min(range.end);
            let place = asked.start - range.start..asked.end - range.start;
            out[place].copy_from_slice(&piece[asked.start - start..asked.end - start]);
        }
    }
}

/// A function that is generic in the points only, split into its instance for `Samples<f64>`,
/// compiled in the crate of the function, and one for all other points, compiled where the function
/// is called.
///
/// Implemented by code that [`compiled_once`](crate::compiled_once) generates for functions of
/// points.
pub trait OnceOfPoints {
    /// The arguments, as a tuple.
    type Args<'a, 'b: 'a, P: Points + 'a>;
    /// The result.
    type Output<'a, 'b: 'a, P: Points + 'a>;

    /// The instance for samples in double precision.
    fn double<'a, 'b: 'a>(
        arguments: Self::Args<'a, 'b, Samples<f64>>,
    ) -> Self::Output<'a, 'b, Samples<f64>>;
    /// The instance for all other points.
    fn other<'a, 'b: 'a, P: Points + 'a>(
        arguments: Self::Args<'a, 'b, P>,
    ) -> Self::Output<'a, 'b, P>;
}

/// Adapts a function of points to the scalar type of samples.
struct OfSamples<F>(PhantomData<F>);

impl<F: OnceOfPoints> Once for OfSamples<F> {
    type Args<'a, 'b: 'a, T: Scalar> = F::Args<'a, 'b, Samples<T>>;
    type Output<'a, 'b: 'a, T: Scalar> = F::Output<'a, 'b, Samples<T>>;

    fn single<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f32>) -> Self::Output<'a, 'b, f32> {
        F::other(arguments)
    }
    fn double<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f64>) -> Self::Output<'a, 'b, f64> {
        F::double(arguments)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn norms_of_any_range_are_inner_products() {
        let samples = Samples::from_row_major(3, (0..1800).map(f64::from).collect()).unwrap();
        for range in [0..600, 255..257, 300..300, 256..512, 10..20, 511..600] {
            let mut norms = vec![f64::NAN; range.len()];
            samples.squared_norms_into(range.clone(), &mut norms);
            let expected = range.map(|i| f64::dot(samples.item(i), samples.item(i)));
            assert!(norms.into_iter().eq(expected));
        }
        assert_eq!(samples, samples.clone());
    }
}
