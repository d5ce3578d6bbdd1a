//! Expectation maximisation of a mixture of ridge regressors on a kernel.
//!
//! Each iteration computes the functions, shares and variances for given responsibilities
//! (maximisation, by the formulas of the [module](super)), and then the responsibilities and the
//! likelihood for these ([expectation](Components::weigh_all)). A run iterates from its own start
//! until the likelihood no longer increases; the best run is kept.

use super::RegressorMixture;
use super::mixture_of_regressions::{MixtureSettings, MixtureStart, RidgeMixtureSpace, Task};
use super::regressor_mixture::Components;
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::report::RidgeMixtureDetails;
use crate::space::OnKernel;
use crate::{Details, Error, Progress, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_core::memory::LargeMat;
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{DenseGram, GramOperator, MemoryBudget, matrix_bytes, parallel, zeros};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Units of rounding in a value of a mixture's functions, as far as its likelihood is concerned: of kernel values, of coefficients, and of
/// their sums.
const MIXTURE_ROUNDING: f64 = 16.0;

/// The typical number of iterations of a run, for the prediction of its time.
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
        let left = check_memory::<P::Scalar>(used, settings, &budget)?;
        check_time(&design.kernel, design.points(), settings, run)?;
        let gram = DenseGram::new(&design.kernel, design.points(), &left)?;
        let index = |i: usize| design.index(i);
        let y: Vec<f64> = (0..used).map(|i| targets[index(i)].to_f64()).collect();
        let weights: Vec<f64> = (0..used).map(|i| design.weight(i)).collect();
        let variance = variance(&y, &weights)?;
        let problem = MixtureProblem { gram: &gram, y: &y, weights: &weights, settings, variance };
        let Ended { mixture, status, details } = problem.best(&index, run)?;
        let report = Report::new(status, details.objectives.len(), mixture.objective, None)
            .with_details(Details::RidgeMixture(details));
        let Mixture { alpha, components, .. } = mixture;
        let intercepts = vec![P::Scalar::ZERO; settings.components];
        let function = design.into_model(alpha.as_ref(), intercepts)?;
        Ok(RegressorMixture::new(function, components, report))
    }
}

/// Checks the memory. Returns the budget minus the factor, and minus the responsibilities and
/// coefficients of an iteration, the previous one and the best run.
fn check_memory<T>(
    n: usize,
    settings: &MixtureSettings,
    budget: &MemoryBudget,
) -> Result<MemoryBudget, Error> {
    let columns = settings.components.saturating_mul(8).saturating_add(8);
    let own = matrix_bytes::<f64>(n, n.saturating_add(columns));
    let needed = own.saturating_add(matrix_bytes::<T>(n, n));
    let instead = "learn on fewer points";
    budget.require("a mixture with its dense kernel matrix and a factor", needed, instead)?;
    Ok(MemoryBudget::bytes(budget.as_bytes() - own))
}

/// Fails if the fit is predicted to exceed its time limit.
fn check_time<P: Points, K: Kernel<P>>(
    kernel: &K,
    points: &P,
    settings: &MixtureSettings,
    run: &Run<'_>,
) -> Result<(), Error> {
    let n = points.len() as f64;
    let factors = settings.components as f64
        * settings.runs() as f64
        * settings.max_iterations.min(ROUNDS) as f64;
    let parts = vec![
        (Work::KernelValues, Count::values(0.5 * n * n)),
        (Work::Factors, Count::flops(factors * n.powi(3) / 3.0)),
    ];
    let effort = Effort::counted(Algorithm::Cholesky, parts);
    within((run.predicted_limit(), &run.budget()), kernel, points, &[effort], &[])
}

/// The variance of targets; 1 if they are constant.
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

/// The data and the settings of a fit.
struct MixtureProblem<'p, T: Scalar> {
    gram: &'p DenseGram<T>,
    y: &'p [f64],
    /// w, all positive.
    weights: &'p [f64],
    settings: &'p MixtureSettings,
    /// The variance of the targets.
    variance: f64,
}

