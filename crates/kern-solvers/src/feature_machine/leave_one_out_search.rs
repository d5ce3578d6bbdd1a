//! Search for λ and the spread in one metric: descent on a grid, by exact leave-one-out errors.

use super::learned_metric::Metric;
use super::recursion::MetricProblem;
use crate::ridge::{LeftOut, Memory};
use crate::{Error, Run};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Samples, Scalar};

/// The relative decrease of a leave-one-out error that is worth another step along λ or the spread: along the valley where both
/// grow the error of many a kernel hardly changes.
const FEATURE_PROGRESS: f64 = 1e-3;

/// A grid point: λ = 10^(−3 + steps/2), and a spread of 2^steps.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    lambda: i32,
    spread: i32,
}

impl Place {
    /// The default start of a search.
    pub(super) const START: Self = Self { lambda: 0, spread: 0 };
}

/// Range of the search for λ, in half decades from 10⁻³.
const LAMBDAS: std::ops::RangeInclusive<i32> = -16..=8;

/// Range of the search for the spread, in octaves.
const SPREADS: std::ops::RangeInclusive<i32> = -4..=6;

/// The grid point that a round has chosen, and its ridge regression.
pub(super) struct Chosen<T: Scalar> {
    pub(super) place: Place,
    /// R, multiplied by the spread.
    pub(super) metric: Metric,
    pub(super) left_out: LeftOut<T>,
    pub(super) lambda: f64,
    pub(super) spread: f64,
    pub(super) error: f64,
}

/// A search over grid points that reuses the memory of one factorisation.
pub(super) struct Walk<'w, 'p, 'r, T: Scalar, K> {
    pub(super) problem: &'w MetricProblem<'p, T, K>,
    pub(super) run: Run<'r>,
    pub(super) memory: Memory<T>,
}

impl<T, K> Walk<'_, '_, '_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// Finds a local minimum of the leave-one-out error by descent from `start`, along λ and along
    /// the spread.
    pub(super) fn choose(&mut self, metric: &Metric, start: Place) -> Result<Chosen<T>, Error> {
        let settings = self.problem.settings;
        let mut best = self.at(metric, start)?;
        let mut lambda = start.lambda;
        while best.is_none() && settings.lambda.is_none() && lambda < *LAMBDAS.end() {
            // The matrix may not be numerically positive definite for a small λ.
            lambda += 4;
            best = self.at(metric, Place { lambda, ..start })?;
        }
        let Some(mut best) = best else { return Err(self.failure(metric)) };
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
            let found = if is_known || !is_inside { None } else { self.at(metric, place)? };
            seen.push(place);
            let enough = (1.0 - FEATURE_PROGRESS) * best.error;
            match found.filter(|found| found.error < enough) {
                Some(found) => {
                    best = found;
                    failed = 0;
                }
                None => failed += 1,
            }
        }
        Ok(best)
    }

    /// The error if no λ is feasible.
    fn failure(&self, metric: &Metric) -> Error {
        let lambda = self.problem.settings.lambda.unwrap_or(f64::NAN);
        let unknown = Error::Range { what: "the leave-one-out error", given: f64::NAN };
        let factored = metric.map(self.problem.points).and_then(|images| {
            let data = self.problem.data(&images)?;
            self.problem.ridge(lambda).factor(&data, &self.run).map(|_| unknown)
        });
        factored.unwrap_or_else(|error| error)
    }

    /// The steps along λ and the spread, as far as these are not set.
    fn directions(&self) -> Vec<Place> {
        let mut all = Vec::new();
        if self.problem.settings.lambda.is_none() {
            all.extend([-1, 1].map(|lambda| Place { lambda, spread: 0 }));
        }
        if self.problem.settings.spread.is_none() {
            all.extend([-1, 1].map(|spread| Place { lambda: 0, spread }));
        }
        all
    }

    /// The leave-one-out error at a grid point; `None` if the matrix is not numerically positive
    /// definite there.
    fn at(&mut self, metric: &Metric, place: Place) -> Result<Option<Chosen<T>>, Error> {
        let problem = self.problem;
        let power = 0.5 * f64::from(place.lambda) - 3.0;
        // On the grid, λ is per point of positive weight, as if there were no others.
        let lambda = problem.settings.lambda.unwrap_or(10.0_f64.powf(power) / problem.share);
        let spread = problem.settings.spread.unwrap_or(2.0_f64.powi(place.spread));
        let metric = metric.scaled(spread);
        let images = metric.map(problem.points)?;
        let data = problem.data(&images)?;
        let ridge = problem.ridge(lambda);
        let left_out = match ridge.left_out(&data, problem.targets, &self.run, &mut self.memory) {
            Ok(left_out) => left_out,
            Err(Error::NotPositiveDefinite { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let error = problem.mean(&left_out.residuals);
        let chosen = Chosen { place, metric, left_out, lambda, spread, error };
        Ok(error.is_finite().then_some(chosen))
    }
}
