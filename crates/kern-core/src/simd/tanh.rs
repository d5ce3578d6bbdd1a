//! tanh: x + x³·p(x²)/q(x²) for small x, else 1 − 2/(exp(2x) + 1), with one division for both.

use super::dispatched;
use super::elementary::polynomial;
use super::exp::within_range;
use crate::Scalar;

/// tanh(x).
#[inline(always)]
pub(crate) fn tanh<T: Scalar>(x: T) -> T {
    let [small, one_at] = T::TANH_RANGE;
    let a = x.magnitude();
    let square = a * a;
    // Comparisons with NaN are false, so NaN propagates.
    let capped = if a > one_at { one_at } else { a };
    let power = within_range([capped + capped])[0];
    let [p, q] = T::TANH;
    let (numerator, denominator) = if a < small {
        (polynomial(p, [square])[0], polynomial(q, [square])[0])
    } else {
        (-(T::ONE + T::ONE), power + T::ONE)
    };
    let quotient = numerator / denominator;
    let value = if a < small { (a * square).fma(quotient, a) } else { T::ONE + quotient };
    value.with_sign(x)
}

dispatched! {
    /// v ← tanh(c·v + b).
    pub(crate) fn affine<'a, T>(v: &'a mut [T], c: T, b: T) -> () {
        for v in v {
            *v = tanh(c.fma(*v, b));
        }
    }
}
