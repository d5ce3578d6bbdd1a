//! Losses ℓ(m; y) of a prediction m: values, derivatives in m, and the losses of several outputs.

use crate::Error;
use crate::tolerance::DEFAULT_TUBE;
use kern_core::parameters::{Domain, Field, Slot};
use kern_core::{NonNegative, Positive, named_values};
use kern_gram::numerics::sigmoid::softplus;
use serde::{Deserialize, Serialize};

/// A convex loss.
///
/// # Definition
/// With prediction m and target y (±1 for the margin losses, which come first), r = m − y:
///
/// | loss | ℓ(m; y) | ℓ'(m; y) |
/// |---|---|---|
/// | logistic | ln(1 + exp(−ym)) | −y/(1 + exp(ym)) |
/// | hinge | max(0, 1 − ym) | −y if ym < 1, else 0 |
/// | squared hinge | ½·max(0, 1 − ym)² | −y·max(0, 1 − ym) |
/// | perceptron | max(0, −ym) | −y if ym ≤ 0, else 0 |
/// | squared | ½r² | r |
/// | Huber | ½r² if \|r\| ≤ δ, else δ(\|r\| − δ/2) | r cut to \[−δ, δ\] |
/// | ε-insensitive | max(0, \|r\| − ε) | sign(r) if \|r\| > ε, else 0 |
/// | squared ε-insensitive | ½·max(0, \|r\| − ε)² | sign(r)·max(0, \|r\| − ε) |
///
/// At a kink ℓ' is a subgradient: −y for the perceptron loss at 0, since no step could leave w = 0
/// otherwise, and 0 for all other losses.
///
/// # References
/// Vapnik (1995), *The Nature of Statistical Learning Theory* (ε-insensitive); Huber (1964),
/// *Robust Estimation of a Location Parameter*.
///
/// # Examples
/// ```
/// use kern_solvers::sgd::Loss;
/// assert_eq!(Loss::Hinge.value(0.25, 1.0), 0.75);
/// assert_eq!(Loss::Squared.derivative(3.0, 1.0), 2.0);
/// assert_eq!(Loss::Logistic.derivative(0.0, 1.0), -0.5);
/// assert_eq!(Loss::Logistic.value(-1000.0, 1.0), 1000.0);
/// assert_eq!(Loss::Huber(1.0).derivative(5.0, 1.0), 1.0);
/// assert_eq!(Loss::EpsilonInsensitive(0.0).value(-2.0, 1.0), 3.0); // the absolute loss
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Loss {
    /// ln(1 + exp(−ym)).
    Logistic,
    /// max(0, 1 − ym).
    Hinge,
    /// ½·max(0, 1 − ym)².
    SquaredHinge,
    /// max(0, −ym).
    Perceptron,
    /// ½(m − y)².
    Squared,
    /// Quadratic up to δ > 0, linear beyond.
    Huber(f64),
    /// max(0, |m − y| − ε), ε ≥ 0; the absolute loss for ε = 0.
    EpsilonInsensitive(f64),
    /// ½·max(0, |m − y| − ε)², ε ≥ 0.
    SquaredEpsilonInsensitive(f64),
}

named_values!(@value Loss {
    "logistic" => Logistic,
    "hinge" => Hinge,
    "squared_hinge" => SquaredHinge,
    "perceptron" => Perceptron,
    "squared" => Squared,
    "huber" => Huber(1.0),
    "epsilon_insensitive" => EpsilonInsensitive(DEFAULT_TUBE),
    "squared_epsilon_insensitive" => SquaredEpsilonInsensitive(DEFAULT_TUBE),
});

/// The parameter of a loss stands for the loss where it has one.
impl Field for Loss {
    fn slots(&mut self, name: &'static str, domain: Option<&'static Domain>) -> Vec<Slot<'_>> {
        vec![match self {
            Self::Huber(delta) => {
                Slot::new("loss.delta", const { Some(&Domain::positive()) }, delta)
            }
            Self::EpsilonInsensitive(epsilon) | Self::SquaredEpsilonInsensitive(epsilon) => {
                Slot::new("loss.epsilon", const { Some(&Domain::non_negative()) }, epsilon)
            }
            plain => Slot::new(name, domain, plain),
        }]
    }

    fn optional<'a>(
        this: &'a mut Option<Self>,
        name: &'static str,
        domain: Option<&'static Domain>,
    ) -> Vec<Slot<'a>> {
        match this {
            Some(
                loss @ (Self::Huber(_)
                | Self::EpsilonInsensitive(_)
                | Self::SquaredEpsilonInsensitive(_)),
            ) => loss.slots(name, domain),
            plain => vec![Slot::new(name, domain, plain)],
        }
    }
}

impl Loss {
    /// Returns true if the loss is for classes, y = ±1, rather than for regression.
    pub(crate) fn is_margin(self) -> bool {
        matches!(self, Loss::Logistic | Loss::Hinge | Loss::SquaredHinge | Loss::Perceptron)
    }

    /// The largest second derivative in m; `None` for a loss with a kink.
    pub(crate) fn curvature(self) -> Option<f64> {
        match self {
            Loss::Logistic => Some(0.25),
            Loss::SquaredHinge
            | Loss::Squared
            | Loss::Huber(_)
            | Loss::SquaredEpsilonInsensitive(_) => Some(1.0),
            Loss::Hinge | Loss::Perceptron | Loss::EpsilonInsensitive(_) => None,
        }
    }

