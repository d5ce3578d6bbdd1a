//! The rounds of one machine.

use super::gradients::{self, Fitted};
use super::metric::{Metric, mean_square};
use super::params::Settings;
use crate::model::KernelExpansion;
use crate::ridge::{LeftOut, Ridge};
use crate::{Data, Error, FeatureRound, LeafRounds, Progress, Report, Run, Status, tolerance};
use faer::{Mat, MatRef};
use kern_core::gradient::RadialProfile;
use kern_core::{Mercer, Points, Samples, Scalar};
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

/// A place on the grid: λ = 10^(−3 + steps/2), a spread of 2^steps.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    lambda: i32,
    spread: i32,
}

/// Half decades from λ = 10⁻³ in which λ is looked for.
const LAMBDAS: std::ops::RangeInclusive<i32> = -16..=8;

/// Octaves in which the spread is looked for.
const SPREADS: std::ops::RangeInclusive<i32> = -4..=6;

/// The choice of a round.
struct Chosen<T: Scalar> {
    place: Place,
    metric: Metric,
    left_out: LeftOut<T>,
    round: FeatureRound,
}

impl<T, K> Problem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + RadialProfile<T> + Clone,
{
    /// The machine of the best round. Every round is shown by its leave-one-out error.
    pub(super) fn learn(&self, run: &mut Run<'_>) -> Result<Learned<T, K>, Error> {
        let budget = self.inner(&run.budget())?;
        let inner = Run::new().memory(budget).time_limit(run.predicted_limit());
        let spread = self.spread()?;
        let total = self.settings.rounds + 1;
        let mut metric = Metric::identity(self.points.dim());
        let mut place = Place { lambda: 0, spread: 0 };
        let mut best: Option<Chosen<T>> = None;
        let mut rounds = LeafRounds { points: self.points.len(), ..LeafRounds::default() };
        let mut status = Status::Converged;
        for iteration in 1..=total {
            // In the first round nothing is scaled.
            let scale = match iteration {
                1 => 1.0,
                _ if metric.rank() == 0 => f64::INFINITY,
                _ => (spread / mean_square(&metric.map(self.points)?, self.weights)).sqrt(),
            };
            if !scale.is_finite() {
                // f is constant: M is 0, and so it stays.
                break;
            }
            let chosen = self.choose(&metric.scaled(scale), place, &inner)?;
            place = chosen.place;
            let least = rounds.rounds.get(rounds.chosen).map_or(f64::INFINITY, |r| r.error);
            rounds.rounds.push(chosen.round.clone());
            let progress = Progress { iteration, total, loss: chosen.round.error };
            let flow = run.observe(&progress);
            if flow.is_continue() && iteration < total {
                metric = self.next(&chosen)?;
            }
            if best.is_none() || chosen.round.error < least {
                rounds.chosen = iteration - 1;
                best = Some(chosen);
            }
            if flow.is_break() {
                status = if iteration < total { Status::Stopped } else { status };
                break;
            }
        }
        let best = best.ok_or(Error::Empty)?;
        let (expansion, report) = self.solved(&best)?;
        let metric = best.metric;
        let iterations = rounds.rounds.len();
        let status = if status == Status::Stopped { status } else { report.status };
        Ok(Learned { metric, expansion, report: Report { status, iterations, ..report }, rounds })
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
        let chosen = self.choose(&Metric::identity(dim), Place { lambda: 0, spread: 0 }, &inner)?;
        Ok(match self.next(&chosen)? {
            Metric::Diagonal(scales) => {
                let top = (0..dim).fold(0, |top, k| if scales[k] > scales[top] { k } else { top });
                (0..dim).map(|k| if k == top { 1.0 } else { 0.0 }).collect()
            }
            // Eigenvalues ascend.
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
    fn spread(&self) -> Result<f64, Error> {
        let given = mean_square(self.points, self.weights);
        if given.is_finite() {
            return Ok(given);
        }
        Err(Error::Range { what: "the mean squared distance of the points", given })
    }

    /// λ per sample of the points that are used.
    fn ridge(&self, lambda: f64) -> Ridge<crate::space::OnKernel<K>> {
        let ridge = Ridge::on_kernel(self.kernel.clone()).intercept(self.settings.intercept);
        ridge.lambda(lambda * self.share)
    }

    fn data<'z>(&'z self, images: &'z Samples<T>) -> Result<Data<'z, Samples<T>>, Error> {
        let data = Data::unlabelled(images)?;
        match self.weights {
            Some(weights) => data.weights(weights),
            None => Ok(data),
        }
    }

    /// The place of the least leave-one-out error, downhill from `start` along λ and along the spread.
    fn choose(&self, metric: &Metric, start: Place, run: &Run<'_>) -> Result<Chosen<T>, Error> {
        let mut best = self.at(metric, start, run)?;
        let mut lambda = start.lambda;
        while best.is_none() && self.settings.lambda.is_none() && lambda < *LAMBDAS.end() {
            // Rounding may leave no positive definite matrix for a small λ.
            lambda += 4;
            best = self.at(metric, Place { lambda, ..start }, run)?;
        }
        let Some(mut best) = best else {
            let lambda = self.settings.lambda.unwrap_or(f64::NAN);
            self.ridge(lambda).factor(&self.data(&metric.map(self.points)?)?, run)?;
            return Err(Error::Range { what: "the leave-one-out error", given: f64::NAN });
        };
        let directions = self.directions();
        let (mut seen, mut failed) = (vec![best.place], 0);
        for direction in directions.iter().cycle() {
            if failed >= directions.len() {
                break;
            }
            let (lambda, spread) =
                (best.place.lambda + direction.lambda, best.place.spread + direction.spread);
            let place = Place { lambda, spread };
            let is_known = seen.contains(&place);
            let is_inside = LAMBDAS.contains(&lambda) && SPREADS.contains(&spread);
            let found = if is_known || !is_inside { None } else { self.at(metric, place, run)? };
            seen.push(place);
            let enough = (1.0 - tolerance::FEATURE_PROGRESS) * best.round.error;
            match found.filter(|found| found.round.error < enough) {
                Some(found) => {
                    best = found;
                    failed = 0;
                }
                None => failed += 1,
            }
        }
        Ok(best)
    }

    /// The steps of what is not set.
    fn directions(&self) -> Vec<Place> {
        let mut all = Vec::new();
        if self.settings.lambda.is_none() {
            all.extend([-1, 1].map(|lambda| Place { lambda, spread: 0 }));
        }
        if self.settings.spread.is_none() {
            all.extend([-1, 1].map(|spread| Place { lambda: 0, spread }));
        }
        all
    }

    /// The leave-one-out error of a place, unless rounding leaves no positive definite matrix there.
    fn at(&self, metric: &Metric, place: Place, run: &Run<'_>) -> Result<Option<Chosen<T>>, Error> {
        let power = 0.5 * f64::from(place.lambda) - 3.0;
        let lambda = self.settings.lambda.unwrap_or(10.0_f64.powf(power));
        let spread = self.settings.spread.unwrap_or(2.0_f64.powi(place.spread));
        let metric = metric.scaled(spread);
        let images = metric.map(self.points)?;
        let data = self.data(&images)?;
        let left_out = match self.ridge(lambda).factor(&data, run) {
            Ok(factor) => factor.left_out(self.targets),
            Err(error) => Err(error),
        };
        let left_out = match left_out {
            Ok(left_out) => left_out,
            Err(Error::NotPositiveDefinite { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let error = self.mean(&left_out.residuals);
        let round = FeatureRound { lambda, spread, error };
        let is_number = error.is_finite();
        Ok(is_number.then_some(Chosen { place, metric, left_out, round }))
    }

    /// The root of the weighted mean of squares, summed over outputs.
    fn mean(&self, residuals: &Mat<T>) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, row) in residuals.row_iter().enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[i]);
            sum += weight * row.iter().map(|r| r.to_f64() * r.to_f64()).sum::<f64>();
            total += weight;
        }
        (sum / total).sqrt()
    }

    /// The metric of the average outer product of gradients.
    fn next(&self, chosen: &Chosen<T>) -> Result<Metric, Error> {
        let Settings { diagonal, shrinkage, .. } = *self.settings;
        let mut alpha = chosen.left_out.gamma.clone();
        if let Some(weights) = self.weights {
            for column in alpha.col_iter_mut() {
                let pairs = column.iter_mut().zip(weights);
                pairs.for_each(|(alpha, weight)| *alpha *= T::from_f64(weight.sqrt()));
            }
        }
        let images = chosen.metric.map(self.points)?;
        let least = T::UNIT_ROUNDOFF * mean_square(&images, self.weights);
        let (kernel, metric, weights) = (self.kernel, &chosen.metric, self.weights);
        let (images, alpha) = (&images, alpha.as_ref());
        let fitted = Fitted { kernel, metric, images, alpha, weights, least };
        let mut m = fitted.outer_products(diagonal)?;
        let dim = m.nrows();
        let place = |k: usize| (k, if m.ncols() == 1 { 0 } else { k });
        let places: Vec<(usize, usize)> = (0..dim).map(place).collect();
        let mean = places.iter().map(|&at| m[at]).sum::<f64>() / dim as f64;
        places.iter().for_each(|&at| m[at] += shrinkage * mean);
        Metric::of(m.as_ref())
    }

    /// The function of a round, with its certificate.
    fn solved(
        &self,
        chosen: &Chosen<T>,
    ) -> Result<(KernelExpansion<Samples<T>, K>, Report), Error> {
        let images = chosen.metric.map(self.points)?;
        let ridge = self.ridge(chosen.round.lambda);
        ridge.known(&self.data(&images)?, &chosen.left_out, self.targets)
    }
}
