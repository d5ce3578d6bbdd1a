//! Probabilities of a class whose logit is normal.

use kern_gram::numerics::sigmoid::sigmoid;
use libm::erfc;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// The step of sums over numbers whose terms are smooth on the scale of 1.
const STEP: f64 = 0.5;

/// The logit of ∫ σ(z)N(z | mean, variance)dz.
///
/// Sums over equidistant points converge as fast as exp(−2πd/h) with the step h, where d is the distance of poles from the real
/// axis: of σ(mean + √variance·u) it is π/√variance, which serves narrow distributions. For wide ones the integral is taken by
/// parts, as the probability that a logistic number s is less than z: poles of its density have the distance π, whatever the
/// variance is. Probabilities are right to 1e-15, which says less of those that are smaller.
pub(super) fn logit_of_mean(mean: f64, variance: f64) -> f64 {
    let deviation = variance.sqrt();
    let (yes, no) = if variance < 1.0 {
        // N(u | 0, 1) beyond 9 is less than 1e-18.
        sum(9.0, |u| {
            let density = (-0.5 * u * u).exp() / TAU.sqrt();
            let (yes, no) = sigmoid(mean + deviation * u);
            (density * yes, density * no)
        })
    } else {
        sum(40.0, |s| {
            let e = (-s.abs()).exp();
            let density = e / ((1.0 + e) * (1.0 + e));
            let above = FRAC_1_SQRT_2 * (mean - s) / deviation;
            (0.5 * density * erfc(-above), 0.5 * density * erfc(above))
        })
    };
    // Beyond the smallest numbers, the sign is what is known.
    yes.max(f64::MIN_POSITIVE).ln() - no.max(f64::MIN_POSITIVE).ln()
}

/// Sums of a pair of functions over points of distance [`STEP`] up to ±`end`.
fn sum(end: f64, of: impl Fn(f64) -> (f64, f64)) -> (f64, f64) {
    let half = (end / STEP) as i32;
    let terms = (-half..=half).map(|k| of(STEP * f64::from(k)));
    let (yes, no) = terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
    (STEP * yes, STEP * no)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probability(mean: f64, variance: f64) -> f64 {
        1.0 / (1.0 + (-logit_of_mean(mean, variance)).exp())
    }

    /// ```python
    /// # mpmath 1.4.1, mp.dps = 30; the breaks stand where either factor changes
    /// f = lambda z: npdf(z, m, sqrt(v)) / (1 + exp(-z))
    /// quad(f, sorted([m + k * sqrt(v) for k in range(-12, 13)] + [-30, -5, 0, 5, 30]))
    /// ```
    #[test]
    fn probabilities_are_the_integral() {
        let known = [
            (0.3, 0.01, 0.5742614096433242),
            (1.0, 0.5, 0.7115731678447065),
            (-2.0, 0.99, 0.1551405545179598),
            (1.5, 1.0, 0.7785265948093283),
            (2.0, 3.0, 0.7935196455368592),
            (-4.0, 40.0, 0.27146593123057905),
            (10.0, 400.0, 0.6907442195405283),
            (-30.0, 2.0, 2.543665647372142e-13),
            (5.0, 1e6, 0.5019946998096244),
        ];
        for (mean, variance, expected) in known {
            let found = probability(mean, variance);
            assert!(
                (found - expected).abs() < 1e-15 + 1e-13 * expected,
                "{mean} {variance}: {found} {expected}"
            );
        }
    }

    #[test]
    fn what_is_known_for_certain_is_the_sigmoid() {
        for mean in [-700.0, -3.0, 0.0, 0.1, 40.0] {
            assert!((logit_of_mean(mean, 0.0) - mean).abs() < 1e-12 * mean.abs().max(1.0));
        }
    }

    #[test]
    fn logits_are_finite_and_rise_with_the_mean() {
        for variance in [0.0, 0.5, 1.0, 30.0, 1e10, 1e300] {
            let means = [-1e300, -1e4, -10.0, -1.0, 0.0, 1.0, 10.0, 1e4, 1e300];
            let logits = means.map(|mean| logit_of_mean(mean, variance));
            assert!(logits.iter().all(|logit| logit.is_finite()), "{variance} {logits:?}");
            assert!(logits.is_sorted(), "{variance} {logits:?}");
            assert!(logits[4].abs() < 1e-14);
        }
    }
}
