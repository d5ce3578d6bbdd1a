//! More than two classes.

use kern_core::named_values;
use serde::{Deserialize, Serialize};

/// The ways to learn several classes. Not every learner has all of them.
///
/// # Definition
/// With outputs m₁ … m_c for c classes and the class y of a point:
///
/// - one against the rest: Σₖ ℓ(mₖ; ±1), a binary problem per class; the problems share the sequence
///   of samples, and so kernel values or features;
/// - one against one: a binary problem per pair a < b of classes, learned from their points only, in the order (0, 1), (0, 2) …
///   (1, 2) …; it votes for b if its output is positive, else for a;
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
    /// Each class against the rest, with any loss for classes. The greatest output wins, of equals the first.
    #[doc(alias = "OvR")]
    OneVsRest,
    /// Each class against each other. The class with the most votes wins, of equals the first, as in LIBSVM.
    #[doc(alias = "OvO")]
    OneVsOne,
    /// All classes at once, with the logistic loss.
    #[doc(alias = "multinomial")]
    Softmax,
}

named_values!(MultiClass { "one_vs_rest" => OneVsRest, "one_vs_one" => OneVsOne, "softmax" => Softmax });
