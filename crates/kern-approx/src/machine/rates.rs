//! The constants of arithmetic and memory: the time of a pass over a column of a matrix, by the size of the matrix, is one.

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

/// Sizes in bytes of the matrices whose columns are timed: from the first-level cache to main memory.
pub const WORKING_SETS: [u64; 5] = [1 << 15, 1 << 19, 1 << 22, 1 << 24, 1 << 27];

/// Seconds of an operation on a column, at a random position of a matrix of each size of
/// [`WORKING_SETS`], as a constant plus a rate per number.
///
/// # Examples
/// ```
/// use kern_approx::machine::{Access, Affine};
/// let at = |seconds| Affine { constant: 0.0, rate: seconds };
/// let access = Access([at(1.0), at(1.0), at(1.0), at(2.0), at(5.0)]);
/// assert_eq!(access.seconds(1 << 10, 10.0), 10.0);
/// let half_way = access.seconds(1 << 23, 10.0); // between 2²² and 2²⁴ bytes
/// assert!((half_way - 15.0).abs() < 1e-12);
/// assert_eq!(access.seconds(1 << 40, 10.0), 50.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access(pub [Affine; WORKING_SETS.len()]);

impl Access {
    /// Seconds per number of a matrix in main memory.
    #[must_use]
    pub fn in_memory(&self) -> f64 {
        self.0[WORKING_SETS.len() - 1].rate
    }

    /// Seconds for a column of so many numbers of a matrix of `bytes`: linear in log(bytes) between the
    /// sizes that were timed, constant beyond them.
    #[must_use]
    pub fn seconds(&self, bytes: u64, numbers: f64) -> f64 {
        let at = |k: usize| self.0[k].at(numbers);
        let above = WORKING_SETS.partition_point(|&size| size <= bytes);
        if above == 0 {
            return at(0);
        }
        if above == WORKING_SETS.len() {
            return at(above - 1);
        }
        let log = |bytes: u64| (bytes as f64).ln();
        let (low, high) = (log(WORKING_SETS[above - 1]), log(WORKING_SETS[above]));
        let share = (log(bytes) - low) / (high - low);
        at(above - 1) + share * (at(above) - at(above - 1))
    }
}
