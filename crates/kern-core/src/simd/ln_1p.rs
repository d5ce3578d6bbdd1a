//! ln(1 + x) = k·ln 2 + ln(1 + f), where 1 + f = (1 + x)/2^k is in [√½, √2).
//!
//! With s = f/(2 + f), ln(1 + f) is ln((1 + s)/(1 − s)) = 2s + s·R, where R is a polynomial in s².
//! The form 2s = f − s·f keeps the digits of f, and f is exact for k = 0 (Tang 1990).

use super::dispatched;
use super::elementary::polynomial;
use crate::Scalar;

/// ln(1 + x).
#[inline(always)]
pub(crate) fn ln_1p<T: Scalar>(x: T) -> T {
    let [quarter, two] = [0.25, 2.0].map(T::from_f64);
    let (k, scale) = T::split(T::ONE + x);
    // x/2^k + (2^-k − 1), rounded once. For the largest k, 2^-k is not representable, but 2^(2 − k)
    // is.
    let f = (quarter * x).fma(scale, quarter.fma(scale, -T::ONE));
    let s = f / (two + f);
    let square = s * s;
    let rest = square * polynomial(T::LN, [square])[0];
    let [high, low] = T::LN_2;
    let value = k.fma(high, f - s.fma(f - rest, -(k * low)));
    // A quarter of a tiny number may have lost digits, and ∞/∞ is NaN.
    let is_tiny = x.magnitude() < T::from_f64(T::UNIT_ROUNDOFF);
    let value = if is_tiny || !x.is_finite_number() { x } else { value };
    let outside = if x < -T::ONE { f64::NAN } else { f64::NEG_INFINITY };
    if x <= -T::ONE { T::from_f64(outside) } else { value }
}

dispatched! {
    /// v ← ln(1 + c·v).
    pub(crate) fn scaled<'a, T>(v: &'a mut [T], c: T) -> () {
        for v in v {
            *v = ln_1p(c * *v);
        }
    }
}
