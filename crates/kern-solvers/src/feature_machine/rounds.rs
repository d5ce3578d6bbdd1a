//! The rounds of one machine.

use super::crossed::{Step, folds};
use super::function::Term;
use super::gradients::{self, Fitted};
use super::metric::{Metric, mean_square};
use super::params::Settings;
use super::stack;
use super::walk::{Chosen, Place, Walk};
use crate::{Error, FeatureRound, LeafRounds, Progress, Report, Run, Status};
use faer::{ColRef, Mat, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::numerics::arithmetic::scale_rows;
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

/// Points with their targets and weights, all of which are positive.
pub(super) struct Problem<'p, T: Scalar, K> {
    /// All kernels, and the one that is looked at.
    pub(super) kernels: &'p [K],
    pub(super) kernel: &'p K,
    pub(super) settings: &'p Settings,
    pub(super) points: &'p Samples<T>,
    pub(super) targets: MatRef<'p, T>,
    pub(super) weights: Option<&'p [f64]>,
    /// The number of points over that of those with a positive weight.
    pub(super) share: f64,
}

/// A learned function: a sum of functions of images, each in a metric, and what is known of it.
pub(super) struct Learned<T: Scalar, K> {
    pub(super) terms: Vec<Term<T, K>>,
    pub(super) report: Report,
    pub(super) rounds: LeafRounds,
}

/// A round.
struct Entry<T: Scalar> {
    chosen: Chosen<T>,
    /// Those by which it is judged.
    residuals: Mat<f64>,
}

/// The rounds so far, and who looks at them.
struct Trace<'t, 'r, T: Scalar> {
    entries: Vec<Entry<T>>,
    rounds: Vec<FeatureRound>,
    run: &'t mut Run<'r>,
    total: usize,
    steps: usize,
    is_stopped: bool,
}

impl<T: Scalar> Trace<'_, '_, T> {
    fn push(&mut self, chosen: Chosen<T>, kernel: usize, diagonal: bool) {
        let Chosen { lambda, spread, error, .. } = chosen;
        let weight = 0.0;
        let round = FeatureRound { kernel, diagonal, lambda, spread, error, judged: error, weight };
        self.rounds.push(round);
        let left_out = &chosen.left_out.residuals;
        let (n, outputs) = left_out.shape();
        let residuals = Mat::from_fn(n, outputs, |i, j| left_out[(i, j)].to_f64());
        self.entries.push(Entry { chosen, residuals });
        self.show(error);
    }

    fn show(&mut self, loss: f64) {
        self.steps += 1;
        let progress = Progress { iteration: self.steps, total: self.total, loss };
        self.is_stopped = self.run.observe(&progress).is_break();
    }

    /// The first round of the least error that judges.
    fn best(&self) -> usize {
        let judged = |i: &usize| self.rounds[*i].judged;
        let order = |a: &usize, b: &usize| judged(a).total_cmp(&judged(b));
        (0..self.rounds.len()).min_by(order).unwrap_or(0)
    }
}

/// Rounds that follow from one another: their kernel, the kind of their M, and their places in the trace.
struct Path {
    kernel: usize,
    diagonal: bool,
    places: Vec<usize>,
}

