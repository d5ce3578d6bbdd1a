//! Recursion of a feature machine: ridge regression in a metric, the average gradient outer product
//! of its function, and the metric of the next round; finally the function of the best round, or a
//! weighted mean.

use super::average_gradient_outer_product::{Fitted, outer_product_bytes, pulled_back, shrunk};
use super::learned_metric::{Metric, mean_square};
use super::leave_one_out_search::{Chosen, Place, Walk};
use super::metric_tree::Term;
use super::recursive_feature_machine::FeatureMachineSettings;
use crate::ridge::{Memory, Ridge};
use crate::space::OnKernel;
use crate::{Data, Error, FeatureRound, LeafRounds, Progress, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::numerics::arithmetic::{argmax, scale_rows};
use kern_gram::numerics::cholesky::inverse_diagonal_bytes;
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

/// Points with their targets and weights, all of which are positive.
pub(super) struct MetricProblem<'p, T: Scalar, K> {
    /// All kernels, and the current one.
    pub(super) kernels: &'p [K],
    pub(super) kernel: &'p K,
    pub(super) settings: &'p FeatureMachineSettings,
    pub(super) points: &'p Samples<T>,
    pub(super) targets: MatRef<'p, T>,
    pub(super) weights: Option<&'p [f64]>,
    /// The number of points divided by the number of those with a positive weight.
    pub(super) share: f64,
}

/// Some of the points of a problem, with their targets and weights.
pub(super) struct Part<T: Scalar> {
    points: Samples<T>,
    targets: Mat<T>,
    weights: Option<Vec<f64>>,
}

/// A learned function: a sum of functions of mapped points, each with its metric, and its reports.
pub(super) struct LearnedLeaf<T: Scalar, K> {
    pub(super) terms: Vec<Term<T, K>>,
    pub(super) report: Report,
    pub(super) rounds: LeafRounds,
}

