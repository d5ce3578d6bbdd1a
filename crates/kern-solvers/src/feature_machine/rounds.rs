//! The rounds of one machine.

use super::crossed::{Folds, Step, Sums};
use super::gradients::{self, Fitted};
use super::metric::{Metric, mean_square};
use super::params::Settings;
use super::walk::{Chosen, Place, Walk};
use crate::model::KernelExpansion;
use crate::{Error, FeatureRound, LeafRounds, Progress, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::numerics::arithmetic::scale_rows;
use kern_gram::{MemoryBudget, matrix_bytes};

/// Points with their targets and weights, all of which are positive.
pub(super) struct Problem<'p, T: Scalar, K> {
    pub(super) kernel: &'p K,
    pub(super) settings: &'p Settings,
    pub(super) points: &'p Samples<T>,
    pub(super) targets: MatRef<'p, T>,
    pub(super) weights: Option<&'p [f64]>,
    /// The number of points over that of those with a positive weight.
    pub(super) share: f64,
}

/// A learned function of images in a metric.
pub(super) struct Learned<T: Scalar, K> {
    pub(super) metric: Metric,
    pub(super) expansion: KernelExpansion<Samples<T>, K>,
    pub(super) report: Report,
    pub(super) rounds: LeafRounds,
}

/// The rounds so far, and who looks at them.
struct Trace<'t, 'r, T: Scalar> {
    chosen: Vec<Chosen<T>>,
    rounds: Vec<FeatureRound>,
    run: &'t mut Run<'r>,
    total: usize,
    steps: usize,
    is_stopped: bool,
}

impl<T: Scalar> Trace<'_, '_, T> {
    fn push(&mut self, chosen: Chosen<T>, diagonal: bool) {
        let Chosen { lambda, spread, error, .. } = chosen;
        self.rounds.push(FeatureRound { diagonal, lambda, spread, error, judged: error });
        self.chosen.push(chosen);
        self.show(error);
    }

    fn show(&mut self, loss: f64) {
        self.steps += 1;
        let progress = Progress { iteration: self.steps, total: self.total, loss };
        self.is_stopped = self.run.observe(&progress).is_break();
    }

    /// The round with the least error that judges.
    fn best(&self) -> usize {
        let judged = |i: &usize| self.rounds[*i].judged;
        let first_least = |a: &usize, b: &usize| judged(a).total_cmp(&judged(b));
        (0..self.rounds.len()).min_by(first_least).unwrap_or(0)
    }
}

