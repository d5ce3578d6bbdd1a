//! Estimated costs of the ways to fit a table, and the accuracy lost by landmarks.

use crate::kernel::{Scale, build, usual};
use crate::rounds::{Features, Network, RoundsCost};
use crate::table_fit::weighted;
use crate::training::LANDMARKS;
use crate::{Error, Prepare, Training};
use kern_approx::Nystrom;
use kern_approx::machine::Affine;
use kern_data::Table;
use kern_gram::{DenseGram, MemoryBudget};
use kern_solvers::plan::{Machine, Plan, Precision};
use kern_solvers::ridge::RidgeTask;
use kern_solvers::{Learner, Run, Transformer};
use serde::Serialize;
use web_time::Instant;

/// The number of rows for timing kernel evaluations, and for evaluating landmarks.
const TIMED: usize = 300;
const JUDGED: usize = 4000;

/// Estimated costs of the ways to fit a table, and the accuracy lost by landmarks.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TablePlan {
    /// The kernel, with the parameters estimated from the data.
    pub kernel: String,
    /// The cost of ridge regression; SVMs and logistic regression on the kernel cost several times
    /// as much.
    pub costs: Plan,
    /// The number of landmarks.
    pub landmarks: usize,
    /// The share of the kernel's trace that is not explained by that many landmarks, on a sample of
    /// rows.
    pub unexplained: f64,
    /// One line of text on the cost of that many features in [rounds](crate::rounds), on this
    /// machine and on several.
    pub rounds: String,
}

impl Training {
    /// Estimates the cost of fitting a table within a memory budget. Times refer to this machine
    /// and this kernel.
    ///
    /// # Errors
    /// As [`learn`](Training::learn), except the errors of a fit.
    pub fn plan(&self, table: &Table, memory: &MemoryBudget) -> Result<TablePlan, Error> {
        let crate::table_fit::Parts { points, weights, .. } = self.parts(table)?;
        let schema = points.schema();
        let rows = points.rows(&schema)?;
        let prepare = Prepare::new().standardized(self.standardized);
        let prepared = prepare.learn(&weighted(&rows, weights.as_deref())?, &mut Run::new())?;
        let rows = prepared.transform(&rows)?;
        let formula = self.kernel.clone().unwrap_or_else(|| usual(&schema));
        let kernel = build(&formula, &schema, &rows, weights.as_deref(), Scale::median(self.seed))?;
        let spread = |count: usize| {
            let step = rows.len().div_ceil(count).max(1);
            rows.iter().step_by(step).cloned().collect::<Vec<_>>()
        };
        let timed = spread(TIMED);
        let values = (timed.len() * timed.len()).max(1) as f64 / 2.0;
        let start = Instant::now();
        DenseGram::new(&kernel, &timed, memory)?;
        let value = Affine { constant: start.elapsed().as_secs_f64() / values, rate: 0.0 };
        let mut machine = *Machine::current()?;
        machine.double.kernel_value = value;
        let judged = spread(JUDGED);
        let landmarks = self.landmarks.filter(|&m| m > 0).unwrap_or(LANDMARKS).min(rows.len());
        let tried = landmarks.min(judged.len());
        let map =
            Nystrom::new(kernel.clone()).landmarks(tried).seed(self.seed).fit(&judged, memory)?;
        let unexplained = map.report(&judged)?.relative_trace_error()?;
        let task = RidgeTask::new(rows.len(), 2, Precision::Double).landmarks(landmarks);
        let costs = task.plan(memory, &machine)?;
        let columns = schema.fields.len() as f64;
        let features = Features::Landmarks(landmarks);
        let rounds = RoundsCost::new(rows.len() as f64, columns, features, 1.0, false);
        let rounds = rounds.line(&Network::current()?).to_string();
        Ok(TablePlan { kernel: kernel.to_string(), costs, landmarks, unexplained, rounds })
    }
}
