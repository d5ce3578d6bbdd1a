//! Sums over all alignments of two time series, by dynamic programming.

use crate::points::squared_distance;
use crate::simd::exp;
use crate::{Points, Samples, Scalar};
use std::f64::consts::LN_2;

/// The number of bits in one unit of the exponent.
const BITS: f64 = 512.0;
/// 2⁵¹².
const UNIT: f64 = f64::from_bits((1023 + 512) << 52);
/// 2²⁵⁶: mantissas lie between 2⁻²⁵⁶ and this, except after the last operation.
const LARGEST: f64 = f64::from_bits((1023 + 256) << 52);
const SMALLEST: f64 = 1.0 / LARGEST;
/// Just above ln 2⁻²⁵⁶.
const SMALLEST_LOG: f64 = -177.0;
/// Beyond this many units of the exponent, every value overflows or underflows.
const BEYOND: f64 = 4.0;

/// A non-negative value of any magnitude, m·2^(512e), with its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide {
    mantissa: f64,
    /// An integer, or −∞ for the value 0.
    exponent: f64,
    /// ∂ln/∂ln σ.
    pub(super) slope: f64,
}

impl Wide {
    const ZERO: Self = Self { mantissa: 0.0, exponent: f64::NEG_INFINITY, slope: 0.0 };
    const ONE: Self = Self { mantissa: 1.0, exponent: 0.0, slope: 0.0 };
    /// The value for series that cannot be compared.
    const NAN: Self = Self { mantissa: f64::NAN, exponent: 0.0, slope: f64::NAN };

    /// e^t for any t ≤ 0.
    fn exp(t: f64) -> Self {
        let exponent = (t / (BITS * LN_2)).round();
        if exponent == f64::NEG_INFINITY {
            return Self::ZERO;
        }
        Self { mantissa: exp::single(t - exponent * (BITS * LN_2)), exponent, slope: 0.0 }
    }

    /// The mantissa relative to the largest exponent of a sum. A term two units below it is less
    /// than the rounding error.
    fn at(self, largest: f64) -> f64 {
        match largest - self.exponent {
            0.0 => self.mantissa,
            1.0 => self.mantissa / UNIT,
            _ => 0.0,
        }
    }

    /// κ·((up + left) + diagonal), bit for bit symmetric in `up` and `left`. Slopes are summed only
    /// if `SLOPE`.
    fn step<const SLOPE: bool>(local: Self, up: Self, left: Self, diagonal: Self) -> Self {
        let (mut top, mut terms) = (up.exponent, [up.mantissa, left.mantissa, diagonal.mantissa]);
        if (left.exponent, diagonal.exponent) != (top, top) {
            top = top.max(left.exponent).max(diagonal.exponent);
            terms = [up.at(top), left.at(top), diagonal.at(top)];
        }
        let sum = (terms[0] + terms[1]) + terms[2];
        let mantissa = sum * local.mantissa;
        if mantissa <= 0.0 {
            return Self::ZERO;
        }
        let slope = if SLOPE {
            let [a, b, c] = terms;
            local.slope + ((a * up.slope + b * left.slope) + c * diagonal.slope) / sum
        } else {
            0.0
        };
        Self { mantissa, exponent: top + local.exponent, slope }.normalised()
    }

    fn normalised(self) -> Self {
        if self.mantissa >= LARGEST {
            Self { mantissa: self.mantissa / UNIT, exponent: self.exponent + 1.0, ..self }
        } else if self.mantissa < SMALLEST {
            Self { mantissa: self.mantissa * UNIT, exponent: self.exponent - 1.0, ..self }
        } else {
            self
        }
    }

    /// The value as a float; infinite or 0 if it overflows or underflows.
    pub(super) fn value(self) -> f64 {
        if self.mantissa == 0.0 { 0.0 } else { scaled(self.mantissa, UNIT, self.exponent) }
    }

    /// The natural logarithm.
    pub(super) fn ln(self) -> f64 {
        self.mantissa.ln() + self.exponent * (BITS * LN_2)
    }