impl<T, K> Problem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// The machine of the best round. Every round is shown by its leave-one-out error, every fold by the least one.
    pub(super) fn learn(&self, run: &mut Run<'_>) -> Result<Learned<T, K>, Error> {
        let budget = self.inner(&run.budget())?;
        let limit = run.predicted_limit();
        let inner = || Run::new().memory(budget).time_limit(limit);
        let kinds = self.settings.kinds();
        let total = self.judges() + 1 + kinds.len() * self.settings.rounds;
        let (chosen, rounds, steps, is_stopped) = (Vec::new(), Vec::new(), 0, false);
        let mut trace = Trace { chosen, rounds, run, total, steps, is_stopped };
        let mut walk = Walk { problem: self, run: inner(), memory: None };
        let first = walk.choose(&Metric::identity(self.points.dim()), Place::START)?;
        trace.push(first, kinds == [true]);
        for &diagonal in kinds {
            self.descend(&mut walk, &mut trace, diagonal)?;
        }
        drop(walk);
        self.judge(&mut trace, &inner())?;
        let best = trace.best();
        let Trace { mut chosen, rounds, steps, is_stopped, .. } = trace;
        let Chosen { metric, lambda, left_out, .. } = chosen.swap_remove(best);
        let images = metric.map(self.points)?;
        let ridge = self.ridge(lambda);
        let (expansion, report) = ridge.known(&self.data(&images)?, &left_out, self.targets)?;
        let status = if is_stopped && steps < total { Status::Stopped } else { report.status };
        let report = Report { status, iterations: rounds.len(), ..report };
        let rounds = LeafRounds { points: self.points.len(), rounds, chosen: best };
        Ok(Learned { metric, expansion, report, rounds })
    }

    /// All rounds after the first one, with one kind of M.
    fn descend(
        &self,
        walk: &mut Walk<'_, '_, T, K>,
        trace: &mut Trace<'_, '_, T>,
        diagonal: bool,
    ) -> Result<(), Error> {
        let spread = self.spread()?;
        let mut last = 0;
        for _ in 0..self.settings.rounds {
            if trace.is_stopped {
                break;
            }
            let Chosen { metric, left_out, place, .. } = &trace.chosen[last];
            let images = metric.map(self.points)?;
            let alpha = self.unwhitened(left_out.gamma.clone());
            let metric = self.next((metric, &images), alpha.as_ref(), diagonal)?;
            // f is constant: M is 0, and so it stays.
            let Some(metric) = self.scaled(&metric, spread, false)? else { break };
            let chosen = walk.choose(&metric, *place)?;
            trace.push(chosen, diagonal);
            last = trace.chosen.len() - 1;
        }
        Ok(())
    }

    /// The folds by which rounds are judged, as far as there are points for them; 0 for none.
    fn judges(&self) -> usize {
        let folds = self.settings.folds.min(self.points.len());
        if folds < 2 || self.settings.rounds == 0 { 0 } else { folds }
    }

    /// Judges all rounds by errors of targets that M has not seen.
    fn judge(&self, trace: &mut Trace<'_, '_, T>, run: &Run<'_>) -> Result<(), Error> {
        let count = self.judges();
        if count == 0 || trace.is_stopped || trace.rounds.len() < 2 {
            return Ok(());
        }
        let folds = Folds::new(self.points.len(), count, self.settings.seed);
        let step = |round: &FeatureRound| -> Step { (round.lambda, round.spread) };
        // Both kinds begin with the same round.
        let mut kinds = Vec::new();
        for &diagonal in self.settings.kinds() {
            let own = |&i: &usize| i == 0 || trace.rounds[i].diagonal == diagonal;
            let places: Vec<usize> = (0..trace.rounds.len()).filter(own).collect();
            let steps: Vec<Step> = places.iter().map(|&i| step(&trace.rounds[i])).collect();
            let sums = Sums::new(places.len());
            kinds.push((diagonal, places, steps, sums));
        }
        let least = trace.rounds[trace.best()].error;
        for number in 0..count {
            for (diagonal, _, steps, sums) in &mut kinds {
                self.add_fold((&folds, number), (steps, *diagonal), sums, run)?;
            }
            trace.show(least);
            if trace.is_stopped && number + 1 < count {
                return Ok(());
            }
        }
        for (_, places, _, sums) in &kinds {
            let judged = places.iter().zip(sums.errors());
            judged.for_each(|(&place, error)| trace.rounds[place].judged = error);
        }
        Ok(())
    }

    /// The direction of the greatest eigenvalue of the M of one round.
    pub(super) fn direction(&self, run: &Run<'_>) -> Result<Vec<f64>, Error> {
        let inner = Run::new().memory(self.inner(&run.budget())?).time_limit(run.predicted_limit());
        let dim = self.points.dim();
        let mut first = vec![0.0; dim];
        first[0] = 1.0;
        if self.spread()? <= 0.0 {
            return Ok(first);
        }
        let mut walk = Walk { problem: self, run: inner, memory: None };
        let chosen = walk.choose(&Metric::identity(dim), Place::START)?;
        let images = chosen.metric.map(self.points)?;
        let alpha = self.unwhitened(chosen.left_out.gamma);
        let diagonal = self.settings.kinds() == [true];
        let m = self.outer_products((&chosen.metric, &images), alpha.as_ref(), diagonal)?;
        // The rows of this root belong to eigenvalues, which ascend.
        Ok(match Metric::of(m.as_ref(), false)? {
            Metric::Diagonal(scales) => {
                let top = (0..dim).fold(0, |top, k| if scales[k] > scales[top] { k } else { top });
                (0..dim).map(|k| if k == top { 1.0 } else { 0.0 }).collect()
            }
            Metric::Full(root) if root.nrows() > 0 => {
                let row = root.row(root.nrows() - 1);
                let length = row.norm_l2();
                row.iter().map(|v| v / length).collect()
            }
            Metric::Full(_) => first,
        })
    }

    /// The budget without images, gradients and eigenvectors.
    fn inner(&self, budget: &MemoryBudget) -> Result<MemoryBudget, Error> {
        let (n, dim, outputs) = (self.points.len(), self.points.dim(), self.targets.ncols());
        let own = matrix_bytes::<T>(n, 2 * dim + 6 * outputs)
            .saturating_add(gradients::bytes::<T>(dim, outputs))
            .saturating_add(Metric::bytes(dim));
        let instead = "take a diagonal metric of fewer features";
        budget.require("images of points and gradients", own, instead)?;
        Ok(MemoryBudget::bytes(budget.as_bytes() - own))
    }

    /// The mean squared distance that the points have as they are, or 0 if all are equal.
    pub(super) fn spread(&self) -> Result<f64, Error> {
        let given = mean_square(self.points, self.weights);
        if given.is_finite() {
            return Ok(given);
        }
        Err(Error::Range { what: "the mean squared distance of the points", given })
    }

    /// α = B^½γ.
    pub(super) fn unwhitened(&self, mut gamma: Mat<T>) -> Mat<T> {
        let roots: Option<Vec<T>> = self.weights.map(|weights| {
            weights.iter().map(|weight| T::from_f64(weight.sqrt())).collect()
        });
        scale_rows(&mut gamma, roots.as_deref());
        gamma
    }

    /// The metric of the average outer product of gradients.
    pub(super) fn next(
        &self,
        fitted: (&Metric, &Samples<T>),
        alpha: MatRef<'_, T>,
        diagonal: bool,
    ) -> Result<Metric, Error> {
        let m = self.outer_products(fitted, alpha, diagonal)?;
        Metric::of(m.as_ref(), !self.kernel.is_rotation_invariant())
    }

    /// The average outer product of gradients, with a share of the mean of its diagonal: its lower triangle, or its diagonal as
    /// a column.
    fn outer_products(
        &self,
        (metric, images): (&Metric, &Samples<T>),
        alpha: MatRef<'_, T>,
        diagonal: bool,
    ) -> Result<Mat<f64>, Error> {
        let least = T::UNIT_ROUNDOFF * mean_square(images, self.weights);
        let (kernel, weights) = (self.kernel, self.weights);
        let fitted = Fitted { kernel, metric, images, alpha, weights, least };
        let mut m = fitted.outer_products(diagonal)?;
        let dim = m.nrows();
        let place = |k: usize| (k, if m.ncols() == 1 { 0 } else { k });
        let places: Vec<(usize, usize)> = (0..dim).map(place).collect();
        let mean = places.iter().map(|&at| m[at]).sum::<f64>() / dim as f64;
        places.iter().for_each(|&at| m[at] += self.settings.shrinkage * mean);
        Ok(m)
    }
}