impl<T, K> MetricProblem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// Learns the function of the best round, or the weighted mean of several. The observer gets
    /// the leave-one-out error of each round, and for each fold the smallest of them.
    pub(super) fn learn(&self, run: &mut Run<'_>) -> Result<LearnedLeaf<T, K>, Error> {
        let budget = self.inner(&run.budget())?;
        let limit = run.predicted_limit();
        let inner = || Run::new().memory(budget).time_limit(limit);
        let mut trace = Trace::new(run, self.judges() + self.most_rounds());
        let mut paths = Vec::new();
        for kernel in 0..self.kernels.len() {
            if trace.is_stopped {
                break;
            }
            self.with_kernel(kernel).explore(kernel, &mut trace, &mut paths, inner())?;
        }
        self.judge(&mut trace, &paths, &inner())?;
        self.finish(trace)
    }

    /// Runs all rounds with one kernel: the first, and from it one path for each kind of M.
    fn explore(
        &self,
        kernel: usize,
        trace: &mut Trace<'_, '_, T>,
        paths: &mut Vec<Path>,
        run: Run<'_>,
    ) -> Result<(), Error> {
        let kinds = self.settings.kinds();
        let mut walk = Walk { problem: self, run, memory: Memory::None };
        let first = walk.choose(&Metric::identity(self.points.dim()), Place::START)?;
        let first = trace.push(first, kernel, kinds == [true]);
        for &diagonal in kinds {
            let mut path = Path { kernel, diagonal, places: vec![first] };
            self.descend(&mut walk, trace, &mut path)?;
            paths.push(path);
        }
        Ok(())
    }

    /// Runs all rounds of a path after the first.
    fn descend(
        &self,
        walk: &mut Walk<'_, '_, '_, T, K>,
        trace: &mut Trace<'_, '_, T>,
        path: &mut Path,
    ) -> Result<(), Error> {
        let distance = self.distance()?;
        let mut last = path.places[0];
        for _ in 0..self.settings.rounds {
            if trace.is_stopped {
                break;
            }
            let Chosen { metric, left_out, place, .. } = &trace.entries[last].chosen;
            let images = metric.map(self.points)?;
            let alpha = self.unwhitened(left_out.gamma.clone());
            let metric = self.next(metric, &images, alpha.as_ref(), path.diagonal)?;
            // If f is constant, M is 0 and stays 0.
            let Some(metric) = self.scaled(&metric, distance)? else { break };
            let chosen = walk.choose(&metric, *place)?;
            last = trace.push(chosen, path.kernel, path.diagonal);
            path.places.push(last);
        }
        Ok(())
    }

    /// Builds the function of the best round, or the mean of the rounds with positive weight.
    fn finish(&self, trace: Trace<'_, '_, T>) -> Result<LearnedLeaf<T, K>, Error> {
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
        let rounds = LeafRounds { points: self.points.len(), rounds, best };
        Ok(LearnedLeaf { terms, report, rounds })
    }

    /// The leading eigenvector of the M of one round.
    pub(super) fn direction(&self, run: &Run<'_>) -> Result<Vec<f64>, Error> {
        let inner = Run::new().memory(self.inner(&run.budget())?).time_limit(run.predicted_limit());
        let dim = self.points.dim();
        let mut first = vec![0.0; dim];
        first[0] = 1.0;
        if self.distance()? <= 0.0 {
            return Ok(first);
        }
        let mut walk = Walk { problem: self, run: inner, memory: Memory::None };
        let chosen = walk.choose(&Metric::identity(dim), Place::START)?;
        let images = chosen.metric.map(self.points)?;
        let alpha = self.unwhitened(chosen.left_out.gamma);
        let diagonal = self.settings.kinds() == [true];
        let m = self.outer_products(&chosen.metric, &images, alpha.as_ref(), diagonal)?;
        // The rows of this root are in ascending order of eigenvalues.
        Ok(match Metric::of(m.as_ref(), false)? {
            Metric::Diagonal(scales) => {
                let top = argmax(&scales);
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

    /// The maximum number of rounds.
    fn most_rounds(&self) -> usize {
        let later = self.settings.kinds().len().saturating_mul(self.settings.rounds);
        self.kernels.len().saturating_mul(later.saturating_add(1))
    }

    /// The budget of a factorisation: the memory besides mapped points, the blocks of an inverse,
    /// gradients and eigenvectors, and the metrics, coefficients and residuals of all rounds.
    fn inner(&self, budget: &MemoryBudget) -> Result<MemoryBudget, Error> {
        let (n, dim, outputs) = (self.points.len(), self.points.dim(), self.targets.ncols());
        let rounds = self.most_rounds();
        // The points without a fold, these points mapped, and the fold; a function for each round
        // with positive weight.
        let images = if self.settings.stacked { rounds.saturating_add(3) } else { 3 };
        let kept = outputs.saturating_mul(rounds.saturating_add(1)).saturating_mul(6);
        let metrics = if self.settings.kinds() == [true] { 1 } else { dim };
        let own = matrix_bytes::<T>(n, dim.saturating_mul(images))
            .saturating_add(matrix_bytes::<f64>(n, kept))
            .saturating_add(matrix_bytes::<f64>(dim, metrics.saturating_mul(rounds)))
            .saturating_add(inverse_diagonal_bytes::<T>(n))
            .saturating_add(outer_product_bytes::<T>(dim, outputs))
            .saturating_add(Metric::bytes(dim));
        let instead = "take a diagonal metric of fewer features";
        budget.require("images of points and gradients", own, instead)?;
        Ok(MemoryBudget::bytes(budget.as_bytes() - own))
    }
}

impl<T: Scalar, K> MetricProblem<'_, T, K> {
    /// Some of the points.
    pub(super) fn part(&self, indices: &[usize]) -> Result<Part<T>, Error> {
        let points = self.points.select(indices)?;
        let mut targets: Mat<T> = zeros(indices.len(), self.targets.ncols())?;
        let pairs = targets.row_iter_mut().zip(indices);
        pairs.for_each(|(mut to, &i)| to.copy_from(self.targets.row(i)));
        let weights = self.weights.map(|all| indices.iter().map(|&i| all[i]).collect());
        Ok(Part { points, targets, weights })
    }

    /// The same problem on some of its points.
    pub(super) fn on<'q>(&'q self, part: &'q Part<T>) -> MetricProblem<'q, T, K> {
        let (points, targets) = (&part.points, part.targets.as_ref());
        MetricProblem { points, targets, weights: part.weights.as_deref(), ..*self }
    }

    /// The same problem with another of the kernels.
    pub(super) fn with_kernel(&self, kernel: usize) -> Self {
        MetricProblem { kernel: &self.kernels[kernel], ..*self }
    }

    /// The mapped points with their weights.
    pub(super) fn data<'z>(
        &'z self,
        images: &'z Samples<T>,
    ) -> Result<Data<'z, Samples<T>>, Error> {
        let data = Data::unlabelled(images)?;
        match self.weights {
            Some(weights) => data.weights(weights),
            None => Ok(data),
        }
    }

    /// The root of the weighted mean of squares, summed over outputs.
    pub(super) fn mean<S: Scalar>(&self, residuals: &Mat<S>) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, row) in residuals.row_iter().enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[i]);
            sum += weight * row.iter().map(|r| r.to_f64() * r.to_f64()).sum::<f64>();
            total += weight;
        }
        (sum / total).sqrt()
    }

    /// α = B^½γ.
    pub(super) fn unwhitened(&self, mut gamma: Mat<T>) -> Mat<T> {
        let roots: Option<Vec<T>> = self
            .weights
            .map(|weights| weights.iter().map(|weight| T::from_f64(weight.sqrt())).collect());
        scale_rows(&mut gamma, roots.as_deref());
        gamma
    }

    /// The mean squared distance of the original points, or 0 if all are equal.
    pub(super) fn distance(&self) -> Result<f64, Error> {
        let given = mean_square(self.points, self.weights);
        if given.is_finite() {
            return Ok(given);
        }
        Err(Error::Range { what: "the mean squared distance of the points", given })
    }

    /// R, scaled such that mapped points have the mean squared distance `distance`; `None` if M
    /// vanishes.
    pub(super) fn scaled(&self, metric: &Metric, distance: f64) -> Result<Option<Metric>, Error> {
        if metric.rank() == 0 {
            return Ok(None);
        }
        let scale = (distance / mean_square(&metric.map(self.points)?, self.weights)).sqrt();
        Ok(scale.is_finite().then(|| metric.scaled(scale)))
    }
}

