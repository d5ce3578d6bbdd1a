//! Gaussian process regression: the learner with its settings, and its exact fit on all points.
//!
//! Targets are optionally normalised to mean 0 and variance 1. The parameters of the kernel and the
//! noise are learned, and the Cholesky factor of K + σ²B⁻¹ at the best ones gives the posterior.

use super::hyperparameter_search::{Fixed, Hyper, evaluations, search};
use super::marginal_likelihood::{Evidence, Objective, Solved};
use super::posterior::Posterior;
use super::stored_cholesky::Factor;
use super::variational_bound::LikelihoodBounds;
use crate::design::Design;
use crate::estimator::check;
use crate::model::{KernelExpansion, Regression, learned};
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::report::Details;
use crate::space::{OnKernel, OnLandmarks, constructors, named_learners};
use crate::{Data, Error, Learner, Progress, Report, Run, Status, fit_sugar, tolerance};
use faer::{Mat, MatRef};
use kern_core::gradient::Differentiable;
use kern_core::parameters::Domain;
use kern_core::{Kernel, Mercer, Points, Scalar, settings};
use kern_gram::{matrix_bytes, zeros};
use serde::{Deserialize, Serialize};

/// Default variance of the noise that a Gaussian process starts its search with: a tenth of standardised targets is noise.
const DEFAULT_NOISE: f64 = 0.1;

/// Default decrease of a likelihood, relative to it, that is none: 10⁷ units of rounding, as SciPy's L-BFGS-B has it.
const LIKELIHOOD: f64 = 1e7 * f64::EPSILON;

/// And in single precision, where the factor's rounding moves the logarithm of the determinant by some 10⁻⁶ of it.
const LIKELIHOOD_SINGLE: f64 = 1e-5;

/// Regression by a Gaussian process whose kernel and noise are learned from the data.
///
/// # Definition
/// f has the prior covariance K, and yᵢ is f(xᵢ) plus noise of variance σ²/βᵢ, with the weights β
/// of the [data](crate::Data). L-BFGS-B maximises the [`Objective`] over the logarithms of σ² and
/// of all [free parameters](kern_core::gradient::free_parameters) of K, from the given kernel and
/// noise and from some [restarts](GaussianProcess::restarts); the best result is kept. A parameter
/// that is 0 stays 0. The model is the [`Posterior`] given all targets. The objective of the report
/// is minus this objective, so it is minimised.
///
/// # Complexity
/// n³ flops for each evaluation of the likelihood, about 3n³ for [`Objective::LeaveOneOut`], and
/// memory for 2n² values, independent of the number of parameters; n³/3 flops and n² values if
/// nothing is learned.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, algorithm 2.1 and
/// section 5.4; Byrd, Lu, Nocedal & Zhu (1995), *A Limited Memory Algorithm for Bound Constrained
/// Optimization*.
///
/// # Examples
/// A length scale for each feature, and the noise, learned from the data:
/// ```
/// use kern_core::{Samples, kernels::ArdRbf};
/// use kern_solvers::gaussian_process::{GaussianProcess, Noise};
/// let wave = |i: i32, rate: f64| (rate * f64::from(i)).sin();
/// let rows: Vec<[f64; 2]> = (0..60).map(|i| [2.0 * wave(i, 1.3), 2.0 * wave(i, 2.9)]).collect();
/// let x = Samples::from_rows(&rows)?;
/// // The second feature does not matter.
/// let y: Vec<f64> = (0..60).map(|i| rows[i as usize][0].sin() + 0.1 * wave(i, 7.7)).collect();
///
/// let process = GaussianProcess::on_kernel(1.0 * ArdRbf::new(&[1.0, 1.0])?).noise(0.1);
/// let model = process.fit(&x, &y)?;
/// let posterior = model.decision();
/// let gamma = posterior.kernel().kernel().gamma();
/// assert!(gamma[0] > 100.0 * gamma[1]);
/// assert!(posterior.noise() < 0.02);
///
/// let query = Samples::from_rows(&[[0.5, 0.0]])?;
/// let (mean, std) = (model.predict(&query)?, model.std(&query, Noise::Without)?);
/// assert!((mean[0] - 0.5_f64.sin()).abs() < 3.0 * std[0]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// Fixed parameters:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::gaussian_process::{Fixed, GaussianProcess, Noise};
/// let x = Samples::from_rows(&[[0.0]])?;
/// let process = GaussianProcess::on_kernel(Rbf::new(1.0)?).noise(0.25).fixed(Fixed::All);
/// let model = process.fit(&x, &[1.0_f64])?;
/// assert!((model.predict(&x)?[0] - 0.8_f64).abs() < 1e-15);
/// assert!((model.variance(&x, Noise::Without)?[0] - 0.2_f64).abs() < 1e-15);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "GP")]
#[doc(alias = "GPR")]
#[doc(alias = "kriging")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianProcess<S> {
    pub(super) space: S,
    pub(super) settings: Settings,
}

