//! The settings that all support vector machines share: the rules by which they end, above all.

use super::solver::Control;
use super::{OneClass, Svc, Svdd, Svr};
use crate::space::{OnFeatures, OnLandmarks, OnSparse};
use crate::{Observer, tolerance};
use kern_core::parameters::Domain;
use kern_core::settings;

/// Least number of steps after which a fit may give up, and how many more each variable brings: LIBSVM's.
const LEAST_STEPS: usize = 10_000_000;
const STEPS_PER_VARIABLE: usize = 100;

settings! {
    /// The settings that all machines share.
    pub(super) struct Stopping in stopping;

    Svc, Svr, OneClass, Svdd {
        /// The greatest violation of the optimality conditions, in units of the margin, or of the squared radius of a ball. Default: 1e-3, as in LIBSVM.
        /// Beside it, the duality gap has to be within a hundredth of the objective, or the violation if that is more; within the
        /// `tolerance`, or without one the violation, it is [`Status::Converged`](crate::Status::Converged), else
        /// [`Status::ConvergedByViolation`](crate::Status::ConvergedByViolation).
        ///
        /// A violation that rounding does not allow ends the fit with [`Status::Stalled`](crate::Status::Stalled) or
        /// [`Status::IterationsDone`](crate::Status::IterationsDone), and the violation that was reached.
        #[doc(alias = "tol")]
        #[doc(alias = "tolerance")]
        #[doc(alias = "epsilon")]
        violation: f64 = tolerance::DEFAULT_VIOLATION, Domain::positive();
        /// Also stops as soon as the duality gap is so small relative to the objective. Default: no such rule.
        tolerance: f64, Domain::non_negative().log();
        /// The greatest number of steps for each problem. A fit that needs more says so:
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: the greater of 10⁷ and 100 per
        /// variable, as in LIBSVM.
        max_iterations: usize;
    }
    Svc, Svr {
        /// An intercept b, which is not penalised, or none. Without one the coefficients are not coupled,
        /// and dual coordinate ascent solves the problem. Default: true.
        intercept: bool = true;
    }
    Svc, Svr on OnFeatures, OnLandmarks, OnSparse {
        /// Squared losses, C Σξᵢ² in the place of C Σξᵢ, as in LIBLINEAR. Default: false.
        squared: bool = false;
    }
    Svc, Svr, OneClass, Svdd on OnFeatures, OnLandmarks, OnSparse {
        /// The seed of the order in which coefficients are visited. Default: 0.
        seed: u64 = 0;
    }
}

impl Stopping {
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
        Control { violation: self.violation, gap: self.tolerance, max_iterations, observer }
    }
}