/// A mixture with the responsibilities of its points.
#[derive(Clone)]
struct Mixture<T: Scalar> {
    /// α, points × components.
    alpha: Mat<T>,
    components: Components,
    responsibilities: Mat<f64>,
    /// −L.
    objective: f64,
}

/// The result of a run.
struct Ended<T: Scalar> {
    mixture: Mixture<T>,
    status: Status,
    details: RidgeMixtureDetails,
}

impl<T: Scalar> MixtureProblem<'_, T> {
    /// The best of the runs. `index` maps a point to its number among all points.
    fn best(&self, index: &dyn Fn(usize) -> usize, run: &mut Run<'_>) -> Result<Ended<T>, Error> {
        let n = self.y.len();
        let mut factor = LargeMat::zeros(n, n)?;
        let mut best: Option<Ended<T>> = None;
        for number in 0..self.settings.runs() {
            let start = self.start(number, index)?;
            let ended = self.ascend(&start, number, &mut factor, run)?;
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

    /// The initial responsibilities of a run.
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

    /// Iterates from these responsibilities until the likelihood no longer increases.
    fn ascend(
        &self,
        start: &Mat<f64>,
        number: usize,
        factor: &mut LargeMat<f64>,
        run: &mut Run<'_>,
    ) -> Result<Ended<T>, Error> {
        let most = self.settings.max_iterations;
        let total = self.settings.runs().saturating_mul(most);
        let smallest = self.settings.tolerance * self.weights.iter().sum::<f64>();
        let variances = vec![self.variance.max(self.floor()); self.settings.components];
        let mut mixture = self.round(start, &variances, factor)?;
        let mut objectives = vec![mixture.objective];
        let status = loop {
            let iteration = number.saturating_mul(most).saturating_add(objectives.len());
            let progress = Progress::new(iteration, total, mixture.objective);
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
                // A decrease is due to rounding. A small one means convergence; after a larger one,
                // more might be left to gain.
                break if -increase <= smallest.max(self.rounding(&next)) {
                    Status::Converged
                } else {
                    Status::Stalled
                };
            }
            mixture = next;
            objectives.push(mixture.objective);
            if increase <= smallest {
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

impl<T: Scalar> MixtureProblem<'_, T> {
    /// The lower bound on the variances of components.
    fn floor(&self) -> f64 {
        self.settings.noise_floor * self.variance
    }

    /// The rounding error of the objective. Errors e = u(max |y| + max K(x, x)·‖α‖) of the values
    /// change the logarithm of a density by e/σ; the norm of α appears because errors of kernel
    /// values are independent.
    fn rounding(&self, mixture: &Mixture<T>) -> f64 {
        let largest = self.y.iter().map(|y| y.abs()).fold(0.0, f64::max);
        let own = self.gram.diag().iter().map(|k| k.to_f64()).fold(0.0, f64::max);
        let longest = mixture.alpha.col_iter().map(|alpha| alpha.norm_l2().to_f64());
        let error = largest + own * longest.fold(0.0, f64::max);
        let variances = mixture.components.variances.iter().copied();
        let smallest = variances.fold(f64::INFINITY, f64::min);
        let unit = MIXTURE_ROUNDING * T::UNIT_ROUNDOFF;
        unit * self.weights.iter().sum::<f64>() * (1.0 + error / smallest.sqrt())
    }

    /// One iteration: the mixture for these responsibilities, with functions for these variances.
    /// `factor` is memory for a matrix.
    fn round(
        &self,
        responsibilities: &Mat<f64>,
        variances: &[f64],
        factor: &mut LargeMat<f64>,
    ) -> Result<Mixture<T>, Error> {
        let (n, k) = responsibilities.shape();
        let mut alpha = zeros(n, k)?;
        for (c, &variance) in variances.iter().enumerate() {
            let column = self.function(responsibilities.col_as_slice(c), variance, factor)?;
            let to = alpha.col_as_slice_mut(c).iter_mut().zip(column.col_as_slice(0));
            to.for_each(|(to, &a)| *to = T::from_f64(a));
        }
        let f = self.gram.apply(alpha.as_ref())?;
        let components = self.components(responsibilities, f.as_ref(), variances);
        let mut next = zeros(n, k)?;
        let likelihood = components.weigh_all(self.y, self.weights, f.as_ref(), &mut next);
        let pairs = alpha.col_iter().zip(f.col_iter());
        let norm: f64 = pairs
            .flat_map(|(alpha, f)| alpha.iter().zip(f.iter()))
            .map(|(a, f)| a.to_f64() * f.to_f64())
            .sum();
        let objective = 0.5 * self.settings.lambda * norm - likelihood;
        if !objective.is_finite() {
            let what = "the penalised likelihood of a mixture";
            return Err(Error::Range { what, given: objective });
        }
        Ok(Mixture { alpha, components, responsibilities: next, objective })
    }

    /// α of (RK + λσ²I)α = Ry, R = diag(wr): R^½(R^½KR^½ + λσ²I)⁻¹R^½y.
    fn function(
        &self,
        responsibilities: &[f64],
        variance: f64,
        factor: &mut LargeMat<f64>,
    ) -> Result<Mat<f64>, Error> {
        let pairs = responsibilities.iter().zip(self.weights);
        let roots: Vec<f64> = pairs.map(|(r, w)| (r * w).sqrt()).collect();
        let mut matrix = std::mem::replace(factor, LargeMat::zeros(0, 0)?);
        whiten(self.gram.as_mat(), &roots, &mut matrix);
        let cholesky = Cholesky::new(matrix, self.settings.lambda * variance)?;
        let mut column = zeros(roots.len(), 1)?;
        let scaled = roots.iter().zip(self.y).map(|(root, y)| root * y);
        column.col_as_slice_mut(0).iter_mut().zip(scaled).for_each(|(to, y)| *to = y);
        cholesky.solve_in_place(column.as_mut());
        column.col_as_slice_mut(0).iter_mut().zip(&roots).for_each(|(a, root)| *a *= root);
        *factor = cholesky.into_matrix();
        Ok(column)
    }

    /// The shares of components, and the variances around these functions. A component without
    /// points keeps its variance.
    fn components(
        &self,
        responsibilities: &Mat<f64>,
        f: MatRef<'_, T>,
        before: &[f64],
    ) -> Components {
        let sums = |c: usize| {
            let each = responsibilities.col_as_slice(c).iter().zip(self.weights);
            let each = each.zip(self.y.iter().zip(f.col(c).iter()));
            each.fold((0.0, 0.0), |(mass, squares), ((r, w), (y, f))| {
                let residual = y - f.to_f64();
                (mass + w * r, squares + w * r * residual * residual)
            })
        };
        let sums: Vec<(f64, f64)> = (0..before.len()).map(sums).collect();
        let (mass, squares) = sums.iter().fold((0.0, 0.0), |all, of| (all.0 + of.0, all.1 + of.1));
        let variance = |(&(own, square), &before): (&(f64, f64), &f64)| {
            let (own, square) =
                if self.settings.shared_noise { (mass, squares) } else { (own, square) };
            if own > 0.0 { (square / own).max(self.floor()) } else { before }
        };
        Components {
            shares: sums.iter().map(|(own, _)| own / mass).collect(),
            variances: sums.iter().zip(before).map(variance).collect(),
        }
    }
}

/// The lower triangle of R^½KR^½, with R^½ in `roots`.
fn whiten<T: Scalar>(gram: MatRef<'_, T>, roots: &[f64], matrix: &mut LargeMat<f64>) {
    let columns: Vec<_> = matrix.as_mut().col_iter_mut().enumerate().collect();
    parallel::for_each_init(
        columns,
        || (),
        |(), (j, column)| {
            let rows = column.iter_mut().zip(gram.col(j).iter()).zip(roots).skip(j);
            rows.for_each(|((to, value), root)| *to = root * value.to_f64() * roots[j]);
        },
    );
}
