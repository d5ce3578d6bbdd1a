//! Step sizes (learning rates): constant, α/√t, Pegasos' 1/(λt), and AdaGrad.

use crate::Error;
use kern_core::parameters::Domain;
use kern_core::{Positive, fields};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The step size α_t at step t = 1, 2, …
///
/// # Examples
/// ```
/// use kern_solvers::sgd::Schedule;
/// assert_eq!(Schedule::InverseSqrt(0.5).at(4, 0.0), 0.25);
/// assert_eq!(Schedule::Pegasos.at(4, 0.5), 0.5);
/// let halving = Schedule::function(|t| 0.5_f64.powi(t as i32));
/// assert_eq!(halving.at(3, 0.0), 0.125);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Schedule {
    /// α_t = α.
    Constant(f64),
    /// α_t = α/√t.
    InverseSqrt(f64),
    /// α_t = 1/(λt), for λ > 0.
    Pegasos,
    /// A step size for each coordinate of w: w_j ← w_j − α·g_j/√(Σ_{τ≤t} g²_{τ,j}), where g is the
    /// gradient of a step, penalty included. It suits features of unequal scale or frequency, such
    /// as exact sparse features or Nyström features. In w-space only, since u has no such
    /// coordinates (Duchi, Hazan & Singer 2011, *Adaptive Subgradient Methods*, fig. 1).
    AdaGrad(f64),
    /// α_t = f(t) for a function of the user. It cannot be serialised.
    #[serde(skip)]
    Function(StepFunction),
}

fields!(Schedule {
    Self::Constant(alpha) | Self::InverseSqrt(alpha) | Self::AdaGrad(alpha) => {
        "step_size": alpha in Domain::positive()
    }
    Self::Pegasos | Self::Function(_) => {}
});

impl Schedule {
    /// The schedule α_t = f(t). A fit fails at the first step size that is not finite and positive.
    pub fn function(f: impl Fn(usize) -> f64 + Send + Sync + 'static) -> Self {
        Self::Function(StepFunction(Arc::new(f)))
    }

    /// Returns true if each coordinate has its own step size.
    pub(super) fn is_adaptive(&self) -> bool {
        matches!(self, Self::AdaGrad(_))
    }

    /// α_t for the penalty λ; for AdaGrad, α.
    #[must_use]
    pub fn at(&self, t: usize, lambda: f64) -> f64 {
        match self {
            Schedule::Constant(alpha) | Schedule::AdaGrad(alpha) => *alpha,
            Schedule::InverseSqrt(alpha) => alpha / (t as f64).sqrt(),
            Schedule::Pegasos => 1.0 / (lambda * t as f64),
            Schedule::Function(StepFunction(f)) => f(t),
        }
    }

    pub(super) fn check(&self, lambda: f64) -> Result<(), Error> {
        match self {
            Schedule::Constant(alpha) | Schedule::InverseSqrt(alpha) | Schedule::AdaGrad(alpha) => {
                Positive::new("the step size", *alpha)?;
            }
            Schedule::Pegasos => {
                Positive::new("lambda (for the Pegasos schedule)", lambda)?;
            }
            Schedule::Function(_) => {}
        }
        Ok(())
    }
}

/// A function from steps to step sizes, made by [`Schedule::function`]. Two of them are equal if
/// one is a clone of the other.
#[derive(Clone)]
pub struct StepFunction(Arc<dyn Fn(usize) -> f64 + Send + Sync>);

impl PartialEq for StepFunction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for StepFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StepFunction(..)")
    }
}
