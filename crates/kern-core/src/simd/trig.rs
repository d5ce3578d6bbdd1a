//! Cosine and sine of phases that are counted in turns, t = phase / 2π.
//!
//! In double precision, the way f to the nearest half turn is exact for a phase of any size. It is
//! at most a quarter, is then rounded to the type of the results, and sin(2πf) is a polynomial.

use super::dispatched;
use super::elementary::polynomial;
use crate::Scalar;

/// sin(2πf) for |f| ≤ ¼.
#[inline(always)]
fn sine<T: Scalar>(f: T) -> T {
    // Of 6f, which is rounded only in the sum, the rest is at most a third.
    f.fma(T::from_f64(6.0), f * polynomial(T::SIN, f * f))
}

/// The f with cos 2πt = sin 2πf.
#[inline(always)]
fn fold_cosine<T: Scalar>(t: f64) -> T {
    T::from_f64(0.25 - (t - t.round_ties_even()).abs())
}

/// The f with sin 2πt = sin 2πf.
#[inline(always)]
fn fold_sine<T: Scalar>(t: f64) -> T {
    let t = t - t.round_ties_even();
    let (near, far) = (t.abs(), 0.5 - t.abs());
    let f = if far < near { far } else { near };
    T::from_f64(f.copysign(t))
}

dispatched! {
    /// cos ← scale·cos(2π·turns).
    pub(crate) fn cosines<'a, T>(turns: &'a [f64], scale: T, cos: &'a mut [T]) -> () {
        // Two loops, the second of which has only one type of number: it is twice as fast for f32.
        for (cos, &t) in cos.iter_mut().zip(turns) {
            *cos = fold_cosine(t);
        }
        for cos in cos {
            *cos = scale * sine(*cos);
        }
    }
}

dispatched! {
    /// sin ← scale·sin(2π·turns).
    pub(crate) fn sines<'a, T>(turns: &'a [f64], scale: T, sin: &'a mut [T]) -> () {
        for (sin, &t) in sin.iter_mut().zip(turns) {
            *sin = fold_sine(t);
        }
        for sin in sin {
            *sin = scale * sine(*sin);
        }
    }
}
