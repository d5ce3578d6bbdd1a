//! The settings of a fit on a kernel, and what it may take.

use super::RidgeTask;
use super::params::Settings;
use crate::design::Design;
use crate::plan::{Effort, Way, enough_landmarks, within};
use crate::{Error, Run};
use kern_core::{Mercer, Points};
use kern_gram::MemoryBudget;
use std::time::Duration;

/// Settings, memory and time.
#[derive(Clone, Copy)]
pub(super) struct Means<'m> {
    pub(super) settings: &'m Settings,
    pub(super) budget: MemoryBudget,
    pub(super) limit: Option<Duration>,
}

impl<'m> Means<'m> {
    pub(super) fn new(settings: &'m Settings, run: &Run<'_>) -> Self {
        Self { settings, budget: run.budget(), limit: run.predicted_limit() }
    }

    /// Refuses the problem if all of these ways are predicted to take longer than the limit; the error names landmarks, if
    /// they are faster.
    pub(super) fn check<P: Points, K: Mercer<P> + ?Sized>(
        &self,
        design: &Design<'_, P, K>,
        task: &RidgeTask,
        ways: &[Way],
    ) -> Result<(), Error> {
        let mut efforts = task.with_at_most(self.settings.most()).efforts();
        efforts.retain(|effort| ways.contains(&effort.way) && self.budget.fits(effort.bytes));
        self.check_efforts(design, task, &efforts)
    }

    /// The same for counted work of any kind.
    pub(super) fn check_efforts<P: Points, K: Mercer<P> + ?Sized>(
        &self,
        design: &Design<'_, P, K>,
        task: &RidgeTask,
        efforts: &[Effort],
    ) -> Result<(), Error> {
        if efforts.is_empty() {
            // The memory is refused where it is taken.
            return Ok(());
        }
        let landmarks = enough_landmarks(design.points().len());
        let others = [(format!("{landmarks} landmarks"), task.on_landmarks(landmarks))];
        within((self.limit, &self.budget), (&design.kernel, design.points()), efforts, &others)
    }
}
