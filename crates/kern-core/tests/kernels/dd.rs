//! Double-double arithmetic for references: an unevaluated sum hi + lo of two `f64`, good for
//! about 104 bits (Dekker 1971). Only trait methods, so that no test file has unused functions.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo, |lo| ≤ ulp(hi)/2.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dd {
    pub(crate) hi: f64,
    pub(crate) lo: f64,
}

impl From<f64> for Dd {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Add for Dd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = self.hi + other.hi;
        let part = sum - self.hi;
        let rest = (self.hi - (sum - part)) + (other.hi - part);
        let rest = rest + (self.lo + other.lo);
        let hi = sum + rest;
        Self { hi, lo: rest - (hi - sum) }
    }
}

impl Neg for Dd {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Dd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = self.hi * other.hi;
        let rest = self.hi.mul_add(other.hi, -product);
        let rest = rest + self.hi.mul_add(other.lo, self.lo * other.hi);
        let hi = product + rest;
        Self { hi, lo: rest - (hi - product) }
    }
}

impl Div for Dd {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = Self::from(self.hi / other.hi);
        let rest = self - quotient * other;
        quotient + Self::from(rest.hi / other.hi)
    }
}
