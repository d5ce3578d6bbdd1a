//! Comparison of predictions.

use faer::Mat;
use kern_core::Scalar;

/// The predictions of a model for some points, which a [`Contract`](super::Contract) compares.
pub trait Answers: Send {
    /// The number of points.
    fn count(&self) -> usize;

    /// The difference between prediction `i` and prediction `j` of others: for numbers relative to
    /// the larger of 1 and their size, 0 for equal bits; for other types 0 or ∞.
    fn difference(&self, i: usize, other: &Self, j: usize) -> f64;
}

/// A single prediction.
pub trait Entry: Send {
    /// The difference from another one, see [`Answers::difference`].
    fn distance(&self, other: &Self) -> f64;
}

/// 0 or ∞.
fn equal(is: bool) -> f64 {
    if is { 0.0 } else { f64::INFINITY }
}

macro_rules! equal {
    ($($label:ty),*) => {$(
        impl Entry for $label {
            fn distance(&self, other: &Self) -> f64 {
                equal(self == other)
            }
        }
    )*};
}

equal!(
    bool,
    char,
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    String,
    &str,
    Vec<bool>
);

/// The difference of two numbers; infinite between a number and NaN.
fn between(a: f64, b: f64) -> f64 {
    let difference = (a - b).abs() / b.abs().max(1.0);
    if a.to_bits() == b.to_bits() {
        0.0
    } else if difference.is_nan() {
        f64::INFINITY
    } else {
        difference
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Entry for $number {
            fn distance(&self, other: &Self) -> f64 {
                between(self.to_f64(), other.to_f64())
            }
        }

        impl Entry for Vec<$number> {
            fn distance(&self, other: &Self) -> f64 {
                let pairs = self.iter().zip(other).map(|(a, b)| a.distance(b));
                pairs.fold(equal(self.len() == other.len()), f64::max)
            }
        }
    )*};
}

numbers!(f32, f64);

impl<E: Entry> Entry for Option<E> {
    fn distance(&self, other: &Self) -> f64 {
        match (self, other) {
            (Some(a), Some(b)) => a.distance(b),
            (a, b) => equal(a.is_none() && b.is_none()),
        }
    }
}

impl<E: Entry> Answers for Vec<E> {
    fn count(&self) -> usize {
        self.len()
    }

    fn difference(&self, i: usize, other: &Self, j: usize) -> f64 {
        self[i].distance(&other[j])
    }
}

impl<T: Scalar> Answers for Mat<T> {
    fn count(&self) -> usize {
        self.nrows()
    }

    fn difference(&self, i: usize, other: &Self, j: usize) -> f64 {
        let pairs =
            (0..self.ncols()).map(|k| between(self[(i, k)].to_f64(), other[(j, k)].to_f64()));
        pairs.fold(equal(self.ncols() == other.ncols()), f64::max)
    }
}
