//! Mixtures on a kernel: rounds of expectation and maximisation.

use super::RegressorMixture;
use super::expectation::Components;
use super::fit::{RidgeMixtureSpace, Task};
use super::maximisation::{Mixture, Problem};
use super::params::{MixtureStart, Settings};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::plan::{Count, Effort, Way, Work, within};
use crate::report::RidgeMixtureDetails;
use crate::space::OnKernel;
use crate::{Details, Error, Progress, Report, Run, Status};
use faer::Mat;
use kern_core::memory::LargeMat;
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes, zeros};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rounds that a run takes, or so.
const ROUNDS: usize = 25;

impl<P: Points, K: Mercer<P> + Clone> RidgeMixtureSpace<P> for OnKernel<K> {
    fn mix(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<RegressorMixture<KernelExpansion<P, K>>, Error> {
        let Task { settings, points, targets, weights } = *task;
        let weights = weights.map(<[f64]>::to_vec);
        let design = Design::new(self.kernel.clone(), points, weights, false)?;
        let used = design.points().len();
        settings.check_count(used)?;
        let budget = run.budget();
        let left = check_memory::<P::Scalar>((used, settings), &budget)?;
        check_time((&design.kernel, design.points()), settings, run)?;
        let gram = DenseGram::new(&design.kernel, design.points(), &left)?;
        let index = |i: usize| design.index(i);
        let y: Vec<f64> = (0..used).map(|i| targets[index(i)].to_f64()).collect();
        let weights: Vec<f64> = (0..used).map(|i| design.weight(i)).collect();
        let variance = variance(&y, &weights)?;
        let problem = Problem { gram: &gram, y: &y, weights: &weights, settings, variance };
        let Ended { mixture, status, details } = problem.best(&index, run)?;
        let report = Report::new(status, details.objectives.len(), mixture.objective, None)
            .with_details(Details::RidgeMixture(details));
        let Mixture { alpha, components, .. } = mixture;
        let intercepts = vec![P::Scalar::ZERO; settings.components];
        let function = design.into_model(alpha.as_ref(), intercepts)?;
        Ok(RegressorMixture::new(function, components, report))
    }
}

/// The budget without factor, responsibilities and coefficients of a round, the round before it and the best run.
fn check_memory<T>(
    (n, settings): (usize, &Settings),
    budget: &MemoryBudget,
) -> Result<MemoryBudget, Error> {
    let columns = settings.components.saturating_mul(8).saturating_add(8);
    let own = matrix_bytes::<f64>(n, n.saturating_add(columns));
    let needed = own.saturating_add(matrix_bytes::<T>(n, n));
    let instead = "learn on fewer points";
    budget.require("a mixture with its dense kernel matrix and a factor", needed, instead)?;
    Ok(MemoryBudget::bytes(budget.as_bytes() - own))
}

/// Refuses a fit that is predicted to take longer than its limit.
fn check_time<P: Points, K: Kernel<P>>(
    on: (&K, &P),
    settings: &Settings,
    run: &Run<'_>,
) -> Result<(), Error> {
    let n = on.1.len() as f64;
    let factors = settings.components as f64
        * settings.runs() as f64
        * settings.max_iterations.min(ROUNDS) as f64;
    let parts = vec![
        (Work::KernelValues, Count::values(0.5 * n * n)),
        (Work::Factors, Count::flops(factors * n.powi(3) / 3.0)),
    ];
    let effort = Effort::counted(Way::Cholesky, parts);
    within((run.predicted_limit(), &run.budget()), on, &[effort], &[])
}

/// The variance of targets; 1 if they are all the same.
fn variance(y: &[f64], weights: &[f64]) -> Result<f64, Error> {
    let total: f64 = weights.iter().sum();
    let mean = y.iter().zip(weights).map(|(y, w)| w * (y / total)).sum::<f64>();
    let squares = y.iter().zip(weights).map(|(y, w)| (w / total) * (y - mean) * (y - mean));
    let given: f64 = squares.sum();
    match given.is_finite() {
        true if given > 0.0 => Ok(given),
        true => Ok(1.0),
        false => Err(Error::Range { what: "the variance of the targets", given }),
    }
}

/// The end of a run.
struct Ended<T: Scalar> {
    mixture: Mixture<T>,
    status: Status,
    details: RidgeMixtureDetails,
}

impl<T: Scalar> Problem<'_, T> {
    /// The best of the runs. `index` gives a point's number among all.
    fn best(&self, index: &dyn Fn(usize) -> usize, run: &mut Run<'_>) -> Result<Ended<T>, Error> {
        let n = self.y.len();
        let mut factor = LargeMat::zeros(n, n)?;
        let mut best: Option<Ended<T>> = None;
        for number in 0..self.settings.runs() {
            let start = self.start(number, index)?;
            let ended = self.ascend(&start, (number, &mut factor), run)?;
            let stopped = ended.status == Status::Stopped;
            let better = |best: &Ended<T>| ended.mixture.objective < best.mixture.objective;
            if best.as_ref().is_none_or(better) {
                best = Some(ended);
            }
            if let (true, Some(best)) = (stopped, &mut best) {
                best.status = Status::Stopped;
                break;
            }
        }
        best.ok_or(Error::Empty)
    }

