//! The rounds of one machine.

use super::function::Term;
use super::gradients;
use super::metric::Metric;
use super::problem::Problem;
use super::trace::{Path, Trace};
use super::walk::{Chosen, Place, Walk};
use crate::ridge::Memory;
use crate::{Error, LeafRounds, Report, Run, Status};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::numerics::cholesky::inverse_diagonal_bytes;
use kern_gram::{MemoryBudget, matrix_bytes};

/// A learned function: a sum of functions of images, each in a metric, and what is known of it.
pub(super) struct Learned<T: Scalar, K> {
    pub(super) terms: Vec<Term<T, K>>,
    pub(super) report: Report,
    pub(super) rounds: LeafRounds,
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
        let mut trace = Trace::new(run, self.judges() + self.most_rounds());
        let mut paths = Vec::new();
        for kernel in 0..self.kernels.len() {
            if trace.is_stopped {
                break;
            }
            self.with_kernel(kernel).explore(kernel, (&mut trace, &mut paths), inner())?;
        }
        self.judge(&mut trace, &paths, &inner())?;
        self.finish(trace)
    }

    /// All rounds with one kernel: the first, from which those of each kind of M go out.
    fn explore(
        &self,
        kernel: usize,
        (trace, paths): (&mut Trace<'_, '_, T>, &mut Vec<Path>),
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

    /// All rounds after the first one of a path.
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
            let metric = self.next((metric, &images), alpha.as_ref(), path.diagonal)?;
            // f is constant: M is 0, and so it stays.
            let Some(metric) = self.scaled(&metric, distance)? else { break };
            let chosen = walk.choose(&metric, *place)?;
            last = trace.push(chosen, path.kernel, path.diagonal);
            path.places.push(last);
        }
        Ok(())
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

    /// The direction of the greatest eigenvalue of the M of one round.
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

    /// The rounds that there may be.
    fn most_rounds(&self) -> usize {
        let later = self.settings.kinds().len().saturating_mul(self.settings.rounds);
        self.kernels.len().saturating_mul(later.saturating_add(1))
    }

    /// The budget of a factorisation: without images, the blocks of an inverse, gradients and eigenvectors, and without the
    /// metrics, coefficients and residuals of all rounds.
    fn inner(&self, budget: &MemoryBudget) -> Result<MemoryBudget, Error> {
        let (n, dim, outputs) = (self.points.len(), self.points.dim(), self.targets.ncols());
        let rounds = self.most_rounds();
        // Points of a fold, their images, and those that were left out; a function for each round that has weight.
        let images = if self.settings.stacked { rounds.saturating_add(3) } else { 3 };
        let kept = outputs.saturating_mul(rounds.saturating_add(1)).saturating_mul(6);
        let metrics = if self.settings.kinds() == [true] { 1 } else { dim };
        let own = matrix_bytes::<T>(n, dim.saturating_mul(images))
            .saturating_add(matrix_bytes::<f64>(n, kept))
            .saturating_add(matrix_bytes::<f64>(dim, metrics.saturating_mul(rounds)))
            .saturating_add(inverse_diagonal_bytes::<T>(n))
            .saturating_add(gradients::bytes::<T>(dim, outputs))
            .saturating_add(Metric::bytes(dim));
        let instead = "take a diagonal metric of fewer features";
        budget.require("images of points and gradients", own, instead)?;
        Ok(MemoryBudget::bytes(budget.as_bytes() - own))
    }
}
