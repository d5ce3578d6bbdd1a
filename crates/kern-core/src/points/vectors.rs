//! The common interface of dense and sparse samples, and sums over the coordinates of two samples
//! in double precision.

use super::{Entry, Points, Samples, SparseSamples};
use crate::Scalar;

mod sealed {
    use super::{Samples, Scalar, SparseSamples};

    pub trait Sealed {}
    impl<T: Scalar> Sealed for Samples<T> {}
    impl<T: Scalar> Sealed for SparseSamples<T> {}
}

/// Collections of vectors of Rᵈ: [`Samples`] and [`SparseSamples`]. Sealed.
///
/// # Examples
/// ```
/// use kern_core::{Samples, SparseSamples, Vectors};
/// let dense = Samples::from_rows(&[[0.0, 2.0]])?;
/// let sparse = SparseSamples::from_rows(2, &[vec![(1, 2.0)]])?;
/// assert_eq!(dense.coordinates(0).collect::<Vec<_>>(), [(0, 0.0), (1, 2.0)]);
/// assert_eq!(sparse.coordinates(0).collect::<Vec<_>>(), [(1, 2.0)]);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub trait Vectors: Points + sealed::Sealed {
    /// The dimension d.
    fn dim(&self) -> usize;

    /// The stored coordinates of sample i in ascending order, each with its index and in double
    /// precision. All other coordinates are 0.
    ///
    /// # Panics
    /// If `i >= self.len()`, as for a slice.
    fn coordinates(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + Clone;

    /// ‖x_i − x_j‖², from differences, in double precision.
    ///
    /// # Panics
    /// If an index is out of bounds, as for a slice.
    fn squared_distance(&self, i: usize, j: usize) -> f64;
}

impl<T: Scalar> Vectors for Samples<T> {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn coordinates(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        self.item(i).iter().map(|v| v.to_f64()).enumerate()
    }

    fn squared_distance(&self, i: usize, j: usize) -> f64 {
        squared_distance(self.item(i), self.item(j))
    }
}

impl<T: Scalar> Vectors for SparseSamples<T> {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn coordinates(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        self.item(i).iter().map(|entry| (entry.feature as usize, entry.value.to_f64()))
    }

    fn squared_distance(&self, i: usize, j: usize) -> f64 {
        united(self.item(i), self.item(j), |_, x, y| (x - y) * (x - y))
    }
}

/// ‖x − y‖², accumulated in double precision.
pub(crate) fn squared_distance<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    let differences = x.iter().zip(y).map(|(x, y)| x.to_f64() - y.to_f64());
    differences.map(|d| d * d).sum()
}

/// Σₖ term(k, x_k, y_k) over the features of either sample, in double precision.
pub(crate) fn united<T: Scalar>(
    x: &[Entry<T>],
    y: &[Entry<T>],
    term: impl Fn(u32, f64, f64) -> f64,
) -> f64 {
    let (mut x, mut y) = (x, y);
    let mut sum = 0.0;
    loop {
        let next = [x, y].into_iter().filter_map(|side| side.first().map(|e| e.feature)).min();
        let Some(feature) = next else { return sum };
        let take = |side: &mut &[Entry<T>]| match side.split_first() {
            Some((entry, rest)) if entry.feature == feature => {
                *side = rest;
                entry.value.to_f64()
            }
            _ => 0.0,
        };
        sum += term(feature, take(&mut x), take(&mut y));
    }
}
