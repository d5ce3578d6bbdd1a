//! Distributions of the frequencies of kernels: the quantile functions of the normal, Cauchy and
//! Laplace distributions, which map uniform variables on (0, 1) to frequencies, and the
//! multivariate Student-t distribution, the spectrum of Matérn kernels.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::{PI, SQRT_2, TAU};

/// The quantile function of N(0, 1).
///
/// A rational approximation by Hastings (Abramowitz & Stegun, 26.2.23) with an error
/// below 4.5·10⁻⁴, followed by two steps of Halley's method, each of which cubes the error.
pub(super) fn normal_quantile(u: f64) -> f64 {
    // The lower half, where the complementary error function has full relative accuracy.
    let lower = u.min(1.0 - u);
    let t = (-2.0 * lower.ln()).sqrt();
    let numerator = (0.010_328 * t + 0.802_853) * t + 2.515_517;
    let denominator = ((0.001_308 * t + 0.189_269) * t + 1.432_788) * t + 1.0;
    let mut z = numerator / denominator - t;
    for _ in 0..2 {
        let error = 0.5 * libm::erfc(-z / SQRT_2) - lower;
        let newton = error * TAU.sqrt() * (0.5 * z * z).exp();
        z -= newton / (1.0 + 0.5 * z * newton);
    }
    if u > 0.5 { -z } else { z }
}

/// The quantile function of the Cauchy distribution of scale 1.
pub(super) fn cauchy_quantile(u: f64) -> f64 {
    (PI * (u - 0.5)).tan()
}

/// The quantile function of the Laplace distribution of scale 1.
pub(super) fn laplace_quantile(u: f64) -> f64 {
    if u < 0.5 { (2.0 * u).ln() } else { -(2.0 * (1.0 - u)).ln() }
}

/// Adds scale·g·√(k/χ²) with k = `DEGREES` degrees of freedom, g ~ N(0, I), and one χ² variable
/// with k degrees of freedom shared by all coordinates. (With one for each coordinate it would be
/// the spectrum of a product of one-dimensional kernels.)
pub(super) fn add_student_frequency<const DEGREES: usize>(
    scale: f64,
    mut rng: &mut dyn Rng,
    omega: &mut [f64],
) {
    add_student::<DEGREES>(scale, || StandardNormal.sample(&mut rng), omega);
}

/// The same as a function of k + d uniform variables.
pub(super) fn add_student_frequency_at<const DEGREES: usize>(
    scale: f64,
    uniforms: &[f64],
    omega: &mut [f64],
) {
    let mut normals = uniforms.iter().map(|&u| normal_quantile(u));
    add_student::<DEGREES>(scale, || normals.next().unwrap_or(0.0), omega);
}

/// The first `DEGREES` normal variables form the χ² variable.
fn add_student<const DEGREES: usize>(
    scale: f64,
    mut normal: impl FnMut() -> f64,
    omega: &mut [f64],
) {
    let mut chi2 = 0.0;
    for _ in 0..DEGREES {
        let h = normal();
        chi2 += h * h;
    }
    // Keeps the quotient finite; smaller values have a probability of 2⁻⁵² with one degree of
    // freedom, and less with more.
    let chi2 = f64::max(chi2, f64::EPSILON * f64::EPSILON);
    let scale = scale * (DEGREES as f64 / chi2).sqrt();
    for w in omega {
        *w += scale * normal();
    }
}

#[cfg(test)]
mod tests {
    use super::normal_quantile;

    /// Golden values: mpmath with 60 digits,
    /// `findroot(lambda z: log(erfc(-z/sqrt(2))/2) - log(mpf(u)), -0.9*sqrt(-2*log(mpf(u))))`.
    #[test]
    fn normal_quantiles_are_accurate() {
        let golden = [
            (1e-300, -37.047_096_299_361_2),
            (1e-20, -9.262_340_089_798_407),
            (f64::EPSILON / 2.0, -8.209_536_151_601_387),
            (0.0001, -3.719_016_485_455_680_4),
            (0.01, -2.326_347_874_040_841),
            (0.024_25, -1.972_961_051_311_885),
            (0.1, -1.281_551_565_544_600_4),
            (0.3, -0.524_400_512_708_040_8),
            (0.49, -0.025_068_908_258_711_057),
            (0.5, 0.0),
        ];
        for (u, z) in golden {
            let found = normal_quantile(u);
            assert!((found - z).abs() <= 1e-15 * (1.0 + z.abs()), "{u}: {found} for {z}");
            // 1 − u is rounded by 2⁻⁵⁴, which the density at the quantile magnifies.
            if u > 0.01 {
                assert!((normal_quantile(1.0 - u) + z).abs() <= 1e-14, "1 - {u}");
            }
        }
    }
}
