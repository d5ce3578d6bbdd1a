//! Cross-validation of rounds: errors of targets that the metric has not seen.
//!
//! The rounds are repeated without each fold, with the λ per sample and the spread that each of them has; a place that is
//! chosen once more would cost several factorisations instead of one.

use super::metric::{Metric, mean_square};
use super::rounds::Problem;
use crate::model::with_intercepts;
use crate::{Error, Run};
use faer::{Mat, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::{CrossGram, zeros};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// λ and the spread of a round.
pub(super) type Step = (f64, f64);

/// A metric, and the images of points in it.
type Seen<'s, T> = (&'s Metric, &'s Samples<T>);

/// α and the intercepts.
type Linear<'s, T> = (MatRef<'s, T>, &'s [T]);

/// So many parts of points, and no more than points, into which they fall at random.
pub(super) fn folds(points: usize, count: usize, seed: u64) -> Vec<Vec<usize>> {
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

impl<T, K> Problem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// Writes the residuals of one fold, under rounds that have not seen it, to those of each round; infinite ones where rounding
    /// leaves no positive definite matrix, or M is 0.
    pub(super) fn cross(
        &self,
        fold: &[usize],
        (steps, diagonal): (&[Step], bool),
        residuals: &mut [Mat<f64>],
        run: &Run<'_>,
    ) -> Result<(), Error> {
        let mut is_kept = vec![true; self.points.len()];
        fold.iter().for_each(|&i| is_kept[i] = false);
        let kept: Vec<usize> = (0..is_kept.len()).filter(|&i| is_kept[i]).collect();
        let (points, queries) = (self.points.select(&kept)?, self.points.select(fold)?);
        let targets = rows(self.targets, &kept)?;
        let weights: Option<Vec<f64>> =
            self.weights.map(|weights| kept.iter().map(|&i| weights[i]).collect());
        let weights = weights.as_deref();
        let part = Problem { points: &points, targets: targets.as_ref(), weights, ..*self };
        for residuals in residuals.iter_mut() {
            fold.iter().for_each(|&i| residuals.row_mut(i).fill(f64::INFINITY));
        }
        let show = |round: usize, (metric, images): Seen<'_, T>, (alpha, intercepts): Linear<'_, T>| {
            let queries = metric.map(&queries)?;
            let values = CrossGram::new(part.kernel, &queries, images)?.apply(alpha)?;
            let values = with_intercepts(values, intercepts)?;
            for (at, &i) in fold.iter().enumerate() {
                for j in 0..values.ncols() {
                    residuals[round][(i, j)] = self.targets[(i, j)].to_f64() - values[(at, j)].to_f64();
                }
            }
            Ok(())
        };
        part.repeat((steps, diagonal), run, show)
    }

    /// Shows the rounds with these steps, as far as there are.
    fn repeat(
        &self,
        (steps, diagonal): (&[Step], bool),
        run: &Run<'_>,
        mut show: impl FnMut(usize, Seen<'_, T>, Linear<'_, T>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let spread = self.spread()?;
        let mut metric = Metric::identity(self.points.dim());
        let mut memory = None;
        for (round, &(lambda, factor)) in steps.iter().enumerate() {
            let Some(scaled) = self.scaled(&metric, spread, round == 0)? else { break };
            let scaled = scaled.scaled(factor);
            let images = scaled.map(self.points)?;
            let data = self.data(&images)?;
            let solved = self.ridge(lambda).factor_in(&data, run, memory.take());
            let solved = solved.and_then(|factor| {
                let solved = factor.solved(self.targets);
                memory = Some(factor.into_memory());
                solved
            });
            let (gamma, intercepts) = match solved {
                Ok(solved) => solved,
                Err(Error::NotPositiveDefinite { .. }) => break,
                Err(error) => return Err(error),
            };
            let alpha = self.unwhitened(gamma);
            show(round, (&scaled, &images), (alpha.as_ref(), &intercepts))?;
            if round + 1 < steps.len() {
                metric = self.next((&scaled, &images), alpha.as_ref(), diagonal)?;
            }
        }
        Ok(())
    }

    /// R in the scale in which points are as far from one another as they were at first; none if M is 0.
    pub(super) fn scaled(
        &self,
        metric: &Metric,
        spread: f64,
        is_first: bool,
    ) -> Result<Option<Metric>, Error> {
        // In the first round nothing is scaled.
        let scale = match () {
            () if is_first => 1.0,
            () if metric.rank() == 0 => f64::INFINITY,
            () => (spread / mean_square(&metric.map(self.points)?, self.weights)).sqrt(),
        };
        Ok(scale.is_finite().then(|| metric.scaled(scale)))
    }
}

/// Some rows of a matrix.
pub(super) fn rows<T: Scalar>(matrix: MatRef<'_, T>, indices: &[usize]) -> Result<Mat<T>, Error> {
    let mut out: Mat<T> = zeros(indices.len(), matrix.ncols())?;
    out.row_iter_mut().zip(indices).for_each(|(mut to, &i)| to.copy_from(matrix.row(i)));
    Ok(out)
}