impl<T, K> Problem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// The machine of the best round, or the mean of several. Every round is shown by its leave-one-out error, every fold by the
    /// least one.
    pub(super) fn learn(&self, run: &mut Run<'_>) -> Result<Learned<T, K>, Error> {
        let budget = self.inner(&run.budget())?;
        let limit = run.predicted_limit();
        let inner = || Run::new().memory(budget).time_limit(limit);
        let kinds = self.settings.kinds();
        let total = self.judges() + self.kernels.len() * (1 + kinds.len() * self.settings.rounds);
        let (entries, rounds, steps, is_stopped) = (Vec::new(), Vec::new(), 0, false);
        let mut trace = Trace { entries, rounds, run, total, steps, is_stopped };
        let mut paths = Vec::new();
        let mut memory = None;
        for kernel in 0..self.kernels.len() {
            if trace.is_stopped {
                break;
            }
            let own = self.with_kernel(kernel);
            let mut walk = Walk { problem: &own, run: inner(), memory };
            let first = walk.choose(&Metric::identity(self.points.dim()), Place::START)?;
            trace.push(first, kernel, kinds == [true]);
            let first = trace.entries.len() - 1;
            for &diagonal in kinds {
                let mut path = Path { kernel, diagonal, places: vec![first] };
                own.descend(&mut walk, &mut trace, &mut path)?;
                paths.push(path);
            }
            memory = walk.memory;
        }
        drop(memory);
        self.judge(&mut trace, &paths, &inner())?;
        self.finish(trace)
    }

    /// The same problem with another of the kernels.
    fn with_kernel(&self, kernel: usize) -> Self {
        Problem { kernel: &self.kernels[kernel], ..*self }
    }

    /// The function of the best round, or the mean of those that have weight.
    fn finish(&self, trace: Trace<'_, '_, T>) -> Result<Learned<T, K>, Error> {
        let best = trace.best();
        let weights = self.weights_of(&trace, best);
        let Trace { entries, mut rounds, steps, total, is_stopped, .. } = trace;
        let (mut terms, mut report): (Vec<Term<T, K>>, Option<Report>) = (Vec::new(), None);
        for (place, (entry, weight)) in entries.into_iter().zip(weights).enumerate() {
            rounds[place].weight = weight;
            if weight <= 0.0 {
                continue;
            }
            let Chosen { metric, lambda, left_out, .. } = entry.chosen;
            let images = metric.map(self.points)?;
            let ridge = self.with_kernel(rounds[place].kernel).ridge(lambda);
            let (expansion, own) = ridge.known(&self.data(&images)?, &left_out, self.targets)?;
            let expansion = expansion.times(T::from_f64(weight));
            terms.push(Term { weight, metric, expansion });
            report = Some(report.map_or_else(|| own.clone(), |sum| sum.joined(&own)));
        }
        let report = report.ok_or(Error::Empty)?;
        let status = if is_stopped && steps < total { Status::Stopped } else { report.status };
        let report = Report { status, iterations: rounds.len(), ..report };
        let rounds = LeafRounds { points: self.points.len(), rounds, chosen: best };
        Ok(Learned { terms, report, rounds })
    }

    /// The weight of each round.
    fn weights_of(&self, trace: &Trace<'_, '_, T>, best: usize) -> Vec<f64> {
        let count = trace.entries.len();
        let mut weights = vec![0.0; count];
        if !self.settings.stacked || trace.is_stopped {
            weights[best] = 1.0;
            return weights;
        }
        // Infinite residuals are of rounds that could not be repeated.
        let places: Vec<usize> = (0..count).filter(|&k| trace.rounds[k].judged.is_finite()).collect();
        let residuals = |k: usize| &trace.entries[places[k]].residuals;
        let q = Mat::from_fn(places.len(), places.len(), |k, l| self.inner_product(residuals(k), residuals(l)));
        for (&place, weight) in places.iter().zip(stack::weights(q.as_ref())) {
            weights[place] = weight;
        }
        weights
    }

    /// Σ βᵢ aᵢbᵢ, summed over outputs.
    fn inner_product(&self, a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        let of_output = |(a, b): (ColRef<'_, f64>, ColRef<'_, f64>)| -> f64 {
            let pairs = a.iter().zip(b.iter()).enumerate();
            pairs.map(|(i, (a, b))| self.weights.map_or(1.0, |weights| weights[i]) * a * b).sum()
        };
        a.col_iter().zip(b.col_iter()).map(of_output).sum()
    }

    /// All rounds after the first one of a path.
    fn descend(
        &self,
        walk: &mut Walk<'_, '_, '_, T, K>,
        trace: &mut Trace<'_, '_, T>,
        path: &mut Path,
    ) -> Result<(), Error> {
        let spread = self.spread()?;
        let mut last = path.places[0];
        for _ in 0..self.settings.rounds {
            if trace.is_stopped {
                break;
            }
            let Chosen { metric, left_out, place, .. } = &trace.entries[last].chosen;
            let images = metric.map(self.points)?;
            let alpha = self.unwhitened(left_out.gamma.clone());
            let metric = self.next((metric, &images), alpha.as_ref(), path.diagonal)?;
            // f is constant: M is 0, and so it stays.
            let Some(metric) = self.scaled(&metric, spread, false)? else { break };
            let chosen = walk.choose(&metric, *place)?;
            trace.push(chosen, path.kernel, path.diagonal);
            last = trace.entries.len() - 1;
            path.places.push(last);
        }
        Ok(())
    }

    /// The folds by which rounds are judged, as far as there are points for them; 0 for none.
    fn judges(&self) -> usize {
        let folds = self.settings.folds.min(self.points.len());
        if folds < 2 || self.settings.rounds == 0 { 0 } else { folds }
    }

    /// Judges all rounds by errors of targets that M has not seen.
    fn judge(
        &self,
        trace: &mut Trace<'_, '_, T>,
        paths: &[Path],
        run: &Run<'_>,
    ) -> Result<(), Error> {
        let count = self.judges();
        if count == 0 || trace.is_stopped {
            return Ok(());
        }
        let least = trace.rounds[trace.best()].error;
        let step = |&place: &usize| -> Step {
            (trace.rounds[place].lambda, trace.rounds[place].spread)
        };
        let steps: Vec<Vec<Step>> =
            paths.iter().map(|path| path.places.iter().map(step).collect()).collect();
        let (n, outputs) = (self.points.len(), self.targets.ncols());
        let empty = |path: &Path| -> Result<Vec<Mat<f64>>, kern_core::Error> {
            path.places.iter().map(|_| zeros(n, outputs)).collect()
        };
        let mut residuals = paths.iter().map(empty).collect::<Result<Vec<_>, _>>()?;
        for (number, fold) in folds(n, count, self.settings.seed).iter().enumerate() {
            for ((path, steps), residuals) in paths.iter().zip(&steps).zip(&mut residuals) {
                let own = self.with_kernel(path.kernel);
                own.cross(fold, (steps, path.diagonal), residuals, run)?;
            }
            trace.show(least);
            if trace.is_stopped && number + 1 < count {
                return Ok(());
            }
        }
        for (path, residuals) in paths.iter().zip(residuals) {
            for (&place, residuals) in path.places.iter().zip(residuals) {
                trace.rounds[place].judged = self.mean(&residuals);
                trace.entries[place].residuals = residuals;
            }
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
        let rounds = self.kernels.len() * (1 + self.settings.kinds().len() * self.settings.rounds);
        let own = matrix_bytes::<T>(n, 2 * dim)
            .saturating_add(matrix_bytes::<f64>(n, outputs.saturating_mul(6 + 6 * rounds)))
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