settings! {
    /// The noise, and the settings of the hyper-parameter search.
    pub(super) struct Settings in settings;

    GaussianProcess {
        /// Noise variance σ² of a target of weight 1; if it is learned, the start of the search.
        /// Default: 0.1.
        ///
        /// With [`normalize`](GaussianProcess::normalize) it refers to the normalised targets.
        #[doc(alias = "noise variance")]
        #[doc(alias = "alpha")]
        noise: f64 = DEFAULT_NOISE, Domain::positive();
        /// Normalises the targets of each output for the fit: subtracts their weighted mean and
        /// divides by their weighted standard deviation. Default: false.
        normalize: bool = false;
        /// The objective that is maximised. Default: [`Objective::Likelihood`].
        objective: Objective = Objective::Likelihood;
        /// The parameters that are not learned. Default: [`Fixed::Nothing`].
        fixed: Fixed = Fixed::Nothing;
        /// Lower bound of each learned parameter, or its start if that is smaller. Default: 1e-5.
        lower: f64 = tolerance::SMALLEST_PARAMETER, Domain::positive();
        /// Upper bound of each learned parameter, or its start if that is larger. Default: 1e5.
        upper: f64 = tolerance::LARGEST_PARAMETER, Domain::positive();
        /// Number of searches besides the one from the given parameters. Each starts from
        /// parameters that are drawn log-uniformly around the given ones, within
        /// [`spread`](GaussianProcess::spread) and the bounds. Default: 0.
        restarts: usize = 0;
        /// Largest factor between a parameter drawn by a restart and the given one. Default: 50.
        ///
        /// Starts from the whole range between wide bounds mostly lead to an optimum that explains
        /// all targets as noise.
        spread: f64 = tolerance::RESTART_SPREAD, Domain::real(1.0, f64::MAX).log();
        /// Seed of the restarts. Default: 0.
        seed: u64 = 0;
        /// Maximum number of iterations of each search. Default: 200.
        max_iterations: usize = 200, Domain::count(1);
        /// Relative decrease of the objective at which a search stops. Default: 2e-9, or 1e-5 for
        /// points in single precision.
        tolerance: f64, Domain::positive();
    }
}

named_learners! { GaussianProcess: settings; }

constructors! {
    GaussianProcess;
    /// Creates a Gaussian process with this kernel as prior covariance; the search starts from its
    /// parameters.
    on_kernel;
    /// Creates a sparse Gaussian process for many points, on landmarks (inducing points).
    ///
    /// The landmarks are selected once, with the given kernel, and stay fixed. The parameters
    /// maximise a [lower bound](LikelihoodBounds) of the log likelihood; the [upper
    /// bound](Posterior::likelihood_bounds) of the posterior limits how much more landmarks could
    /// gain. An evaluation takes about 4nm² flops and memory for O(m²) values with m landmarks. The
    /// rank in the Nyström settings is not used. [`Objective::LeaveOneOut`] is not supported.
    ///
    /// # Examples
    /// ```
    /// use kern_approx::Nystrom;
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::gaussian_process::GaussianProcess;
    /// let rows: Vec<[f64; 1]> = (0..300).map(|i| [0.02 * f64::from(i)]).collect();
    /// let y: Vec<f64> = rows.iter().map(|[x]| x.sin() + 0.1 * (97.0 * x).sin()).collect();
    /// let x = Samples::from_rows(&rows)?;
    /// let few = Nystrom::new(1.0 * Rbf::new(0.5)?).landmarks(15);
    /// let model = GaussianProcess::on_landmarks(few).fit(&x, &y)?;
    /// let bounds = model.decision().likelihood_bounds();
    /// // With 15 landmarks the bounds differ by less than 7, of about 345.
    /// assert!(bounds.upper - bounds.lower < 7.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    on_landmarks;
}

