//! The rounds so far, and who looks at them.

use super::walk::Chosen;
use crate::{FeatureRound, Progress, Run};
use faer::Mat;
use kern_core::Scalar;

/// A round.
pub(super) struct Entry<T: Scalar> {
    pub(super) chosen: Chosen<T>,
    /// The residuals by which it is judged.
    pub(super) residuals: Mat<f64>,
}

/// All rounds, in the order in which they were learned.
pub(super) struct Trace<'t, 'r, T: Scalar> {
    pub(super) entries: Vec<Entry<T>>,
    pub(super) rounds: Vec<FeatureRound>,
    run: &'t mut Run<'r>,
    /// All steps that there will be, and those so far.
    pub(super) total: usize,
    pub(super) steps: usize,
    pub(super) is_stopped: bool,
}

/// Rounds that follow from one another: their kernel, the kind of their M, and their places in the trace.
pub(super) struct Path {
    pub(super) kernel: usize,
    pub(super) diagonal: bool,
    pub(super) places: Vec<usize>,
}

impl<'t, 'r, T: Scalar> Trace<'t, 'r, T> {
    pub(super) fn new(run: &'t mut Run<'r>, total: usize) -> Self {
        let (entries, rounds) = (Vec::new(), Vec::new());
        Self { entries, rounds, run, total, steps: 0, is_stopped: false }
    }

    /// Adds a round, which leave-one-out judges for now, and returns its place.
    pub(super) fn push(&mut self, chosen: Chosen<T>, kernel: usize, diagonal: bool) -> usize {
        let Chosen { lambda, spread, error, .. } = chosen;
        let weight = 0.0;
        let round = FeatureRound { kernel, diagonal, lambda, spread, error, judged: error, weight };
        self.rounds.push(round);
        let left_out = &chosen.left_out.residuals;
        let (n, outputs) = left_out.shape();
        let residuals = Mat::from_fn(n, outputs, |i, j| left_out[(i, j)].to_f64());
        self.entries.push(Entry { chosen, residuals });
        self.show(error);
        self.entries.len() - 1
    }

    /// Shows a step to whoever looks on.
    pub(super) fn show(&mut self, loss: f64) {
        self.steps += 1;
        let progress = Progress { iteration: self.steps, total: self.total, loss };
        self.is_stopped = self.run.observe(&progress).is_break();
    }

    /// The first round of the least error that judges.
    pub(super) fn best(&self) -> usize {
        let judged = |i: &usize| self.rounds[*i].judged;
        let order = |a: &usize, b: &usize| judged(a).total_cmp(&judged(b));
        (0..self.rounds.len()).min_by(order).unwrap_or(0)
    }
}
