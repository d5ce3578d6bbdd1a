//! What all support vector machines have to be told.

use super::solver::Control;
use crate::{Error, Observer, tolerance};
use kern_core::{NonNegative, Positive};
use kern_gram::MemoryBudget;

/// Least number of steps after which a fit may give up, and how many more each point brings: LIBSVM's.
const LEAST_STEPS: usize = 10_000_000;
const STEPS_PER_POINT: usize = 100;

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) tolerance: f64,
    pub(super) relative_gap: Option<f64>,
    pub(super) max_iterations: Option<usize>,
    pub(super) bias: bool,
    pub(super) budget: Option<MemoryBudget>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: tolerance::DEFAULT_VIOLATION,
            relative_gap: None,
            max_iterations: None,
            bias: true,
            budget: None,
        }
    }
}

impl Settings {
    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), Error> {
        Positive::new("tolerance", self.tolerance)?;
        self.relative_gap
            .map_or(Ok(()), |gap| NonNegative::new("relative_gap", gap).map(|_| ()))?;
        Ok(())
    }

    /// The rules by which problems of n variables end.
    pub(super) fn control<'o>(
        &self,
        n: usize,
        observer: Option<&'o mut dyn Observer>,
    ) -> Control<'o> {
        let default = || STEPS_PER_POINT.saturating_mul(n).max(LEAST_STEPS);
        Control {
            tolerance: self.tolerance,
            relative_gap: self.relative_gap,
            max_iterations: self.max_iterations.unwrap_or_else(default),
            observer,
        }
    }
}

/// The penalty C > 0, which may be infinite.
pub(super) fn check_penalty(c: f64) -> Result<(), Error> {
    if c.is_infinite() && c > 0.0 {
        return Ok(());
    }
    Positive::new("c", c)?;
    Ok(())
}

/// C times the weight of a point.
pub(super) fn bound(c: f64, weight: f64) -> Result<f64, Error> {
    let given = c * weight;
    if given.is_infinite() && c.is_finite() {
        return Err(Error::Range { what: "C times the weight of a point", given });
    }
    Ok(given)
}

/// The sum of all bounds, of which a ν-machine takes a share.
pub(super) fn total<'b>(bounds: impl IntoIterator<Item = &'b f64>) -> Result<f64, Error> {
    let given: f64 = bounds.into_iter().map(|bound| bound.abs()).sum();
    let what = "the sum of C times the weights of the points";
    if given.is_finite() { Ok(given) } else { Err(Error::Range { what, given }) }
}

/// The setters that all machines share.
macro_rules! common_setters {
    () => {
        /// The greatest violation of the optimality conditions, in units of the margin. Default: 1e-3, as in LIBSVM.
        ///
        /// What rounding does not allow ends the fit with [`Status::Stalled`](crate::Status::Stalled) or
        /// [`Status::IterationsDone`](crate::Status::IterationsDone), and the violation that was reached.
        #[must_use]
        pub fn tolerance(mut self, tolerance: f64) -> Self {
            self.settings.tolerance = tolerance;
            self
        }

        /// Also stops as soon as the duality gap is so small relative to the primal objective. Default: no such rule.
        #[must_use]
        pub fn relative_gap(mut self, gap: f64) -> Self {
            self.settings.relative_gap = Some(gap);
            self
        }

        /// The greatest number of steps for each binary problem. A fit that needs more says so:
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: the greater of 10⁷ and 100 per
        /// point, as in LIBSVM.
        #[must_use]
        pub fn max_iterations(mut self, max_iterations: usize) -> Self {
            self.settings.max_iterations = Some(max_iterations);
            self
        }

        /// The weights of the points, by which their C is multiplied: integers repeat a point, and weight 0
        /// drops it. Default: 1 for all.
        #[must_use]
        pub fn sample_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
            self.weights = Some(weights.into());
            self
        }
    };
}
pub(super) use common_setters;

/// The setters that all machines on kernels share.
macro_rules! shared_setters {
    () => {
        $crate::svm::settings::common_setters!();

        /// The memory of the fit beyond its inputs. Default: [`MemoryBudget::available`](kern_gram::MemoryBudget::available) at the time of the fit.
        ///
        /// A copy of the points, unless all of them are used in their order, the vectors of the solver (72 bytes per point, 144 per
        /// variable of a problem, a coefficient per point and function) and a block of up to 1024² numbers come
        /// first. Kernel values get the rest: all of them are stored if they fit and take less than 1 GiB, else columns as
        /// far as they fit; the result is the same up to the tolerance. What a kernel on structured points, such as strings,
        /// keeps of each is not counted.
        #[must_use]
        pub fn budget(mut self, budget: kern_gram::MemoryBudget) -> Self {
            self.settings.budget = Some(budget);
            self
        }
    };
}
pub(super) use shared_setters;
