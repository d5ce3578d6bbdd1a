//! Step sizes.

use crate::Error;
use kern_core::Positive;
use serde::{Deserialize, Serialize};

/// The step size α_t at step t = 1, 2, …
///
/// # Examples
/// ```
/// use kern_solvers::sgd::Schedule;
/// assert_eq!(Schedule::InverseSqrt(0.5).at(4, 0.0), 0.25);
/// assert_eq!(Schedule::Pegasos.at(4, 0.5), 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Schedule {
    /// α_t = α.
    Constant(f64),
    /// α_t = α/√t.
    InverseSqrt(f64),
    /// α_t = 1/(λt), for λ > 0.
    Pegasos,
}

impl Schedule {
    /// α_t with penalty λ.
    #[must_use]
    pub fn at(self, t: usize, lambda: f64) -> f64 {
        match self {
            Schedule::Constant(alpha) => alpha,
            Schedule::InverseSqrt(alpha) => alpha / (t as f64).sqrt(),
            Schedule::Pegasos => 1.0 / (lambda * t as f64),
        }
    }

    pub(super) fn check(self, lambda: f64) -> Result<(), Error> {
        match self {
            Schedule::Constant(alpha) | Schedule::InverseSqrt(alpha) => {
                Positive::new("the step size", alpha)?;
            }
            Schedule::Pegasos => {
                Positive::new("l2 (for the Pegasos schedule)", lambda)?;
            }
        }
        Ok(())
    }
}
