//! Phases of coordinates in units of a period, and the blocks of kernels that depend on their
//! differences.
//!
//! Whole periods are subtracted from each coordinate exactly, before differences are taken: a
//! kernel of the phases is positive semi-definite despite rounding, and points far from the origin
//! lose no accuracy.

use crate::tile::Tile;
use crate::{Points, Samples, Scalar};
use faer::MatMut;

/// x/period without whole periods, in [−½, ½]; its error is the relative error of one division
/// where |x| is below half a period, and an absolute error of u/2 elsewhere.
pub(super) fn in_periods(x: f64, period: f64) -> f64 {
    // The remainder is exact, and so is a difference of nearby floats.
    let rest = x % period;
    let half = 0.5 * period;
    let rest = match rest {
        rest if rest > half => rest - period,
        rest if rest < -half => rest + period,
        rest => rest,
    };
    rest / period
}

/// frequency·x without whole turns; 0 where the product overflows.
pub(super) fn in_turns(x: f64, frequency: f64) -> f64 {
    let turns = frequency * x;
    if !turns.is_finite() {
        return 0.0;
    }
    let lost = frequency.mul_add(x, -turns);
    let rest = (turns - turns.round_ties_even()) + lost;
    rest - rest.round_ties_even()
}

/// sin²(π(s − t)).
pub(super) fn squared_sine(s: f64, t: f64) -> f64 {
    let mut sine = [0.0];
    f64::sin_turns(&[0.5 * (s - t)], 1.0, &mut sine);
    sine[0] * sine[0]
}

/// `out[(i, j)]`: starting from `start`, `join` accumulates the squared sines of the phase
/// differences coordinate by coordinate, then `finish` transforms the column. `phase(k, x)` is the
/// phase of coordinate k. All computations are in double precision.
pub(super) fn dense_block<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    mut out: MatMut<'_, T>,
    phase: impl Fn(usize, f64) -> f64,
    start: f64,
    join: impl Fn(f64, f64) -> f64,
    finish: impl Fn(&mut [f64]),
) {
    tile.assert_shape(&out);
    let (m, dim) = (tile.nrows(), tile.b().dim());
    let mut rows = vec![0.0; m * dim];
    for (i, p) in tile.rows().enumerate() {
        for (k, x) in tile.a().item(p).iter().enumerate() {
            rows[k * m + i] = phase(k, x.to_f64());
        }
    }
    let (mut turns, mut sines, mut column) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    for (j, q) in tile.cols().enumerate() {
        column.fill(start);
        for (k, y) in tile.b().item(q).iter().enumerate() {
            let t = phase(k, y.to_f64());
            for (turn, s) in turns.iter_mut().zip(&rows[k * m..]) {
                *turn = 0.5 * (s - t);
            }
            f64::sin_turns(&turns, 1.0, &mut sines);
            for (value, sine) in column.iter_mut().zip(&sines) {
                *value = join(*value, sine * sine);
            }
        }
        finish(&mut column);
        for (i, &value) in column.iter().enumerate() {
            out[(i, j)] = T::from_f64(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{in_periods, in_turns};

    /// Exact rational arithmetic: `Fraction(x)/Fraction(p)` less the nearest whole number, in
    /// Python.
    #[test]
    fn whole_turns_are_taken_off_exactly() {
        for (x, period, expected) in [
            (1_000_000.3, 0.1, -8.945_039_153_829_27e-11),
            (-123_456.789, 2.5, 0.284_399_999_998_277_03),
            (0.3, 1.0, 0.3),
            (0.7, 1.0, -0.300_000_000_000_000_04),
            (1_000_000_000_000_000.0, 0.1, 0.444_888_487_687_421_8),
            (3.0e200, 0.7, -0.164_743_960_236_061_05),
            (-5.1e-09, 0.001, -5.1e-06),
        ] {
            let found = in_periods(x, period);
            assert!((found - expected).abs() <= 1e-16, "{x} in {period}: {found}");
        }
        for (x, frequency, expected) in [
            (1_000_000.3, 10.1, 0.030_000_000_115_046_426),
            (-123_456.789, 2.5, 0.027_499_999_989_231_583),
            (0.3, 1.0, 0.3),
            (0.7, 1.0, -0.300_000_000_000_000_04),
            (1_000_000_000_000_000.0, 0.1, 0.005_551_115_123_125_783),
            (12_345.678, 1_000_000_000.0, -0.000_116_415_321_826_934_81),
            (-5.1e-09, 1000.0, -5.1e-06),
        ] {
            let found = in_turns(x, frequency);
            assert!((found - expected).abs() <= 2e-16, "{frequency}·{x}: {found}");
        }
        assert_eq!(in_turns(1e200, 1e200).to_bits(), 0.0_f64.to_bits());
    }
}
