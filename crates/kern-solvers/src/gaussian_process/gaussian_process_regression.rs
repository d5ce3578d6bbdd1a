//! Gaussian process regression: the learner with its settings, and its exact fit on all points.
//!
//! Targets are optionally normalised to mean 0 and variance 1. The parameters of the kernel and the
//! noise are learned, and the Cholesky factor of K + σ²B⁻¹ at the best ones gives the posterior.

use super::hyperparameter_search::{Fixed, Hyper, Inference, SearchSettings, learn};
use super::marginal_likelihood::{Evidence, LogLikelihood, Objective};
use super::posterior::Posterior;
use super::stored_cholesky::Factor;
use super::variational_bound::LikelihoodBounds;
use crate::design::Design;
use crate::estimator::check;
use crate::model::{KernelExpansion, Regression, learned};
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::space::{OnKernel, OnLandmarks, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar};
use faer::{Mat, MatRef};
use kern_core::gradient::Differentiable;
use kern_core::parameters::Domain;
use kern_core::{Kernel, Mercer, Points, Scalar, settings};
use kern_gram::{matrix_bytes, zeros};
use serde::{Deserialize, Serialize};

/// Default variance of the noise that a Gaussian process starts its search with: a tenth of standardised targets is noise.
const DEFAULT_NOISE: f64 = 0.1;

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
#[doc(alias = "GaussianProcessRegressor")]
#[doc(alias = "kriging")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianProcess<S> {
    pub(super) space: S,
    pub(super) settings: ProcessSettings,
    pub(super) search: SearchSettings,
}

settings! {
    /// The noise, the objective, and the fixed parameters.
    pub(super) struct ProcessSettings in settings;

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
    }
}

named_learners! { GaussianProcess: settings, search; }

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
        Self { space, settings: ProcessSettings::default(), search: SearchSettings::default() }
    }

    fit_sugar!(supervised);
}

impl<K> GaussianProcess<OnKernel<K>> {
    /// The kernel from which the search starts.
    pub const fn kernel(&self) -> &K {
        &self.space.kernel
    }

    /// Fails if a fit exceeds the memory of its run or is predicted to exceed its time limit.
    fn check_limits<P>(&self, points: &P, outputs: usize, run: &Run<'_>) -> Result<(), Error>
    where
        P: Points,
        K: Kernel<P>,
    {
        let (n, learns) = (points.len(), self.settings.fixed != Fixed::All);
        // One or two matrices; the targets, the whitened targets, γ, α, and the model's
        // coefficients.
        let matrices = if learns { n.saturating_mul(2) } else { n };
        let numbers = matrices.saturating_add(outputs.saturating_mul(8));
        let needed = matrix_bytes::<P::Scalar>(n, numbers);
        let budget = run.budget();
        budget.require("a Gaussian process", needed, "learn on fewer points")?;
        let evaluations = self.search.evaluations(self.settings.fixed);
        let cubes = if self.settings.objective == Objective::Likelihood { 1.0 } else { 3.0 };
        let n = n as f64;
        let parts = vec![
            (Work::KernelValues, Count::values((evaluations + 0.5) * n * n)),
            (Work::Factors, Count::flops((evaluations * cubes + 1.0 / 3.0) * n.powi(3))),
        ];
        let effort = Effort::counted(Algorithm::Cholesky, parts);
        within((run.predicted_limit(), &budget), &self.space.kernel, points, &[effort], &[])
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
        check(&self.search)?;
        let weights = data.sample_weights().map(<[f64]>::to_vec);
        let design = Design::new((), data.points(), weights, false)?;
        let (kernel, y) = (&self.space.kernel, data.targets().matrix());
        kernel.check(design.points())?;
        self.check_limits(design.points(), y.ncols(), run)?;
        let units = match self.settings.normalize {
            true => Units::of(y, |i| data.weight(i))?,
            false => Units::given(y.ncols()),
        };
        let normalised = units.normalised(y)?;
        let evidence = Evidence::new(&design, normalised.as_ref())?;
        let ProcessSettings { noise, objective, fixed, .. } = self.settings;
        let mut fit = Fit { objective, design: &design, evidence, units };
        let hyper = Hyper::new(kernel, noise, fixed, &self.search);
        let (function, report) = learned(learn(&mut fit, &hyper, &self.search, run)?)?;
        Ok(Y::model(function, report))
    }
}

/// Data and objective of a fit whose kernel is still to be learned.
struct Fit<'f, 'a, P: Points> {
    objective: Objective,
    design: &'f Design<'a, P, ()>,
    evidence: Evidence<'f, 'a, P>,
    units: Units,
}

impl<P: Points, K: Mercer<P> + Differentiable<P>> Inference<K> for Fit<'_, '_, P> {
    type Points = P;
    type Posterior = Posterior<P, K>;

    fn likelihood(&mut self, kernel: &K, noise: f64) -> Result<LogLikelihood, Error> {
        self.evidence.likelihood(kernel, noise, self.objective)
    }

    fn posterior(&mut self, kernel: K, noise: f64) -> Result<(Posterior<P, K>, f64), Error> {
        let solved = self.evidence.solve(&kernel, noise)?;
        let log_likelihood = self.evidence.value(&solved, Objective::Likelihood)?;
        let objective = match self.objective {
            Objective::Likelihood => log_likelihood,
            other => self.evidence.value(&solved, other)?,
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
        Ok((function, -objective))
    }
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
