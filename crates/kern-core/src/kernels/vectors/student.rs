//! The multivariate Student-t distribution: the spectrum of Matérn kernels.

use crate::quantile::normal_quantile;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Adds scale·g·√(k/χ²) with k = `DEGREES` degrees of freedom, g ~ N(0, I), and one χ² with k degrees
/// that all coordinates share. (With one for each coordinate it would be the spectrum of a product of
/// kernels in one dimension.)
pub(super) fn add_frequency<const DEGREES: usize>(
    scale: f64,
    mut rng: &mut dyn Rng,
    omega: &mut [f64],
) {
    add::<DEGREES>(scale, || StandardNormal.sample(&mut rng), omega);
}

/// The same as a function of k + d uniform numbers.
pub(super) fn add_frequency_at<const DEGREES: usize>(
    scale: f64,
    uniforms: &[f64],
    omega: &mut [f64],
) {
    let mut normals = uniforms.iter().map(|&u| normal_quantile(u));
    add::<DEGREES>(scale, || normals.next().unwrap_or(0.0), omega);
}

/// The first `DEGREES` normal variables make the χ².
fn add<const DEGREES: usize>(scale: f64, mut normal: impl FnMut() -> f64, omega: &mut [f64]) {
    let mut chi2 = 0.0;
    for _ in 0..DEGREES {
        let h = normal();
        chi2 += h * h;
    }
    // Keeps the quotient finite; below that is a probability of 2⁻⁵² with one degree, of less with
    // more.
    let chi2 = f64::max(chi2, f64::EPSILON * f64::EPSILON);
    let scale = scale * (DEGREES as f64 / chi2).sqrt();
    for w in omega {
        *w += scale * normal();
    }
}
