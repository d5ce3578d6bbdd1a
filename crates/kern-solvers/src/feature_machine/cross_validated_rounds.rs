//! Cross-validation of rounds: errors on folds from which the metric was not learned.
//!
//! The rounds are repeated without each fold, with the λ per sample and the spread of the original
//! rounds: to choose these again would cost several factorisations instead of one.

use super::learned_metric::Metric;
use super::recursion::{MetricProblem, Path, Trace};
use crate::model::with_intercepts;
use crate::ridge::{Memory, Solution};
use crate::{Error, Run};
use faer::{Mat, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::{CrossGram, zeros};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// λ and the spread of a round.
type Step = (f64, f64);

/// Ridge regression in the metric of a round.
struct RoundFit<'s, T: Scalar> {
    metric: &'s Metric,
    /// The images of the training points.
    images: &'s Samples<T>,
    alpha: MatRef<'s, T>,
    intercepts: &'s [T],
}

/// Assigns points at random to `count` folds, or to as many as there are points.
fn folds(points: usize, count: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..points).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut folds = vec![Vec::new(); count.min(points)];
    for (at, index) in order.into_iter().enumerate() {
        let fold = at % folds.len();
        folds[fold].push(index);
    }
    folds.iter_mut().for_each(|fold| fold.sort_unstable());
    folds
}

impl<T, K> MetricProblem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// The number of cross-validation folds, at most the number of points; 0 without
    /// cross-validation.
    pub(super) fn judges(&self) -> usize {
        let folds = self.settings.folds.min(self.points.len());
        if folds < 2 || self.settings.rounds == 0 { 0 } else { folds }
    }

    /// Cross-validates all rounds. If the observer stops it, their leave-one-out errors remain.
    pub(super) fn judge(
        &self,
        trace: &mut Trace<'_, '_, T>,
        paths: &[Path],
        run: &Run<'_>,
    ) -> Result<(), Error> {
        let count = self.judges();
        if count == 0 || trace.is_stopped {
            return Ok(());
        }
        let smallest = trace.rounds[trace.best()].error;
        let (n, outputs) = (self.points.len(), self.targets.ncols());
        let empty = |path: &Path| -> Result<Vec<Mat<f64>>, kern_core::Error> {
            path.places.iter().map(|_| zeros(n, outputs)).collect()
        };
        let mut residuals = paths.iter().map(empty).collect::<Result<Vec<_>, _>>()?;
        let step = |&place: &usize| (trace.rounds[place].lambda, trace.rounds[place].spread);
        let steps_of = |path: &Path| path.places.iter().map(step).collect();
        let steps: Vec<Vec<Step>> = paths.iter().map(steps_of).collect();
        for (number, fold) in folds(n, count, self.settings.seed).iter().enumerate() {
            for ((path, steps), residuals) in paths.iter().zip(&steps).zip(&mut residuals) {
                let own = self.with_kernel(path.kernel);
                own.cross(fold, steps, path.diagonal, residuals, run)?;
            }
            trace.show(smallest);
            if trace.is_stopped && number + 1 < count {
                return Ok(());
            }
        }
        for (path, residuals) in paths.iter().zip(residuals) {
            for (&place, residuals) in path.places.iter().zip(residuals) {
                trace.rounds[place].validation_error = self.mean(&residuals);
                trace.entries[place].residuals = residuals;
            }
        }
        Ok(())
    }

    /// Repeats the rounds without a fold, and writes the residuals of the fold for each round. They
    /// are infinite where the matrix is not numerically positive definite, or M is 0.
    fn cross(
        &self,
        fold: &[usize],
        steps: &[Step],
        diagonal: bool,
        residuals: &mut [Mat<f64>],
        run: &Run<'_>,
    ) -> Result<(), Error> {
        for residuals in residuals.iter_mut() {
            fold.iter().for_each(|&i| residuals.row_mut(i).fill(f64::INFINITY));
        }
        let is_left_out = |i: &usize| fold.binary_search(i).is_ok();
        let kept: Vec<usize> = (0..self.points.len()).filter(|i| !is_left_out(i)).collect();
        let (part, queries) = (self.part(&kept)?, self.points.select(fold)?);
        let show = |round: usize, fit: RoundFit<'_, T>| {
            let queries = fit.metric.map(&queries)?;
            let values = CrossGram::new(self.kernel, &queries, fit.images)?.apply(fit.alpha)?;
            let values = with_intercepts(values, fit.intercepts)?;
            for (at, &i) in fold.iter().enumerate() {
                for j in 0..values.ncols() {
                    let residual = self.targets[(i, j)].to_f64() - values[(at, j)].to_f64();
                    residuals[round][(i, j)] = residual;
                }
            }
            Ok(())
        };
        self.on(&part).repeat(steps, diagonal, run, show)
    }

    /// Repeats the rounds with these steps and calls `show` with each; ends early where the matrix
    /// is not numerically positive definite, or M is 0.
    fn repeat(
        &self,
        steps: &[Step],
        diagonal: bool,
        run: &Run<'_>,
        mut show: impl FnMut(usize, RoundFit<'_, T>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let distance = self.distance()?;
        let mut metric = Metric::identity(self.points.dim());
        let mut memory = Memory::None;
        for (round, &(lambda, spread)) in steps.iter().enumerate() {
            let scaled = metric.scaled(spread);
            let images = scaled.map(self.points)?;
            let data = self.data(&images)?;
            let Solution { gamma, intercepts } =
                match self.ridge(lambda).solved(&data, self.targets, run, &mut memory) {
                    Ok(solved) => solved,
                    Err(Error::NotPositiveDefinite { .. }) => break,
                    Err(error) => return Err(error),
                };
            let alpha = self.unwhitened(gamma);
            let (alpha, intercepts) = (alpha.as_ref(), &intercepts[..]);
            show(round, RoundFit { metric: &scaled, images: &images, alpha, intercepts })?;
            if round + 1 < steps.len() {
                let next = self.next(&scaled, &images, alpha, diagonal)?;
                let Some(next) = self.scaled(&next, distance)? else { break };
                metric = next;
            }
        }
        Ok(())
    }
}
