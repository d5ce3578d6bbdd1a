//! The multivariate Student-t distribution: the spectrum of Matérn kernels.

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
    let mut chi2 = 0.0;
    for _ in 0..DEGREES {
        let h: f64 = StandardNormal.sample(&mut rng);
        chi2 += h * h;
    }
    // Keeps the quotient finite; below that is a probability of 2⁻⁵² with one degree, of less with
    // more.
    let chi2 = f64::max(chi2, f64::EPSILON * f64::EPSILON);
    let scale = scale * (DEGREES as f64 / chi2).sqrt();
    for w in omega {
        let g: f64 = StandardNormal.sample(&mut rng);
        *w += scale * g;
    }
}
