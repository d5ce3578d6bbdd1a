//! Predictions next to measurements.

use crate::problem::{Problem, nominal};
use anyhow::Result;
use kern::gram::MemoryBudget;
use kern::solvers::SgdTask;
use kern::solvers::plan::{Algorithm, Machine, Plan};
use kern::{Points, Samples};
use std::fmt;

/// Ways that need more operations than this, by the table of costs, are not run.
const OPERATIONS: f64 = 1e10;
/// A prediction within this factor is good.
const FACTOR: f64 = 2.0;
/// A recommended way within this factor of the fastest is good.
const REGRET: f64 = 1.3;

/// A setting: the plan, and what each way took.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The plan, without approximation.
    pub(crate) exact: Plan,
    /// The plan with approximation welcome.
    pub(crate) any: Plan,
    /// The number T of steps.
    pub(crate) steps: usize,
    /// Ways that were run, and their seconds.
    pub(crate) measured: Vec<(Algorithm, f64)>,
    /// Ways that were not run, since they need too many operations.
    pub(crate) skipped: usize,
}

impl Setting {
    /// Plans and runs a problem.
    ///
    /// # Errors
    /// If a fit fails.
    pub(crate) fn run(
        problem: &Problem,
        task: &SgdTask,
        budget: MemoryBudget,
        machine: &Machine,
    ) -> Result<Self> {
        let exact = problem.plan(task, &budget, machine)?;
        let any = problem.plan(&task.allow_approximation(true), &budget, machine)?;
        let (n, d) = (problem.points.len(), Samples::dim(&problem.points));
        let (mut measured, mut skipped) = (Vec::new(), 0);
        for prediction in exact.predictions().iter().filter(|p| p.fits()) {
            let algorithm = prediction.algorithm();
            let sizes = [n, d, problem.features(algorithm).unwrap_or(0), task.steps()];
            if nominal(algorithm, sizes) > OPERATIONS {
                skipped += 1;
            } else {
                measured.push((algorithm, problem.measure(algorithm, task.steps(), budget, 2)?));
            }
        }
        Ok(Self { exact, any, steps: task.steps(), measured, skipped })
    }

    fn seconds(&self, algorithm: Algorithm) -> Option<f64> {
        self.measured.iter().find(|(other, _)| *other == algorithm).map(|(_, seconds)| *seconds)
    }

    /// Predicted over measured seconds of each way that was run.
    #[must_use]
    pub(crate) fn ratios(&self) -> Vec<(Algorithm, f64)> {
        let ratio = |&(algorithm, seconds): &(Algorithm, f64)| {
            Some((algorithm, self.exact.prediction(algorithm)?.seconds() / seconds))
        };
        self.measured.iter().filter_map(ratio).collect()
    }

    /// The seconds of the recommended way over those of the fastest that was open to the
    /// recommendation; none if the recommended way was not run.
    #[must_use]
    pub(crate) fn regret(&self, plan: &Plan, approximation: bool) -> Option<f64> {
        let recommended = self.seconds(plan.recommended()?)?;
        let open =
            self.measured.iter().filter(|(algorithm, _)| approximation || algorithm.is_exact());
        Some(recommended / open.map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min))
    }
}

/// The setting and its ways in one line: predicted/measured milliseconds of each, `>` before the recommended one, `*` after
/// the fastest of the exact ones, `!` after a prediction that is off by more than a factor of two.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.exact.task())?;
        let exact = self.measured.iter().filter(|m| m.0.is_exact());
        let fastest = exact.min_by(|a, b| a.1.total_cmp(&b.1)).map(|m| m.0);
        for (&(algorithm, seconds), (_, ratio)) in self.measured.iter().zip(self.ratios()) {
            let number =
                Algorithm::SGD.iter().position(|&other| other == algorithm).map_or(0, |k| k + 1);
            let recommended = if self.exact.recommended() == Some(algorithm) { ">" } else { "" };
            let star = if fastest == Some(algorithm) { "*" } else { "" };
            let wrong = if (1.0 / FACTOR..=FACTOR).contains(&ratio) { "" } else { "!" };
            let (predicted, measured) = (1e3 * ratio * seconds, 1e3 * seconds);
            write!(f, "  {recommended}{number}{star} {predicted:.2}/{measured:.2}{wrong}")?;
        }
        Ok(())
    }
}

/// The quality of the predictions and recommendations of some settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Accuracy {
    /// Predictions within a factor of two, and all.
    pub(crate) predictions: (usize, usize),
    /// Recommendations within 1.3 of the fastest exact way, and all.
    pub(crate) exact: (usize, usize),
    /// Recommendations within 1.3 of the fastest of all ways, and all.
    pub(crate) any: (usize, usize),
    /// Ways that were not run.
    pub(crate) skipped: usize,
}

/// Counts what is good.
#[must_use]
pub(crate) fn judge(settings: &[Setting]) -> Accuracy {
    let mut accuracy = Accuracy::default();
    let count = |(good, all): &mut (usize, usize), is_good: bool| {
        *good += usize::from(is_good);
        *all += 1;
    };
    for setting in settings {
        for (_, ratio) in setting.ratios() {
            count(&mut accuracy.predictions, (1.0 / FACTOR..=FACTOR).contains(&ratio));
        }
        if let Some(regret) = setting.regret(&setting.exact, false) {
            count(&mut accuracy.exact, regret <= REGRET);
        }
        if let Some(regret) = setting.regret(&setting.any, true) {
            count(&mut accuracy.any, regret <= REGRET);
        }
        accuracy.skipped += setting.skipped;
    }
    accuracy
}
