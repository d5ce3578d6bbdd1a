//! Platt's sigmoid.

use serde::{Deserialize, Serialize};

/// P(positive | f) = 1/(1 + exp(A f + B)).
///
/// # References
/// Platt (2000), *Probabilities for SV Machines*.
///
/// # Examples
/// ```
/// use kern_solvers::calibration::PlattSigmoid;
/// let sigmoid = PlattSigmoid::fit(&[-2.0, -1.0, 0.5, -0.5, 1.0, 2.0], &[0, 0, 0, 1, 1, 1].map(|y| y == 1));
/// assert!(sigmoid.a < 0.0 && sigmoid.probability(2.0) > 0.7);
/// assert!(sigmoid.probability(1e300) <= 1.0 && sigmoid.probability(-1e300) >= 0.0);
/// ```
#[doc(alias = "Platt scaling")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlattSigmoid {
    /// A, below 0 if greater scores are more probable.
    pub a: f64,
    /// B.
    pub b: f64,
}

impl PlattSigmoid {
    /// The probability that goes with a score.
    #[must_use]
    pub fn probability(&self, score: f64) -> f64 {
        let t = self.exponent(score);
        // exp never overflows.
        if t >= 0.0 { (-t).exp() / (1.0 + (-t).exp()) } else { 1.0 / (1.0 + t.exp()) }
    }

    /// A f + B.
    pub(crate) fn exponent(&self, score: f64) -> f64 {
        self.a * score + self.b
    }
}