    /// self/√(x·y) for x, y > 0, up to rounding; exactly 1 if all three are equal.
    pub(super) fn over_roots(self, x: Self, y: Self) -> f64 {
        if self.mantissa == 0.0 {
            return 0.0;
        }
        let mantissa = self.mantissa / (x.mantissa * y.mantissa).sqrt();
        scaled(mantissa, LARGEST, 2.0 * self.exponent - (x.exponent + y.exponent))
    }
}

/// m·unit^k.
fn scaled(mut m: f64, unit: f64, k: f64) -> f64 {
    let mut left = k.clamp(-2.0 * BEYOND, 2.0 * BEYOND);
    while left > 0.0 {
        m *= unit;
        left -= 1.0;
    }
    while left < 0.0 {
        m /= unit;
        left += 1.0;
    }
    m
}

/// The local kernel κ = ωg/(2 − ωg), g = exp(−‖x − y‖²/(2σ²)), and the window of ω = max(1 − |i −
/// j|/T, 0).
#[derive(Clone, Copy, Debug)]
pub(super) struct Alignment {
    pub(super) sigma: f64,
    /// T; 0 for ω = 1.
    pub(super) window: usize,
}

impl Alignment {
    /// Σ Π κ over all alignments of x and y, symmetric to the bit, with its slope if `SLOPE`.
    pub(super) fn sum<const SLOPE: bool>(self, x: &Samples<f64>, y: &Samples<f64>) -> Wide {
        if x.dim() != y.dim() {
            return Wide::NAN;
        }
        let (x, y) = if x.len() < y.len() { (y, x) } else { (x, y) };
        let (n, m) = (x.len(), y.len());
        match self.window {
            0 => self.rows::<SLOPE>(x, y, n),
            // No alignment stays inside the window.
            window if n - m >= window => Wide::ZERO,
            window => self.rows::<SLOPE>(x, y, window),
        }
    }

    /// Computes the recursion M(i, j) = κ(i, j)·(M(i − 1, j) + M(i, j − 1) + M(i − 1, j − 1)) row
    /// by row in one array; κ is non-zero only for |i − j| < `reach`.
    fn rows<const SLOPE: bool>(self, x: &Samples<f64>, y: &Samples<f64>, reach: usize) -> Wide {
        let m = y.len();
        let mut sums = vec![Wide::ZERO; m + 1];
        sums[0] = Wide::ONE;
        let (mut logs, mut values) = (Vec::with_capacity(m), Vec::with_capacity(m));
        for i in 0..x.len() {
            // Columns before the first have left the window; their sums count once more, on the
            // diagonal.
            let (first, end) = ((i + 1).saturating_sub(reach), m.min(i.saturating_add(reach)));
            logs.clear();
            logs.extend((first..end).map(|j| self.log(squared_distance(x.item(i), y.item(j)))));
            values.clone_from(&logs);
            f64::exp_scaled(&mut values, 1.0);
            let mut diagonal = std::mem::replace(&mut sums[first], Wide::ZERO);
            for ((j, &t), &g) in (first..end).zip(&logs).zip(&values) {
                let local = self.local::<SLOPE>(i.abs_diff(j), t, g);
                let up = sums[j + 1];
                sums[j + 1] = Wide::step::<SLOPE>(local, up, sums[j], diagonal);
                diagonal = up;
            }
        }
        sums[m]
    }

    /// ln g. Two divisions, since σ² may overflow or underflow.
    fn log(self, squared_distance: f64) -> f64 {
        -0.5 * (squared_distance / self.sigma / self.sigma)
    }