    /// The responsibilities that a run starts from.
    fn start(&self, number: usize, index: &dyn Fn(usize) -> usize) -> Result<Mat<f64>, Error> {
        let (n, k) = (self.y.len(), self.settings.components);
        let mut start = zeros(n, k)?;
        if let MixtureStart::Given(components) = &self.settings.start {
            (0..n).for_each(|i| start[(i, components[index(i)])] = 1.0);
            return Ok(start);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.settings.seed);
        rng.set_stream(number as u64);
        let mut row = vec![0.0; k];
        for i in 0..n {
            // Exponential variables divided by their sum are uniform on the simplex.
            row.iter_mut().for_each(|r| *r = -(1.0 - rng.random::<f64>()).ln());
            let sum: f64 = row.iter().sum();
            let share = |r: f64| if sum > 0.0 { r / sum } else { 1.0 / k as f64 };
            start.row_mut(i).iter_mut().zip(&row).for_each(|(to, &r)| *to = share(r));
        }
        Ok(start)
    }

    /// Rounds from these responsibilities, until they bring nothing more.
    fn ascend(
        &self,
        start: &Mat<f64>,
        (number, factor): (usize, &mut LargeMat<f64>),
        run: &mut Run<'_>,
    ) -> Result<Ended<T>, Error> {
        let most = self.settings.max_iterations;
        let total = self.settings.runs().saturating_mul(most);
        let least = self.settings.tolerance * self.weights.iter().sum::<f64>();
        let variances = vec![self.variance.max(self.floor()); self.settings.components];
        let mut mixture = self.round(start, &variances, factor)?;
        let mut objectives = vec![mixture.objective];
        let status = loop {
            let iteration = number.saturating_mul(most).saturating_add(objectives.len());
            let progress = Progress { iteration, total, loss: mixture.objective };
            if run.observe(&progress).is_break() {
                break Status::Stopped;
            }
            if objectives.len() >= most {
                break Status::IterationsDone;
            }
            let before = &mixture.components.variances;
            let next = self.round(&mixture.responsibilities, before, factor)?;
            let increase = mixture.objective - next.objective;
            if increase < 0.0 {
                // Rounding; unless there is so much of it, or the last step was short, it is not all that is left to gain.
                break if -increase <= least.max(self.rounding(&next)) {
                    Status::Converged
                } else {
                    Status::Stalled
                };
            }
            mixture = next;
            objectives.push(mixture.objective);
            if increase <= least {
                break Status::Converged;
            }
        };
        let Components { shares, variances } = &mixture.components;
        let floor = self.floor();
        let details = RidgeMixtureDetails {
            objectives,
            run: number,
            floored: variances.iter().filter(|&&variance| variance <= floor).count(),
            empty: shares.iter().filter(|&&share| share <= 0.0).count(),
        };
        Ok(Ended { mixture, status, details })
    }
}
