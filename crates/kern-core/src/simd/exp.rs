//! exp: exp(t) = 2^k · exp(r), k = round(t / ln 2), |r| ≤ ln 2 / 2.
//!
//! r is reduced with ln 2 in two parts (Cody & Waite 1980), and exp(r) is a polynomial.

use super::dispatched;
use super::elementary::{Formula, fma, map, polynomial};
use crate::Scalar;

/// exp(t).
#[inline(always)]
pub(crate) fn exp<T: Scalar>(t: T) -> T {
    let [value] = Exp { c: T::ONE }.values([t]);
    value
}

/// exp(c·v).
#[derive(Clone, Copy)]
struct Exp<T> {
    c: T,
}

impl<T: Scalar> Formula<T> for Exp<T> {
    #[inline(always)]
    fn values<const N: usize>(self, v: [T; N]) -> [T; N] {
        let [lowest, infinite_at] = T::EXP_RANGE;
        let t = v.map(|v| self.c * v);
        // Comparisons with NaN are false, so NaN propagates.
        let values = within_range(t.map(|t| if t > infinite_at { infinite_at } else { t }));
        std::array::from_fn(|i| if t[i] < lowest { T::ZERO } else { values[i] })
    }
}

/// exp(t) for t with a normal result.
#[inline(always)]
pub(super) fn within_range<T: Scalar, const N: usize>(t: [T; N]) -> [T; N] {
    let shifted = fma(t, [T::LOG2_E; N], [T::SHIFT; N]);
    let k = shifted.map(|shifted| shifted - T::SHIFT);
    let [high, low] = T::LN_2.map(|part| [-part; N]);
    let r = fma(k, low, fma(k, high, t));
    let two = [T::ONE + T::ONE; N];
    // Twice exp(r) and half of 2^k, because the largest 2^k is not representable.
    let twice = fma(fma(polynomial(T::EXP, r), r, two), r, two);
    std::array::from_fn(|i| twice[i] * T::half_power(shifted[i]))
}

dispatched! {
    /// exp(t) of one value, with the bits of the vectorised function.
    pub(crate) fn single<'a, T>(t: T) -> T {
        exp(t)
    }
}

dispatched! {
    /// v ← exp(c·v).
    pub(crate) fn scaled<'a, T>(v: &'a mut [T], c: T) -> () {
        map(v, Exp { c });
    }
}
