//! exp: exp(t) = 2^k · exp(r), k = round(t / ln 2), |r| ≤ ln 2 / 2.
//!
//! r is reduced with ln 2 in two parts (Cody & Waite 1980), and exp(r) is a polynomial.

use super::dispatched;
use super::elementary::polynomial;
use crate::Scalar;

/// exp(t).
#[inline(always)]
pub(crate) fn exp<T: Scalar>(t: T) -> T {
    let [lowest, infinite_at] = T::EXP_RANGE;
    // Comparisons with NaN are false, so NaN goes through.
    let value = within_range(if t > infinite_at { infinite_at } else { t });
    if t < lowest { T::ZERO } else { value }
}

/// exp(t) for t in the range of normal results.
#[inline(always)]
pub(super) fn within_range<T: Scalar>(t: T) -> T {
    let shifted = t.fma(T::LOG2_E, T::SHIFT);
    let k = shifted - T::SHIFT;
    let [high, low] = T::LN_2;
    let r = k.fma(-low, k.fma(-high, t));
    let two = T::ONE + T::ONE;
    // Twice exp(r) and half of 2^k, because the greatest 2^k is not a number.
    polynomial(T::EXP, r).fma(r, two).fma(r, two) * T::half_power(shifted)
}

dispatched! {
    /// exp(t) of one number, with the bits of all others.
    pub(crate) fn single<'a, T>(t: T) -> T {
        exp(t)
    }
}

dispatched! {
    /// v ← exp(c·v).
    pub(crate) fn scaled<'a, T>(v: &'a mut [T], c: T) -> () {
        for v in v {
            *v = exp(c * *v);
        }
    }
}
