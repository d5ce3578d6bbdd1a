//! Gaussian process classification: the learner with its settings, and its fit by Laplace's
//! approximation of the posterior.

use super::gaussian_process_regression::Settings;
use super::hyperparameter_search::{Fixed, Hyper, search};
use super::laplace_approximation::{Classes, Evidence, Mode, Problem, check_classes};
use super::latent_posterior::LatentPosterior;
use super::stored_cholesky::Factor;
use crate::classes::ClassWeights;
use crate::classes::Encoded;
use crate::estimator::check;
use crate::model::{Classifier, KernelExpansion, Link, ProbabilisticClassifier, Vote, learned};
use crate::report::Details;
use crate::space::{OnKernel, constructors, named_learners};
use crate::{
    Data, Error, Label, Labels, Learner, Progress, Report, Run, Status, fit_sugar, tolerance,
};
use kern_core::gradient::Differentiable;
use kern_core::parameters::Domain;
use kern_core::{Kernel, Mercer, Points, settings};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// Classification by a Gaussian process whose kernel is learned from the data.
///
/// # Definition
/// A latent function f has the prior covariance K, and a point x belongs to the second of two
/// classes with probability 1/(1 + exp(−f(x))). The posterior of f is approximated by a normal
/// distribution around its mode, with the curvature there (Laplace). L-BFGS-B maximises the
/// approximate log likelihood over the parameters of K, from the given kernel and from some
/// [restarts](GaussianProcessClassifier::restarts); the best result is kept. With more than two
/// classes, each class has a latent function against the rest: the functions share the kernel, the
/// sum of their log likelihoods is maximised, and their probabilities are divided by their sum.
/// Weights β of the [data](crate::Data) multiply log likelihoods. The objective of the report is
/// minus the log likelihood.
///
/// Probabilities account for the variance of f, see [`LatentPosterior`].
///
/// # Complexity
/// About 5n³ flops for each evaluation of the likelihood with its gradient and each function, and
/// memory for 3n² values. The model stores n²/2 values for each function.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, algorithms 3.1, 3.2 and
/// 5.1.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::gaussian_process::GaussianProcessClassifier;
/// let x = Samples::from_rows(&[[0.0], [0.5], [1.0], [4.0], [4.5], [5.0]])?;
/// let y = ["low", "low", "low", "high", "high", "high"];
/// let model = GaussianProcessClassifier::on_kernel(4.0 * Rbf::new(0.5)?).fit(&x, &y)?;
/// assert_eq!(model.predict(&x)?, y);
/// // Half-way between the classes, and far away, both are equally likely.
/// let p = model.predict_proba(&Samples::from_rows(&[[2.5], [1000.0]])?)?;
/// assert!((p[(0, 0)] - 0.5_f64).abs() < 1e-6 && (p[(1, 0)] - 0.5).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "GPC")]
#[doc(alias = "Laplace approximation")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianProcessClassifier<S> {
    space: S,
    settings: ClassifierSettings,
}

