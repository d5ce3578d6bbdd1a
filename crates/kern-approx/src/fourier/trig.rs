//! Cosine and sine of phases, vectorised by the compiler under run-time dispatch.
//!
//! Phases are counted in turns, t = phase / 2π. Then the range reduction t − round(t) is exact for
//! a phase of any size, and the octant follows from comparisons and exact differences.

use kern_core::Scalar;
use pulp::{Simd, WithSimd};

/// Taylor coefficients of sin θ = θ + θ³·Σ: 1/3!, 1/5!, … At |θ| = π/4 eight terms leave an error
/// below 2⁻⁶³, four leave 2⁻²⁹.
const SIN: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
/// Taylor coefficients of cos θ = 1 + θ²·Σ: 1/2!, 1/4!, … At |θ| = π/4 eight terms leave an error
/// below 2⁻⁵⁸, five leave 2⁻³².
const COS: [f64; 8] = [
    -0.5,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// cos ← scale·cos(2π(phases + offsets)).
///
/// A type rather than a closure: only then is a body of this size certain to be compiled for each
/// instruction set; as a closure it was called out of line, and was 30 times slower.
pub(super) struct Cos<'a, T> {
    pub(super) phases: &'a [f64],
    pub(super) offsets: &'a [f64],
    pub(super) scale: T,
    pub(super) cos: &'a mut [T],
}

impl<T: Scalar> WithSimd for Cos<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((cos, &t), &b) in self.cos.iter_mut().zip(self.phases).zip(self.offsets) {
            *cos = self.scale * cos_sin(fraction::<T>(t + b)).0;
        }
    }
}

/// cos ← scale·cos(2π·phases), sin ← scale·sin(2π·phases).
pub(super) struct CosSin<'a, T> {
    pub(super) phases: &'a [f64],
    pub(super) scale: T,
    pub(super) cos: &'a mut [T],
    pub(super) sin: &'a mut [T],
}

impl<T: Scalar> WithSimd for CosSin<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((cos, sin), &t) in self.cos.iter_mut().zip(self.sin).zip(self.phases) {
            let (c, s) = cos_sin(fraction::<T>(t));
            (*cos, *sin) = (self.scale * c, self.scale * s);
        }
    }
}

/// t minus the nearest integer, in \[−½, ½\]. Reduced in double precision, rounded to T after that.
#[inline(always)]
fn fraction<T: Scalar>(turns: f64) -> T {
    T::from_f64(turns - turns.round_ties_even())
}

/// (cos 2πr, sin 2πr) for r in \[−½, ½\].
///
/// # Numerics
/// At most 2.5 u absolute beyond the rounding of r itself.
#[inline(always)]
fn cos_sin<T: Scalar>(r: T) -> (T, T) {
    let [eighth, quarter, three_eighths, half] = [0.125, 0.25, 0.375, 0.5].map(T::from_f64);
    let a = r.magnitude();
    // Beyond an eighth of a turn, cosine and sine change places; beyond three eighths, the cosine
    // is that of the supplement, negative.
    let swap = a > eighth && a < three_eighths;
    let f = if swap { quarter - a } else { a };
    let f = if a < three_eighths { f } else { half - a };
    let theta = f * T::from_f64(std::f64::consts::TAU);
    let square = theta * theta;
    let single = T::UNIT_ROUNDOFF > f64::EPSILON;
    let (sin_terms, cos_terms) = if single { (4, 5) } else { (8, 8) };
    let s = polynomial(&SIN[..sin_terms], square).fma(square * theta, theta);
    let c = polynomial(&COS[..cos_terms], square).fma(square, T::ONE);
    let (cos, sin) = if swap { (s, c) } else { (c, s) };
    let cos = if a < three_eighths { cos } else { -cos };
    (cos, if r < T::ZERO { -sin } else { sin })
}

/// Σ cᵢ·xⁱ by Horner's rule.
#[inline(always)]
fn polynomial<T: Scalar>(coefficients: &[f64], x: T) -> T {
    let mut sum = T::ZERO;
    for &c in coefficients.iter().rev() {
        sum = sum.fma(x, T::from_f64(c));
    }
    sum
}
