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

/// The parts of points into which they fall at random.
pub(super) struct Folds {
    folds: Vec<Vec<usize>>,
}

impl Folds {
    /// As many as that, and no more than points.
    pub(super) fn new(points: usize, count: usize, seed: u64) -> Self {
        let mut order: Vec<usize> = (0..points).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let mut folds = vec![Vec::new(); count.min(points)];
        for (at, index) in order.into_iter().enumerate() {
            let fold = at % folds.len();
            folds[fold].push(index);
        }
        folds.iter_mut().for_each(|fold| fold.sort_unstable());
        Self { folds }
    }
}

/// Sums of squares of a sequence of rounds, over the folds so far.
pub(super) struct Sums {
    squares: Vec<f64>,
    total: f64,
}

impl Sums {
    pub(super) fn new(rounds: usize) -> Self {
        Self { squares: vec![0.0; rounds], total: 0.0 }
    }

    /// The root of the mean of each round; infinite where the rounds could not be repeated.
    pub(super) fn errors(&self) -> impl Iterator<Item = f64> {
        self.squares.iter().map(|sum| (sum / self.total).sqrt())
    }
}

impl<T, K> Problem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// Adds the squares of one fold's errors, under rounds that have not seen it.
    pub(super) fn add_fold(
        &self,
        (folds, number): (&Folds, usize),
        (steps, diagonal): (&[Step], bool),
        sums: &mut Sums,
        run: &Run<'_>,
    ) -> Result<(), Error> {
        let fold = &folds.folds[number];
        let mut is_kept = vec![true; self.points.len()];
        fold.iter().for_each(|&i| is_kept[i] = false);
        let kept: Vec<usize> = (0..is_kept.len()).filter(|&i| is_kept[i]).collect();
        let (points, queries) = (self.points.select(&kept)?, self.points.select(fold)?);
        let (targets, known) = (rows(self.targets, &kept)?, rows(self.targets, fold)?);
        let of = |indices: &[usize]| -> Option<Vec<f64>> {
            self.weights.map(|weights| indices.iter().map(|&i| weights[i]).collect())
        };
        let (weights, others) = (of(&kept), of(fold));
        let weights = weights.as_deref();
        let part = Problem { points: &points, targets: targets.as_ref(), weights, ..*self };
        let weight = |i: usize| others.as_ref().map_or(1.0, |others| others[i]);
        sums.total += (0..fold.len()).map(weight).sum::<f64>();
        let judged = sums.squares.iter_mut();
        part.repeat((steps, diagonal), run, judged, |(metric, images), (alpha, intercepts)| {
            let queries = metric.map(&queries)?;
            let values = CrossGram::new(part.kernel, &queries, images)?.apply(alpha)?;
            let values = with_intercepts(values, intercepts)?;
            let of_query = |i: usize| -> f64 {
                let pairs = values.row(i).iter().zip(known.row(i).iter());
                weight(i) * pairs.map(|(f, y)| (f.to_f64() - y.to_f64()).powi(2)).sum::<f64>()
            };
            Ok((0..fold.len()).map(of_query).sum())
        })
    }

    /// Adds to the sum of each round what is said of its metric, its images, α and intercepts; infinity to those that have none
    /// because rounding leaves no positive definite matrix, or M is 0.
    fn repeat<'s>(
        &self,
        (steps, diagonal): (&[Step], bool),
        run: &Run<'_>,
        mut sums: impl Iterator<Item = &'s mut f64>,
        said: impl Fn((&Metric, &Samples<T>), (MatRef<'_, T>, &[T])) -> Result<f64, Error>,
    ) -> Result<(), Error> {
        let spread = self.spread()?;
        let mut metric = Metric::identity(self.points.dim());
        let mut memory = None;
        for (round, (&(lambda, factor), sum)) in steps.iter().zip(sums.by_ref()).enumerate() {
            let before = std::mem::replace(sum, f64::INFINITY);
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
            *sum = before + said((&scaled, &images), (alpha.as_ref(), &intercepts))?;
            if round + 1 < steps.len() {
                metric = self.next((&scaled, &images), alpha.as_ref(), diagonal)?;
            }
        }
        sums.for_each(|sum| *sum = f64::INFINITY);
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
