//! Losses ℓ(m; y) of a prediction m, and their derivatives by m.

use serde::{Deserialize, Serialize};

/// A convex loss.
///
/// # Definition
/// With prediction m and target y (±1 for the margin losses):
///
/// | loss | ℓ(m; y) | ℓ'(m; y) |
/// |---|---|---|
/// | logistic | ln(1 + exp(−ym)) | −y/(1 + exp(ym)) |
/// | hinge | max(0, 1 − ym) | −y if ym < 1, else 0 |
/// | squared | ½(m − y)² | m − y |
///
/// # Examples
/// ```
/// use kern_solvers::sgd::Loss;
/// assert_eq!(Loss::Hinge.value(0.25, 1.0), 0.75);
/// assert_eq!(Loss::Squared.derivative(3.0, 1.0), 2.0);
/// assert_eq!(Loss::Logistic.derivative(0.0, 1.0), -0.5);
/// assert_eq!(Loss::Logistic.value(-1000.0, 1.0), 1000.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Loss {
    /// ln(1 + exp(−ym)).
    Logistic,
    /// max(0, 1 − ym).
    Hinge,
    /// ½(m − y)².
    Squared,
}

impl Loss {
    /// Whether y is a class, ±1, rather than a number.
    pub(super) fn is_margin(self) -> bool {
        !matches!(self, Loss::Squared)
    }

    /// ℓ(m; y).
    #[must_use]
    pub fn value(self, m: f64, y: f64) -> f64 {
        match self {
            // ln(1 + e^(−t)) = max(−t, 0) + ln(1 + e^(−|t|)): the exponential never overflows.
            Loss::Logistic => (-y * m).max(0.0) + (-(y * m).abs()).exp().ln_1p(),
            Loss::Hinge => (1.0 - y * m).max(0.0),
            Loss::Squared => 0.5 * (m - y) * (m - y),
        }
    }

    /// ∂ℓ/∂m; at the kink of the hinge, 0.
    #[must_use]
    pub fn derivative(self, m: f64, y: f64) -> f64 {
        match self {
            Loss::Logistic => -y / (1.0 + (y * m).exp()),
            Loss::Hinge if y * m < 1.0 => -y,
            Loss::Hinge => 0.0,
            Loss::Squared => m - y,
        }
    }
}