impl<S> GaussianProcess<S> {
    /// Creates a Gaussian process in this space.
    pub fn on(space: S) -> Self {
        Self { space, settings: Settings::default() }
    }

    fit_sugar!(supervised);
}

impl<K> GaussianProcess<OnKernel<K>> {
    /// The kernel from which the search starts.
    pub const fn kernel(&self) -> &K {
        &self.space.kernel
    }
}

impl Settings {
    /// The relative decrease of the objective at which a search stops.
    pub(super) fn decrease<T: Scalar>(&self) -> f64 {
        let double = size_of::<T>() == size_of::<f64>();
        let default = if double { LIKELIHOOD } else { LIKELIHOOD_SINGLE };
        self.tolerance.unwrap_or(default)
    }
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside its domain or points that the kernel rejects;
/// [`Error::Gram`] if the memory of the run is exceeded or a kernel value is non-finite;
/// [`Error::NotPositiveDefinite`] and [`Error::Range`] if the likelihood cannot be computed at the
/// start; [`Error::TooLong`].
impl<P, Y, K> Learner<P, Y> for GaussianProcess<OnKernel<K>>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P> + Differentiable<P> + Clone,
{
    type Model = Y::Model<Posterior<P, K>>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let weights = data.sample_weights().map(<[f64]>::to_vec);
        let design = Design::new((), data.points(), weights, false)?;
        let (kernel, y) = (&self.space.kernel, data.targets().matrix());
        kernel.check(design.points())?;
        check_limits(&self.settings, kernel, design.points(), y.ncols(), run)?;
        let units = match self.settings.normalize {
            true => Units::of(y, |i| data.weight(i))?,
            false => Units::given(y.ncols()),
        };
        let normalised = units.normalised(y)?;
        let fit = Fit { settings: &self.settings, design: &design, units };
        let (function, report) = learned(fit.learn(kernel, normalised.as_ref(), run)?)?;
        Ok(Y::model(function, report))
    }
}

/// Data and settings of a fit whose kernel is still to be learned.
struct Fit<'f, 'a, P: Points> {
    settings: &'f Settings,
    design: &'f Design<'a, P, ()>,
    units: Units,
}

impl<P: Points> Fit<'_, '_, P> {
    fn learn<K: Mercer<P> + Differentiable<P> + Clone>(
        &self,
        start: &K,
        y: MatRef<'_, P::Scalar>,
        run: &mut Run<'_>,
    ) -> Result<(Posterior<P, K>, Report), Error> {
        let hyper = Hyper::new(start, self.settings);
        let mut evidence = Evidence::new(self.design, y)?;
        let objective = self.settings.objective;
        if !hyper.is_free() {
            let solved = evidence.solve(start, self.settings.noise)?;
            let report = Report::new(Status::Converged, 1, 0.0, None);
            let (function, report) =
                self.posterior(start.clone(), self.settings.noise, report, solved, &evidence)?;
            let Report { iterations, objective, .. } = report;
            let _ = run.observe(&Progress { iteration: 1, total: iterations, loss: objective });
            return Ok((function, report));
        }
        let best = search::<P::Scalar, _>(
            self.settings,
            &hyper,
            &mut |logarithms| {
                let (kernel, noise) = hyper.at(logarithms)?;
                let found = evidence.likelihood(&kernel, noise, objective)?;
                let slopes = hyper.gradient(&found).into_iter().map(|slope| -slope);
                Ok((-found.value, slopes.collect()))
            },
            run,
        )?;
        let (kernel, noise) = hyper.at(&best.minimum.at)?;
        let solved = evidence.solve(&kernel, noise)?;
        let report = Report::new(best.minimum.status, best.iterations, 0.0, None);
        let report = report.with_details(Details::GaussianProcess(best.details));
        self.posterior(kernel, noise, report, solved, &evidence)
    }