impl<T, K> MetricProblem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// Ridge regression with λ per point of positive weight.
    pub(super) fn ridge(&self, lambda: f64) -> Ridge<OnKernel<K>> {
        let ridge = Ridge::on_kernel(self.kernel.clone()).intercept(self.settings.intercept);
        ridge.lambda(lambda * self.share)
    }

    /// The metric of the average gradient outer product of Σᵢ αᵢK(zᵢ, z), up to scale.
    pub(super) fn next(
        &self,
        metric: &Metric,
        images: &Samples<T>,
        alpha: MatRef<'_, T>,
        diagonal: bool,
    ) -> Result<Metric, Error> {
        let m = self.outer_products(metric, images, alpha, diagonal)?;
        Metric::of(m.as_ref(), !self.kernel.is_rotation_invariant())
    }

    /// The average gradient outer product, plus a share of the mean of its diagonal: its lower
    /// triangle, or its diagonal as a column.
    fn outer_products(
        &self,
        metric: &Metric,
        images: &Samples<T>,
        alpha: MatRef<'_, T>,
        diagonal: bool,
    ) -> Result<Mat<f64>, Error> {
        let smallest = T::UNIT_ROUNDOFF * mean_square(images, self.weights);
        let (kernel, weights) = (self.kernel, self.weights);
        let fitted = Fitted { kernel, centres: images, alpha, images, weights, smallest };
        let weight = weights.map_or(images.len() as f64, |weights| weights.iter().sum());
        let m = pulled_back(metric, fitted.outer_products(diagonal)?, 1.0 / weight)?;
        Ok(shrunk(m, self.settings.shrinkage))
    }
}

/// A round.
pub(super) struct Entry<T: Scalar> {
    chosen: Chosen<T>,
    /// The residuals by which rounds are compared.
    pub(super) residuals: Mat<f64>,
}

/// All rounds, in the order in which they were learned.
pub(super) struct Trace<'t, 'r, T: Scalar> {
    pub(super) entries: Vec<Entry<T>>,
    pub(super) rounds: Vec<FeatureRound>,
    run: &'t mut Run<'r>,
    /// The number of all steps, and of those so far.
    total: usize,
    steps: usize,
    pub(super) is_stopped: bool,
}

/// Consecutive rounds: their kernel, the kind of their M, and their indices in the trace.
pub(super) struct Path {
    pub(super) kernel: usize,
    pub(super) diagonal: bool,
    pub(super) places: Vec<usize>,
}

impl<'t, 'r, T: Scalar> Trace<'t, 'r, T> {
    fn new(run: &'t mut Run<'r>, total: usize) -> Self {
        let (entries, rounds) = (Vec::new(), Vec::new());
        Self { entries, rounds, run, total, steps: 0, is_stopped: false }
    }

    /// Adds a round, which is compared by its leave-one-out error for now, and returns its index.
    fn push(&mut self, chosen: Chosen<T>, kernel: usize, diagonal: bool) -> usize {
        let Chosen { lambda, spread, error, .. } = chosen;
        let weight = 0.0;
        let round = FeatureRound {
            kernel,
            diagonal,
            lambda,
            spread,
            error,
            validation_error: error,
            weight,
        };
        self.rounds.push(round);
        let left_out = &chosen.left_out.residuals;
        let (n, outputs) = left_out.shape();
        let residuals = Mat::from_fn(n, outputs, |i, j| left_out[(i, j)].to_f64());
        self.entries.push(Entry { chosen, residuals });
        self.show(error);
        self.entries.len() - 1
    }

    /// Reports a step to the observer.
    pub(super) fn show(&mut self, loss: f64) {
        self.steps += 1;
        let progress = Progress::new(self.steps, self.total, loss);
        self.is_stopped = self.run.observe(&progress).is_break();
    }

    /// The first round with the smallest error.
    pub(super) fn best(&self) -> usize {
        let judged = |i: &usize| self.rounds[*i].validation_error;
        let order = |a: &usize, b: &usize| judged(a).total_cmp(&judged(b));
        (0..self.rounds.len()).min_by(order).unwrap_or(0)
    }
}