    /// κ of two vectors `apart` time steps apart, from t = ln g and g. ∂ln κ/∂ln σ = −2t·2/(2 −
    /// ωg).
    fn local<const SLOPE: bool>(self, apart: usize, t: f64, g: f64) -> Wide {
        let omega = match self.window {
            0 => 1.0,
            window => (window - apart.min(window)) as f64 / window as f64,
        };
        let slope = |rest: f64| if SLOPE && t > f64::NEG_INFINITY { -4.0 * t / rest } else { 0.0 };
        if t > SMALLEST_LOG {
            let rest = 2.0 - omega * g;
            return Wide { mantissa: omega * g / rest, exponent: 0.0, slope: slope(rest) };
        }
        // 2 − ωg rounds to 2.
        let wide = Wide::exp(t);
        Wide { mantissa: 0.5 * omega * wide.mantissa, slope: slope(2.0), ..wide }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "powers of two and infinities are exact")]

    use super::*;

    #[test]
    fn wide_numbers_are_those_of_their_logarithms() {
        for t in [0.0, -1.0, -177.0, -178.0, -354.0, -355.0, -700.0, -1e4, -1e9] {
            let wide = Wide::exp(t);
            assert!((wide.ln() - t).abs() <= 4.0 * f64::EPSILON * t.abs(), "{t}");
            assert!((SMALLEST * 0.9..=LARGEST * 1.1).contains(&wide.mantissa), "{t}");
        }
        assert_eq!(Wide::exp(f64::NEG_INFINITY), Wide::ZERO);
        assert_eq!(Wide::ZERO.ln(), f64::NEG_INFINITY);
        let wide = |mantissa, exponent| Wide { mantissa, exponent, slope: 0.0 };
        for (number, expected) in [
            (Wide::ZERO, 0.0),
            (wide(SMALLEST, 2.0), LARGEST * UNIT),
            (wide(LARGEST / 2.0, -2.0), 0.5 * SMALLEST / UNIT),
            (wide(SMALLEST, -2.0), 0.0),
            (wide(1.0, 2.0), f64::INFINITY),
            (wide(1.0, 1e300), f64::INFINITY),
            (wide(1.0, -1e300), 0.0),
        ] {
            assert_eq!(number.value().to_bits(), expected.to_bits(), "{number:?}");
        }
    }

    /// Terms with different exponents, at both ends of their range.
    #[test]
    fn sums_of_wide_numbers_keep_their_digits() {
        let wide = |mantissa, exponent| Wide { mantissa, exponent, slope: 0.0 };
        let sum = |a, b, c| Wide::step::<false>(Wide::ONE, a, b, c);
        let near = sum(wide(1.5 * SMALLEST, 1.0), wide(LARGEST / 2.0, 0.0), Wide::ZERO);
        assert_eq!((near.mantissa, near.exponent), (2.0 * SMALLEST, 1.0));
        let carried = sum(wide(LARGEST / 2.0, 7.0), Wide::ZERO, wide(LARGEST / 2.0, 7.0));
        assert_eq!((carried.mantissa, carried.exponent), (SMALLEST, 8.0));
        let far = sum(wide(1.0, 9.0), wide(1.0, -9.0), Wide::ZERO);
        assert_eq!((far.mantissa, far.exponent), (1.0, 9.0));
        assert_eq!(sum(Wide::ZERO, Wide::ZERO, Wide::ZERO), Wide::ZERO);
        let small = Wide::step::<false>(
            wide(0.5 * SMALLEST, -3.0),
            wide(SMALLEST, 2.0),
            Wide::ZERO,
            Wide::ZERO,
        );
        assert_eq!((small.mantissa, small.exponent), (0.5, -2.0));
    }

    #[test]
    fn roots_of_wide_numbers_meet_halfway() {
        let wide = |mantissa, exponent| Wide { mantissa, exponent, slope: 0.0 };
        let (x, y) = (wide(3.0, 1e9), wide(12.0, 1e9 + 1.0));
        assert_eq!(x.over_roots(x, x).to_bits(), 1.0_f64.to_bits());
        assert_eq!(wide(6.0 * LARGEST, 1e9).over_roots(x, y).to_bits(), 1.0_f64.to_bits());
        assert_eq!(wide(6.0, 1e9).over_roots(x, y).to_bits(), SMALLEST.to_bits());
        assert_eq!(Wide::ZERO.over_roots(x, y).to_bits(), 0.0_f64.to_bits());
    }
}
