//! Dual numbers for forward-mode differentiation of recursions.

use std::ops::{Add, Mul};

/// Scalars that recursions add and multiply.
pub(crate) trait Number: Copy + From<f64> + Add<Output = Self> + Mul<Output = Self> {}
impl Number for f64 {}
impl Number for Dual {}

/// A value and its derivative with respect to the logarithm of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual {
    pub(crate) value: f64,
    pub(crate) slope: f64,
}

impl Dual {
    /// The parameter itself.
    pub(crate) const fn parameter(value: f64) -> Self {
        Self { value, slope: value }
    }
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Self { value, slope: 0.0 }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let slope = self.slope * other.value + self.value * other.slope;
        Self { value: self.value * other.value, slope }
    }
}