    /// Refuses a parameter outside its domain.
    pub(crate) fn check(self) -> Result<(), Error> {
        match self {
            Loss::Huber(delta) => {
                Positive::new("delta (of the Huber loss)", delta)?;
            }
            Loss::EpsilonInsensitive(epsilon) | Loss::SquaredEpsilonInsensitive(epsilon) => {
                NonNegative::new("epsilon (of the epsilon-insensitive loss)", epsilon)?;
            }
            Loss::Logistic
            | Loss::Hinge
            | Loss::SquaredHinge
            | Loss::Perceptron
            | Loss::Squared => {}
        }
        Ok(())
    }

    /// ℓ(m; y).
    #[must_use]
    pub fn value(self, m: f64, y: f64) -> f64 {
        let r = m - y;
        match self {
            Loss::Logistic => softplus(-y * m),
            Loss::Hinge => (1.0 - y * m).max(0.0),
            Loss::SquaredHinge => 0.5 * (1.0 - y * m).max(0.0).powi(2),
            Loss::Perceptron => (-y * m).max(0.0),
            Loss::Squared => 0.5 * r * r,
            Loss::Huber(delta) if r.abs() <= delta => 0.5 * r * r,
            Loss::Huber(delta) => delta * (r.abs() - 0.5 * delta),
            Loss::EpsilonInsensitive(epsilon) => (r.abs() - epsilon).max(0.0),
            Loss::SquaredEpsilonInsensitive(epsilon) => 0.5 * (r.abs() - epsilon).max(0.0).powi(2),
        }
    }

    /// ∂ℓ/∂m, or the subgradient given at [`Loss`].
    #[must_use]
    pub fn derivative(self, m: f64, y: f64) -> f64 {
        let r = m - y;
        match self {
            Loss::Logistic => -y / (1.0 + (y * m).exp()),
            Loss::Hinge if y * m < 1.0 => -y,
            Loss::SquaredHinge => -y * (1.0 - y * m).max(0.0),
            Loss::Perceptron if y * m <= 0.0 => -y,
            Loss::Squared => r,
            // Not `clamp`, which panics for values of δ that `check` refuses.
            Loss::Huber(delta) => r.max(-delta).min(delta),
            Loss::EpsilonInsensitive(epsilon) if r.abs() > epsilon => r.signum(),
            Loss::SquaredEpsilonInsensitive(epsilon) => r.signum() * (r.abs() - epsilon).max(0.0),
            Loss::Hinge | Loss::Perceptron | Loss::EpsilonInsensitive(_) => 0.0,
        }
    }
}

/// The loss of a point over all its outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Objective {
    /// The sum of a loss over the outputs.
    Separate(Loss),
    /// Softmax; targets are +1 for the class of the point and −1 for the others.
    Softmax,
}

impl Objective {
    /// The loss at outputs `m` with targets `y`.
    pub(super) fn value(self, m: &[f64], y: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Separate(loss) => m.iter().zip(y).map(|(&m, y)| loss.value(m, y)).sum(),
            Self::Softmax => {
                let (top, total) = partition(m);
                let at: f64 = m.iter().zip(y).filter(|(_, y)| *y > 0.0).map(|(m, _)| m).sum();
                total.ln() - (at - top)
            }
        }
    }

    /// The derivatives with respect to the outputs.
    pub(super) fn gradient(self, m: &[f64], y: impl Iterator<Item = f64>, out: &mut [f64]) {
        match self {
            Self::Separate(loss) => {
                for ((out, &m), y) in out.iter_mut().zip(m).zip(y) {
                    *out = loss.derivative(m, y);
                }
            }
            Self::Softmax => {
                let (top, total) = partition(m);
                for ((out, &m), y) in out.iter_mut().zip(m).zip(y) {
                    let indicator = if y > 0.0 { 1.0 } else { 0.0 };
                    *out = (m - top).exp() / total - indicator;
                }
            }
        }
    }
}

/// max m and Σₖ exp(mₖ − max m), which neither overflows nor underflows to 0.
fn partition(m: &[f64]) -> (f64, f64) {
    let top = m.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (top, m.iter().map(|m| (m - top).exp()).sum())
}

#[cfg(test)]
mod tests {
    use super::Objective;

    #[test]
    fn softmax_has_the_gradient_of_its_value_and_is_stable_far_out() {
        let y = [-1.0, 1.0, -1.0];
        let h = 1e-6;
        for m in [[0.3, -0.7, 1.1], [2.0, 2.0, 2.0], [-4.0, 3.0, 0.0]] {
            let mut gradient = [0.0; 3];
            Objective::Softmax.gradient(&m, y.into_iter(), &mut gradient);
            for k in 0..3 {
                let at = |shift: f64| {
                    let mut m = m;
                    m[k] += shift;
                    Objective::Softmax.value(&m, y.into_iter())
                };
                assert!(((at(h) - at(-h)) / (2.0 * h) - gradient[k]).abs() < 1e-8);
            }
            assert!(gradient.iter().sum::<f64>().abs() < 1e-15);
        }
        let mut gradient = [0.0; 3];
        let far = [1000.0, -1000.0, 0.0];
        Objective::Softmax.gradient(&far, y.into_iter(), &mut gradient);
        assert!((Objective::Softmax.value(&far, y.into_iter()) - 2000.0).abs() < 1e-9);
        assert!((gradient[0] - 1.0).abs() < 1e-15 && (gradient[1] + 1.0).abs() < 1e-15);
    }
}
