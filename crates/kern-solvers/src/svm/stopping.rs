//! The settings that all support vector machines share: the rules by which they end, above all.

use super::solver::Control;
use crate::{Error, Observer, tolerance};
use kern_core::{NonNegative, Positive};
use serde::{Deserialize, Serialize};

/// Least number of steps after which a fit may give up, and how many more each variable brings: LIBSVM's.
const LEAST_STEPS: usize = 10_000_000;
const STEPS_PER_VARIABLE: usize = 100;

/// The settings that all machines share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stopping {
    pub(super) violation: f64,
    /// Relative to the objective.
    pub(super) gap: Option<f64>,
    pub(super) max_iterations: Option<usize>,
    pub(super) intercept: bool,
    /// Squared losses, on features.
    pub(super) squared: bool,
    /// The order of visits, on features.
    pub(super) seed: u64,
}

impl Default for Stopping {
    fn default() -> Self {
        Self {
            violation: tolerance::DEFAULT_VIOLATION,
            gap: None,
            max_iterations: None,
            intercept: true,
            squared: false,
            seed: 0,
        }
    }
}

impl Stopping {
    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), Error> {
        Positive::new("violation", self.violation)?;
        self.gap.map_or(Ok(()), |gap| NonNegative::new("tolerance", gap).map(|_| ()))?;
        Ok(())
    }

    /// The most steps of a problem of n variables.
    pub(super) fn most_steps(&self, n: usize) -> usize {
        let default = || STEPS_PER_VARIABLE.saturating_mul(n).max(LEAST_STEPS);
        self.max_iterations.unwrap_or_else(default)
    }

    /// The rules by which problems of n variables end.
    pub(super) fn control<'o>(
        &self,
        n: usize,
        observer: Option<&'o mut dyn Observer>,
    ) -> Control<'o> {
        let max_iterations = self.most_steps(n);
        Control { violation: self.violation, gap: self.gap, max_iterations, observer }
    }
}