settings! {
    /// Settings of the hyper-parameter search.
    struct ClassifierSettings in settings;

    GaussianProcessClassifier {
        /// Fixes the parameters of the kernel. Default: false.
        fixed: bool = false;
        /// Class weights, multiplied by the sample weights. Default: [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// Lower bound of each learned parameter, or its start if that is smaller. Default: 1e-5.
        lower: f64 = tolerance::SMALLEST_PARAMETER, Domain::positive();
        /// Upper bound of each learned parameter, or its start if that is larger. Default: 1e5.
        upper: f64 = tolerance::LARGEST_PARAMETER, Domain::positive();
        /// Number of searches besides the one from the given parameters. Each starts from
        /// parameters that are drawn log-uniformly around the given ones, within
        /// [`spread`](GaussianProcessClassifier::spread) and the bounds. Default: 0.
        restarts: usize = 0;
        /// Largest factor between a parameter drawn by a restart and the given one. Default: 50.
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

named_learners! { GaussianProcessClassifier: settings; }

constructors! {
    GaussianProcessClassifier;
    /// Creates a classifier whose latent functions have this kernel as prior covariance; the search
    /// starts from its parameters.
    on_kernel;
}

impl<S> GaussianProcessClassifier<S> {
    /// Creates a classifier in this space.
    pub fn on(space: S) -> Self {
        Self { space, settings: ClassifierSettings::default() }
    }

    fit_sugar!(supervised);
}

impl<K> GaussianProcessClassifier<OnKernel<K>> {
    /// The kernel from which the search starts.
    pub const fn kernel(&self) -> &K {
        &self.space.kernel
    }
}

impl ClassifierSettings {
    /// Returns the search settings of regression, with the noise fixed.
    fn search(&self) -> Settings {
        let Self { fixed, lower, upper, restarts, spread, seed, max_iterations, tolerance, .. } =
            *self;
        let fixed = if fixed { Fixed::All } else { Fixed::Noise };
        let rest = Settings::default();
        Settings { fixed, lower, upper, restarts, spread, seed, max_iterations, tolerance, ..rest }
    }
}

/// # Errors
/// [`Error::OneClass`]; [`Error::Core`] for a hyper-parameter outside its domain or points that the
/// kernel rejects; [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`];
/// [`Error::Gram`] if the memory of the run is exceeded or a kernel value is non-finite;
/// [`Error::NotPositiveDefinite`] and [`Error::Range`] if the likelihood cannot be computed at the
/// start; [`Error::TooLong`].
impl<P, L, K> Learner<P, Labels<L>> for GaussianProcessClassifier<OnKernel<K>>
where
    P: Points,
    L: Label,
    K: Mercer<P> + Differentiable<P> + Clone,
{
    type Model = ProbabilisticClassifier<LatentPosterior<P, K>, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let kernel = &self.space.kernel;
        let labels = Encoded::new(data.targets())?;
        let weights = self.settings.class_weights.combine(&labels, data.sample_weights())?;
        let settings = self.settings.search();
        kernel.check(data.points())?;
        let classes = Classes::new(data.points(), &labels, weights)?;
        let points = classes.points();
        check_classes(&settings, kernel, points, labels.problems(), run)?;
        let fit = Fit { settings: &settings, points, problems: &classes.problems() };
        let (function, report) = learned(fit.learn(kernel, run)?)?;
        let link = if labels.problems() == 1 { Link::Logistic } else { Link::OneVsRest };
        let classifier = Classifier::new(function, labels.classes, Vote::Argmax, report);
        Ok(ProbabilisticClassifier::new(classifier, link))
    }
}

/// Data and settings of a fit whose kernel is still to be learned.
struct Fit<'f, P: Points> {
    settings: &'f Settings,
    points: &'f P,
    problems: &'f [Problem<'f>],
}

impl<P: Points> Fit<'_, P> {
    fn learn<K: Mercer<P> + Differentiable<P> + Clone>(
        &self,
        start: &K,
        run: &mut Run<'_>,
    ) -> Result<(LatentPosterior<P, K>, Report), Error> {
        let hyper = Hyper::new(start, self.settings);
        let mut evidence = Evidence::new(self.points, self.problems);
        if !hyper.is_free() {
            let report = Report::new(Status::Converged, 1, 0.0, None);
            let (function, report) = self.posterior(start, evidence.modes(start)?, report)?;
            let Report { iterations, objective, .. } = report;
            let _ = run.observe(&Progress { iteration: 1, total: iterations, loss: objective });
            return Ok((function, report));
        }
        let mut function = |logarithms: &[f64]| {
            let (kernel, _) = hyper.at(logarithms)?;
            let found = evidence.likelihood(&kernel)?;
            let slopes = hyper.gradient(&found).into_iter().map(|slope| -slope);
            Ok((-found.value, slopes.collect()))
        };
        let best = search::<P::Scalar, _>(self.settings, &hyper, &mut function, run)?;
        let (kernel, _) = hyper.at(&best.minimum.at)?;
        let report = Report::new(best.minimum.status, best.iterations, 0.0, None);
        let report = report.with_details(Details::GaussianProcess(best.details));
        let modes = evidence.modes(&kernel)?;
        self.posterior(&kernel, modes, report)
    }

    /// Returns the posterior for a given kernel, and the report with its objective.
    fn posterior<K: Kernel<P> + Clone>(
        &self,
        kernel: &K,
        modes: Vec<Mode<P::Scalar>>,
        report: Report,
    ) -> Result<(LatentPosterior<P, K>, Report), Error> {
        let mut a = zeros(self.points.len(), modes.len())?;
        let (mut factors, mut roots, mut log_likelihood) = (Vec::new(), Vec::new(), 0.0);
        for (k, mode) in modes.into_iter().enumerate() {
            a.col_as_slice_mut(k).copy_from_slice(mode.a.col_as_slice(0));
            factors.push(Factor::new(mode.factor));
            roots.push(mode.roots);
            log_likelihood += mode.value;
        }
        // Keeps points with zero coefficients, because the factors cover all points.
        let mean = KernelExpansion::of_all(kernel.clone(), self.points, a)?;
        let function = LatentPosterior { mean, factors, roots, log_likelihood };
        Ok((function, Report { objective: -log_likelihood, ..report }))
    }
}
