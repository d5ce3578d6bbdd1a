//! Spherical Bessel functions, the Fourier transforms of Legendre polynomials.

use super::legendre::N;

/// The downward recurrence starts this many orders beyond N + 2x: there, j_n is so small that the
/// starting values do not matter.
const BEYOND: usize = 12;

/// Below this, three terms of the series are accurate to x⁶/5000, and the recurrence would grow by
/// (2n + 1)/x > 100 per step.
const SMALL: f64 = 1e-2;

/// The starting value of the downward recurrence, and the factor by which it is rescaled when it
/// reaches the inverse. Squares remain representable.
const SCALE: f64 = 1e-100;

/// j₀(x), …, j_{N−1}(x) for x ≥ 0: ∫₋₁¹ P_n(t)·exp(ixt) dt = 2·iⁿ·j_n(x).
///
/// The recurrence j_{n−1} + j_{n+1} = (2n + 1)/x·j_n is stable upwards as long as n ≤ x, and
/// downwards otherwise (Miller's algorithm), with the scale from Σ(2n + 1)·j_n² = 1; for tiny x,
/// where that would overflow, the first terms of the series.
pub(super) fn spherical_bessel(x: f64) -> [f64; N] {
    if x > N as f64 {
        upwards(x)
    } else if x > SMALL {
        downwards(x)
    } else {
        series(x)
    }
}

fn upwards(x: f64) -> [f64; N] {
    let mut j = [0.0; N];
    let (sine, cosine) = x.sin_cos();
    j[0] = sine / x;
    j[1] = (j[0] - cosine) / x;
    for n in 1..N - 1 {
        j[n + 1] = (2 * n + 1) as f64 / x * j[n] - j[n - 1];
    }
    j
}

fn downwards(x: f64) -> [f64; N] {
    let mut j = [0.0; N];
    let (mut above, mut here, mut squares) = (0.0, SCALE, 0.0);
    for n in (0..N + BEYOND + (2.0 * x) as usize).rev() {
        // `here` is a multiple of j_n, and `above` the same of j_{n+1}.
        squares += (2 * n + 1) as f64 * (here * here);
        if n < N {
            j[n] = here;
        }
        (above, here) = (here, (2 * n + 1) as f64 / x * here - above);
        // Squares must not overflow.
        if here.abs() > SCALE.recip() {
            (above, here, squares) = (above * SCALE, here * SCALE, squares * SCALE * SCALE);
            j.iter_mut().for_each(|value| *value *= SCALE);
        }
    }
    // The larger of the first two has the sign of its closed form.
    let (sine, cosine) = x.sin_cos();
    let closed = [sine / x, (sine / x - cosine) / x];
    let sure = usize::from(j[0].abs() < j[1].abs());
    let scale = squares.sqrt().recip().copysign(closed[sure] * j[sure]);
    j.map(|value| value * scale)
}

/// xⁿ/(2n + 1)!!·(1 − x²/(2(2n + 3)) + x⁴/(8(2n + 3)(2n + 5))): the relative truncation error is
/// below x⁶/5000.
fn series(x: f64) -> [f64; N] {
    let (mut j, mut power, square) = ([0.0; N], 1.0, 0.5 * x * x);
    for (n, value) in j.iter_mut().enumerate() {
        let (a, b) = ((2 * n + 3) as f64, (2 * n + 5) as f64);
        *value = power * (1.0 - square / a * (1.0 - 0.5 * square / b));
        power *= x / a;
    }
    j
}

#[cfg(test)]
mod tests {
    use super::spherical_bessel;

    /// Reference values from mpmath with 40 digits: `sqrt(pi/(2*x))*besselj(n + mpf(1)/2, x)`.
    #[test]
    fn values_are_those_of_mpmath() {
        let golden = [
            (0, 1e-5, 0.999_999_999_983_333_3),
            (3, 0.005, 1.190_474_537_037_976_5e-09),
            (0, 0.02, 0.999_933_334_666_654),
            (5, 0.02, 3.078_355_718_671_451e-13),
            (15, 0.5, 1.584_282_443_125_969_3e-22),
            (0, 3.125, 0.005_309_405_513_391_329),
            (1, 3.125, 0.321_654_960_190_424_94),
            (7, 3.125, 0.001_072_489_816_040_896_1),
            (2, 15.9, 0.023_509_722_802_022_445),
            (15, 15.9, 0.064_203_884_673_076_44),
            (15, 16.5, 0.073_096_645_908_140_93),
            (0, 16.5, -0.043_138_505_598_128_67),
            (9, 123.25, 0.003_735_162_986_065_357),
            (15, 1e6, 9.367_941_200_648_977e-07),
        ];
        for (n, x, value) in golden {
            let found = spherical_bessel(x)[n];
            assert!(
                (found - value).abs() <= 4e-16 + 1e-13 * f64::abs(value),
                "j_{n}({x}): {found}"
            );
        }
    }
}
