//! Dense samples: vectors of Rᵈ, packed one after the other.
//!
//! Each of their squared norms is computed when it is asked for first. Functions that are generic in
//! the points have an instance for the most common ones, dense samples in double precision.

use super::Points;
use super::collection::{check_dim, check_indices};
use crate::memory::{Pages, Shared, matrix_bytes};
use crate::{Error, Once, Scalar};
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

/// Samples whose norms are computed together: as many as a tile has.
const PIECE: usize = 256;

/// n dense vectors of Rᵈ, each contiguous in memory.
///
/// # Shapes and units
/// A user's data is an n × d matrix, one sample per row; inside, the samples lie one after the
/// other. d ≥ 1; n may be 0. Every number is finite: construction checks it.
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
    norms: SquaredNorms<T>,
}

/// The form in a file: the numbers alone. All else is derived and checked on reading.
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
    /// Takes over numbers that already lie row after row.
    ///
    /// # Shapes and units
    /// `values` has n·`dim` numbers; sample i is `values[i * dim..(i + 1) * dim]`.
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

    /// As [`from_row_major`](Samples::from_row_major), for large memory that was filled in parallel.
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
        Ok(Self { dim, values, norms: SquaredNorms::default() })
    }

    /// Numbers that lie row after row in an array of another library: they stay there, and are not copied. Whoever clones
    /// the samples, or keeps some of them, has a copy.
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

    /// Copies rows: arrays, slices or vectors, all of one length.
    ///
    /// # Errors
    /// [`Error::Dimension`] for no row at all, an empty row, or rows of different lengths;
    /// [`Error::NotFinite`].
    pub fn from_rows<R: AsRef<[T]>>(rows: &[R]) -> Result<Self, Error> {
        let dim = rows.first().map_or(0, |row| row.as_ref().len());
        let mut values = Vec::with_capacity(dim * rows.len());
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

    /// All numbers, sample after sample.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// The d × m matrix whose columns are the samples of `range` (no copy).
    ///
    /// # Panics
    /// If the range is out of bounds, as slicing does.
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
        check_indices(indices, self.len())?;
        let mut values = Vec::with_capacity(indices.len() * self.dim);
        indices.iter().for_each(|&i| values.extend_from_slice(self.item(i)));
        Ok(Self { dim: self.dim, values: values.into(), norms: SquaredNorms::default() })
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

    fn once<'a, 'b: 'a, F: OnceOfPoints>(
        arguments: F::Args<'a, 'b, Self>,
    ) -> F::Output<'a, 'b, Self> {
        T::once::<OfSamples<F>>(arguments)
    }
}

/// ‖x_i‖² of samples, as far as they are known. They follow from the samples, so all are equal.
#[derive(Clone, Debug, Default)]
struct SquaredNorms<T>(OnceLock<Vec<OnceLock<Vec<T>>>>);

impl<T> PartialEq for SquaredNorms<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T: Scalar> Samples<T> {
    /// `out[i]` = ‖x‖² of sample number `range.start + i`, a [`Scalar::dot`].
    ///
    /// # Panics
    /// If the lengths differ, or a sample is not there.
    pub(crate) fn squared_norms_into(&self, range: Range<usize>, out: &mut [T]) {
        let none = || (0..self.len().div_ceil(PIECE)).map(|_| OnceLock::new()).collect();
        let pieces = self.norms.0.get_or_init(none);
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

/// A function that is generic in the points alone, by its instance for `Samples<f64>`, which is compiled in the crate of the
/// function, and one for any other points, which is compiled where the function is called.
///
/// What [`compiled_once`](crate::compiled_once) writes for functions of points.
pub trait OnceOfPoints {
    /// The arguments, as a tuple.
    type Args<'a, 'b: 'a, P: Points + 'a>;
    /// The result.
    type Output<'a, 'b: 'a, P: Points + 'a>;

    /// The instance for samples in double precision.
    fn double<'a, 'b: 'a>(
        arguments: Self::Args<'a, 'b, Samples<f64>>,
    ) -> Self::Output<'a, 'b, Samples<f64>>;
    /// The instance for any points.
    fn other<'a, 'b: 'a, P: Points + 'a>(
        arguments: Self::Args<'a, 'b, P>,
    ) -> Self::Output<'a, 'b, P>;
}

/// A function of points as one of the scalar type of samples.
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
