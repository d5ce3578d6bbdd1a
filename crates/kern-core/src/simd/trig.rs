//! Cosine and sine of phases in turns, t = phase / 2π.
//!
//! The distance f from t to the nearest half turn is exact in double precision, for phases of any
//! size. It is at most a quarter, is rounded to the type of the results, and sin(2πf) is a
//! polynomial.

use super::dispatched;
use super::elementary::{Formula, fma, map, polynomial};
use crate::Scalar;

/// scale·sin(2πf) for |f| ≤ ¼.
#[derive(Clone, Copy)]
struct Sine<T> {
    scale: T,
}

impl<T: Scalar> Formula<T> for Sine<T> {
    #[inline(always)]
    fn values<const N: usize>(self, f: [T; N]) -> [T; N] {
        let rest = polynomial(T::SIN, f.map(|f| f * f));
        let rest = std::array::from_fn(|i| f[i] * rest[i]);
        // The polynomial is at most a third of 6f, which is rounded only in the sum.
        fma(f, [T::from_f64(6.0); N], rest).map(|sine| self.scale * sine)
    }
}

/// t − [t], exact.
#[inline(always)]
fn rest(t: f64) -> f64 {
    t - t.round_ties_even()
}

/// The f with cos 2πt = sin 2πf, for a rest t.
#[inline(always)]
fn fold_cosine<T: Scalar>(t: f64) -> T {
    T::from_f64(0.25 - t.abs())
}

/// The f with sin 2πt = sin 2πf, for a rest t.
#[inline(always)]
fn fold_sine<T: Scalar>(t: f64) -> T {
    let (near, far) = (t.abs(), 0.5 - t.abs());
    let f = if far < near { far } else { near };
    T::from_f64(f.copysign(t))
}

dispatched! {
    /// cos ← scale·cos(2π·turns).
    pub(crate) fn cosines<'a, T>(turns: &'a [f64], scale: T, cos: &'a mut [T]) -> () {
        // Two loops, the second of which uses a single type: that is twice as fast for f32.
        for (cos, &t) in cos.iter_mut().zip(turns) {
            *cos = fold_cosine(rest(t));
        }
        map(cos, Sine { scale });
    }
}

dispatched! {
    /// sin ← scale·sin(2π·turns).
    pub(crate) fn sines<'a, T>(turns: &'a [f64], scale: T, sin: &'a mut [T]) -> () {
        for (sin, &t) in sin.iter_mut().zip(turns) {
            *sin = fold_sine(rest(t));
        }
        map(sin, Sine { scale });
    }
}

dispatched! {
    /// Both at once: phases are read and reduced once.
    pub(crate) fn cosines_and_sines<'a, T>(
        turns: &'a [f64],
        scale: T,
        cos: &'a mut [T],
        sin: &'a mut [T],
    ) -> () {
        for ((cos, sin), &t) in cos.iter_mut().zip(&mut *sin).zip(turns) {
            let rest = rest(t);
            (*cos, *sin) = (fold_cosine(rest), fold_sine(rest));
        }
        map(cos, Sine { scale });
        map(sin, Sine { scale });
    }
}
