//! Parameters of Gaussian processes.

use crate::space::{OnKernel, OnLandmarks, constructors, named_learners};
use crate::{fit_sugar, tolerance};
use kern_core::parameters::Domain;
use kern_core::{Scalar, named_values, settings};
use serde::{Deserialize, Serialize};

/// Regression by a Gaussian process whose kernel and noise are learned from the data.
///
/// # Definition
/// f has the prior covariance K, and yᵢ is f(xᵢ) plus noise of variance σ²/βᵢ, with the weights β of the
/// [data](crate::Data). The parameters of K and σ² are those of the greatest [`Objective`] that was found from the start, which
/// is the kernel and the noise as they are given, and from some [restarts](GaussianProcess::restarts), by L-BFGS-B on their
/// logarithms. All [free parameters](kern_core::gradient::free_parameters) of the kernel are learned; one that is 0 stays 0.
/// The model is the posterior given all targets: [`Posterior`](super::Posterior). The objective of the report is −1 times the
/// objective, so it is minimised.
///
/// # Complexity
/// n³ flops for each evaluation of the likelihood, some 3n³ for [`Objective::LeaveOneOut`], and 2n² numbers, whatever the number
/// of parameters is; n³/3 flops and n² numbers if nothing is learned.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, algorithm 2.1 and section 5.4; Byrd, Lu, Nocedal & Zhu
/// (1995), *A Limited Memory Algorithm for Bound Constrained Optimization*.
///
/// # Examples
/// A width for each feature, and the noise, from the data:
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
/// let (mean, deviation) = (model.predict(&query)?, model.deviation(&query, Noise::Without)?);
/// assert!((mean[0] - 0.5_f64.sin()).abs() < 3.0 * deviation[0]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// Parameters that are known:
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
    /// The noise, and rules for the search of parameters.
    pub(super) struct Settings in settings;

    GaussianProcess {
        /// The variance σ² of the noise of a target of weight 1, or the value that its search starts with. Default: 0.1.
        ///
        /// With [`normalize`](GaussianProcess::normalize) it is that of the normalised targets.
        #[doc(alias = "noise variance")]
        #[doc(alias = "alpha")]
        noise: f64 = tolerance::DEFAULT_NOISE, Domain::positive();
        /// Subtracts the mean from the targets of each output and divides them by their standard deviation, both weighted, for
        /// the fit. Default: false.
        normalize: bool = false;
        /// The function of the parameters that is maximised. Default: [`Objective::Likelihood`].
        objective: Objective = Objective::Likelihood;
        /// The parameters that keep their values. Default: [`Fixed::Nothing`].
        fixed: Fixed = Fixed::Nothing;
        /// The least value of a parameter that is learned, unless its start is less. Default: 1e-5.
        lower: f64 = tolerance::LEAST_PARAMETER, Domain::positive();
        /// The greatest value of a parameter that is learned, unless its start is greater. Default: 1e5.
        upper: f64 = tolerance::GREATEST_PARAMETER, Domain::positive();
        /// Searches beyond the one from the given parameters, each from parameters whose logarithms are uniform around the
        /// given ones, within [`spread`](GaussianProcess::spread) and the bounds. Default: 0.
        restarts: usize = 0;
        /// The greatest factor between a parameter that a restart draws and the given one. Default: 50.
        ///
        /// Parameters from the whole range between wide bounds mostly lead to an optimum that holds all for noise.
        spread: f64 = tolerance::RESTART_SPREAD, Domain::real(1.0, f64::MAX).log();
        /// The seed of restarts. Default: 0.
        seed: u64 = 0;
        /// The most iterations of a search. Default: 200.
        max_iterations: usize = 200, Domain::count(1);
        /// The decrease of the objective, relative to it, at which a search ends. Default: 2e-9, and 1e-5 for points in single
        /// precision.
        tolerance: f64, Domain::positive();
    }
}

named_learners! { GaussianProcess: settings; }

constructors! {
    GaussianProcess;
    /// A Gaussian process whose covariance is this kernel, learned from the parameters that it has.
    on_kernel;
    /// A Gaussian process for many points, that knows of them what landmarks know.
    ///
    /// The landmarks are chosen once, with the kernel as it is given, and stay. The parameters are those of the greatest
    /// [lower bound](super::LikelihoodBounds) of the likelihood, and the posterior says with an
    /// [upper one](super::Posterior::likelihood_bounds) how much better more landmarks could be. An evaluation takes some 4nm²
    /// flops and O(m²) numbers for m landmarks; the rank of the choice is not used. [`Objective::LeaveOneOut`] is refused.
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
    /// // So few landmarks leave less than 7 of some 345 open.
    /// assert!(bounds.upper - bounds.lower < 7.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    on_landmarks;
}

impl<S> GaussianProcess<S> {
    /// A Gaussian process in this space.
    pub fn on(space: S) -> Self {
        Self { space, settings: Settings::default() }
    }

    fit_sugar!(supervised);
}

impl<K> GaussianProcess<OnKernel<K>> {
    /// The kernel that the search starts with.
    pub const fn kernel(&self) -> &K {
        &self.space.kernel
    }
}

/// The function of the parameters that a Gaussian process maximises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Objective {
    /// The marginal likelihood of all targets: [`log_likelihood`](super::log_likelihood).
    #[default]
    Likelihood,
    /// The probability of each target given the others:
    /// [`leave_one_out_likelihood`](super::leave_one_out_likelihood). It asks less of the prior.
    LeaveOneOut,
}

named_values!(Objective { "likelihood" => Likelihood, "leave_one_out" => LeaveOneOut });

/// The parameters of a Gaussian process that keep the values that they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fixed {
    /// All are learned.
    #[default]
    Nothing,
    /// The noise keeps its variance.
    Noise,
    /// The kernel keeps its parameters.
    Kernel,
    /// All keep their values, and nothing is searched.
    All,
}

named_values!(Fixed { "nothing" => Nothing, "noise" => Noise, "kernel" => Kernel, "all" => All });

impl Settings {
    /// The relative decrease that ends a search.
    pub(super) fn decrease<T: Scalar>(&self) -> f64 {
        let double = size_of::<T>() == size_of::<f64>();
        let default = if double { tolerance::LIKELIHOOD } else { tolerance::LIKELIHOOD_SINGLE };
        self.tolerance.unwrap_or(default)
    }
}