    /// Returns the posterior at given parameters, and the report with their objective.
    fn posterior<K: Mercer<P>>(
        &self,
        kernel: K,
        noise: f64,
        report: Report,
        solved: Solved<P::Scalar>,
        evidence: &Evidence<'_, '_, P>,
    ) -> Result<(Posterior<P, K>, Report), Error> {
        let log_likelihood = evidence.value(&solved, Objective::Likelihood)?;
        let objective = match self.settings.objective {
            Objective::Likelihood => log_likelihood,
            other => evidence.value(&solved, other)?,
        };
        let mut alpha = self.design.unwhiten(solved.gamma);
        for (column, &scale) in alpha.as_mut().col_iter_mut().zip(&self.units.scales) {
            let scale = P::Scalar::from_f64(scale);
            column.iter_mut().for_each(|alpha| *alpha *= scale);
        }
        let points = self.design.points();
        let offsets = self.units.offsets.iter().map(|&offset| P::Scalar::from_f64(offset));
        let mean = KernelExpansion::of_all(kernel, points, alpha)?;
        let function = Posterior {
            mean: mean.with_intercepts(offsets.collect()),
            factor: Factor::new(solved.factor),
            refined: None,
            weights: self.design.weights(),
            noise,
            scales: self.units.scales.clone(),
            bounds: LikelihoodBounds::exact(log_likelihood),
        };
        Ok((function, Report { objective: -objective, ..report }))
    }
}

/// Fails if a fit exceeds the memory of its run or is predicted to exceed its time limit.
fn check_limits<P, K>(
    settings: &Settings,
    kernel: &K,
    points: &P,
    outputs: usize,
    run: &Run<'_>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P>,
{
    let (n, learns) = (points.len(), settings.fixed != Fixed::All);
    // One or two matrices; the targets, the whitened targets, γ, α, and the model's coefficients.
    let matrices = if learns { n.saturating_mul(2) } else { n };
    let needed = matrix_bytes::<P::Scalar>(n, matrices.saturating_add(outputs.saturating_mul(8)));
    let budget = run.budget();
    budget.require("a Gaussian process", needed, "learn on fewer points")?;
    let evaluations = evaluations(settings);
    let (n, cubes) =
        (n as f64, if settings.objective == Objective::Likelihood { 1.0 } else { 3.0 });
    let parts = vec![
        (Work::KernelValues, Count::values((evaluations + 0.5) * n * n)),
        (Work::Factors, Count::flops((evaluations * cubes + 1.0 / 3.0) * n.powi(3))),
    ];
    let effort = Effort::counted(Algorithm::Cholesky, parts);
    within((run.predicted_limit(), &budget), kernel, points, &[effort], &[])
}

/// Offset and scale of the targets of each output: normalised targets are (y − offset)/scale.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Units {
    pub(super) offsets: Vec<f64>,
    pub(super) scales: Vec<f64>,
}

impl Units {
    /// Offset 0 and scale 1, for targets as given.
    pub(super) fn given(outputs: usize) -> Self {
        Self { offsets: vec![0.0; outputs], scales: vec![1.0; outputs] }
    }

    /// The mean and the standard deviation of each output; constant targets have scale 1.
    pub(super) fn of<T: Scalar>(
        y: MatRef<'_, T>,
        weight: impl Fn(usize) -> f64,
    ) -> Result<Self, Error> {
        let mut units = Self::given(0);
        let total: f64 = (0..y.nrows()).map(&weight).sum();
        for column in y.col_iter() {
            let mean_of = |f: &dyn Fn(f64) -> f64| -> f64 {
                let terms = column.iter().enumerate();
                terms.map(|(i, y)| weight(i) * f(y.to_f64())).sum::<f64>() / total
            };
            let mean = mean_of(&|y| y);
            let scale = mean_of(&|y| (y - mean) * (y - mean)).sqrt();
            if !scale.is_finite() {
                return Err(Error::Range { what: "the standard deviation", given: scale });
            }
            // The standard deviation of constant targets is only rounding error.
            let smallest = T::UNIT_ROUNDOFF * mean.abs();
            units.offsets.push(mean);
            units.scales.push(if scale > smallest { scale } else { 1.0 });
        }
        Ok(units)
    }

    /// Returns the normalised targets.
    pub(super) fn normalised<T: Scalar>(&self, y: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        let mut out = zeros(y.nrows(), y.ncols())?;
        for k in 0..y.ncols() {
            let column = out.col_as_slice_mut(k).iter_mut().zip(y.col(k).iter());
            let (offset, scale) = (self.offsets[k], self.scales[k]);
            column.for_each(|(out, y)| *out = T::from_f64((y.to_f64() - offset) / scale));
        }
        Ok(out)
    }
}
