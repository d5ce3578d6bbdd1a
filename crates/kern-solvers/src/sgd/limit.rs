//! The storage of a descent, and its limit of time.

use super::SgdTask;
use super::descent::Descent;
use super::params::Storage;
use super::plan::cost;
use crate::Error;
use crate::plan::{Limits, Machine, Precision, Prediction, SLOWEST, Way, measured, refuse_beyond};
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes};
use std::time::Duration;

impl<T: Scalar> Descent<'_, T> {
    /// The storage: by counted work, if that was left to it, between two ways.
    pub(super) fn storage(
        &self,
        task: &SgdTask,
        (cached, on_the_fly): (Way, Way),
        budget: &MemoryBudget,
    ) -> Result<Storage, Error> {
        if self.storage != Storage::Auto {
            return Ok(self.storage);
        }
        let plan = task.plan(budget, &Machine::NOMINAL)?;
        let faster = plan.is_faster(cached, on_the_fly);
        Ok(if faster { Storage::Cached } else { Storage::OnTheFly })
    }
}

/// The effort that the limit of time is held against.
pub(super) struct Effort<'e> {
    pub(super) task: SgdTask,
    pub(super) way: Way,
    /// Ways to be named in the error, if they fit the memory and are faster.
    pub(super) others: &'e [Way],
    /// An upper bound on the seconds per kernel value, or 0.
    pub(super) upper: f64,
}

impl Effort<'_> {
    /// Refuses the way if it is predicted to take longer than the limit. Kernel and features are measured only if the
    /// limit is near.
    pub(super) fn check(
        &self,
        (limit, budget): (Option<Duration>, &MemoryBudget),
        measure: impl FnOnce(SgdTask) -> Result<SgdTask, Error>,
    ) -> Result<(), Error> {
        let predict = |way, task: &SgdTask, machine: &Machine| cost::predict(way, task, machine);
        let seconds = |prediction: Option<Prediction>| prediction.map_or(0.0, |p| p.seconds());
        let coarse = || {
            let nominal = Machine::NOMINAL.double.kernel_value.at(0.0);
            let task = self.task.kernel_seconds(nominal.max(self.upper / SLOWEST));
            SLOWEST * seconds(predict(self.way, &task, &Machine::NOMINAL))
        };
        let careful = || {
            let (task, machine) = (measure(self.task)?, measured(budget, Machine::this)?);
            let others = self.others.iter().filter(|&&other| other != self.way);
            let others = others.filter_map(|&other| predict(other, &task, &machine));
            let fitting = others.filter(|other| budget.fits(other.bytes()));
            let named = fitting.map(|other| (other.way().to_string(), other)).collect();
            Ok((seconds(predict(self.way, &task, &machine)), named))
        };
        refuse_beyond(limit, coarse, careful)
    }
}

/// Refuses the work of another learner on features, of which so many samples are looked at by so many functions each, if
/// it is predicted to take longer than the limit.
pub(crate) fn check_features<P: Points, M: FeatureMap<P>>(
    (map, points): (&M, &P),
    (samples, functions): (usize, usize),
    way: Way,
    limits: Limits<'_>,
) -> Result<(), Error> {
    if points.is_empty() || map.dim() == 0 {
        return Ok(());
    }
    let task = SgdTask::new(points.len(), 1, samples.max(1)).outputs(functions.max(1));
    let task = task.precision(Precision::of::<P::Scalar>()).exact_features(map.dim());
    Effort { task, way, others: &[], upper: 0.0 }
        .check(limits, |task| task.measure_exact(map, points))
}

/// Vectors of a number per point and output that a descent keeps: coefficients and their average, margins, the saved
/// ones, and sums of changes.
const VECTORS: usize = 6;

/// The part of a budget that vectors leave for columns or features: a column at least.
pub(super) fn beside_vectors(budget: &MemoryBudget, n: usize, outputs: usize) -> MemoryBudget {
    let column = matrix_bytes::<f64>(n, 1).min(budget.as_bytes());
    let vectors = matrix_bytes::<f64>(n, outputs.saturating_mul(VECTORS));
    MemoryBudget::bytes(budget.as_bytes().saturating_sub(vectors).max(column))
}
