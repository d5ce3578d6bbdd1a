//! The constants of arithmetic and memory.

use super::Access;
use serde::{Deserialize, Serialize};

/// Seconds that grow with a number: constant + rate·x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// Seconds at x = 0.
    pub constant: f64,
    /// Seconds per unit of x.
    pub rate: f64,
}

impl Affine {
    /// The value at x.
    #[must_use]
    #[inline]
    pub fn at(&self, x: f64) -> f64 {
        self.constant + self.rate * x
    }

    /// The line through two points with x₁ < x₂, without negative seconds anywhere.
    pub(super) fn through((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Self {
        let rate = ((y2 - y1) / (x2 - x1)).max(0.0);
        let constant = (y1 - rate * x1).max(0.0);
        Self { constant, rate }
    }
}

/// Constants that depend on the type of the numbers, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// One kernel value by the dimension d, on all threads together (RBF kernel, dense samples).
    pub kernel_value: Affine,
    /// One feature of one point by d, on all threads together (random Fourier map).
    pub feature: Affine,
    /// One entry of a Gram matrix, beyond its computation: fresh memory, and its mirror image.
    pub entry: f64,
    /// One number of a matrix of features, beyond its computation: fresh memory.
    pub fresh: f64,
    /// A dot product with a column and its addition to the iterate: a step in w-space.
    pub update: Access,
    /// A dot product with a column.
    pub dot: Access,
    /// The product of some columns of a Gram matrix with numbers, by how many numbers the columns have
    /// together, on all threads.
    pub columns: Access,
    /// Looking up an entry of a Gram matrix at a random place.
    pub pair: Access,
    /// One floating-point operation of a large factorisation or matrix product, on all threads; that of `f64` is in
    /// single precision, as the factor of ridge regression is.
    pub flop: f64,
}

/// The type of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// `f32`, 4 bytes.
    Single,
    /// `f64`, 8 bytes.
    #[default]
    Double,
}

impl Precision {
    /// Bytes per number.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// The precision of the type `T`.
    #[must_use]
    pub const fn of<T>() -> Self {
        if size_of::<T>() == 4 { Self::Single } else { Self::Double }
    }
}
