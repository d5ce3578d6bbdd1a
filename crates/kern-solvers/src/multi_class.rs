//! More than two classes.

use serde::{Deserialize, Serialize};

/// How several classes are learned.
///
/// # Definition
/// With outputs m₁ … m_c for c classes and the class y of a point:
///
/// - one against the rest: Σₖ ℓ(mₖ; ±1), a binary problem per class; the problems share the sequence
///   of samples, and so kernel values or features;
/// - softmax: ln Σₖ exp(mₖ) − m_y, the negative log-likelihood of P(k) = exp(mₖ)/Σ exp; gradient
///   P(k) − \[k = y\].
///
/// With two classes there is one output m, and both are the binary problem: softmax is the logistic
/// loss of m = m₂ − m₁.
///
/// # References
/// Bishop (2006), *Pattern Recognition and Machine Learning*, eq. 4.104–4.109.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MultiClass {
    /// Each class against the rest, with any loss for classes.
    OneVsRest,
    /// All classes at once, with the logistic loss.
    Softmax,
}
