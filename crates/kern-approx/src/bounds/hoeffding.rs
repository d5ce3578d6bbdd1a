//! Hoeffding's inequality.

use super::ErrorBound;
use crate::FourierForm;

/// The error for one pair of points, or for a number of pairs.
///
/// # Definition
/// P(|ψ(x)ᵀψ(y) − K(x, y)| ≥ ε·κ(0)) ≤ 2·exp(−Dε²/4) in the paired form, whose D/2 terms lie in
/// \[−1, 1\], and 2·exp(−Dε²/8) in the phase form, whose D terms lie in \[−2, 2\]. For N pairs at
/// once N times that (union bound).
///
/// # References
/// Hoeffding (1963), theorem 2; Rahimi & Recht (2007), section 3, who give the exponent of the
/// paired form for both.
///
/// # Examples
/// ```
/// use kern_approx::FourierForm;
/// use kern_approx::bounds::{ErrorBound, Pointwise};
/// let phase = Pointwise::new(FourierForm::Phase);
/// assert_eq!(phase.failure(800, 0.2), 2.0 * (-4.0_f64).exp());
/// let all_pairs_of_1000_points = phase.pairs(499_500);
/// assert!(all_pairs_of_1000_points.dim(0.2, 0.01)? < 4 * phase.dim(0.2, 0.01)?);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Pointwise {
    form: FourierForm,
    pairs: usize,
}

impl Pointwise {
    /// The bound for one pair.
    pub fn new(form: FourierForm) -> Self {
        Self { form, pairs: 1 }
    }

    /// The bound for the largest error of this many pairs.
    pub fn pairs(mut self, pairs: usize) -> Self {
        self.pairs = pairs;
        self
    }
}

impl ErrorBound for Pointwise {
    fn failure(&self, dim: usize, error: f64) -> f64 {
        let divisor = match self.form {
            FourierForm::Paired => 4.0,
            FourierForm::Phase => 8.0,
        };
        let one = 2.0 * (-(dim as f64) * error * error / divisor).exp();
        f64::min(1.0, self.pairs as f64 * one)
    }
}
