//! Gaussian process classification: the learner with its settings, and its fit by Laplace's
//! approximation of the posterior.

use super::hyperparameter_search::{Fixed, Hyper, Inference, SearchSettings, learn};
use super::laplace_approximation::{Classes, Evidence, check_classes};
use super::latent_posterior::LatentPosterior;
use super::marginal_likelihood::LogLikelihood;
use super::stored_cholesky::Factor;
use crate::classes::{ClassWeights, Encoded};
use crate::estimator::check;
use crate::model::{Classifier, KernelExpansion, Link, ProbabilisticClassifier, Vote, learned};
use crate::space::{OnKernel, constructors, named_learners};
use crate::{Data, Error, Label, Labels, Learner, Run, fit_sugar};
use kern_core::gradient::Differentiable;
use kern_core::{Mercer, Points, settings};
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
    pub(super) search: SearchSettings,
}

settings! {
    /// The weights of the classes, and whether the kernel is fixed.
    struct ClassifierSettings in settings;

    GaussianProcessClassifier {
        /// Fixes the parameters of the kernel. Default: false.
        fixed: bool = false;
        /// Class weights, multiplied by the sample weights. Default: [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
    }
}

named_learners! { GaussianProcessClassifier: settings, search; }

constructors! {
    GaussianProcessClassifier;
    /// Creates a classifier whose latent functions have this kernel as prior covariance; the search
    /// starts from its parameters.
    on_kernel;
}

impl<S> GaussianProcessClassifier<S> {
    /// Creates a classifier in this space.
    pub fn on(space: S) -> Self {
        Self { space, settings: ClassifierSettings::default(), search: SearchSettings::default() }
    }

    fit_sugar!(supervised);
}

impl<K> GaussianProcessClassifier<OnKernel<K>> {
    /// The kernel from which the search starts.
    pub const fn kernel(&self) -> &K {
        &self.space.kernel
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
        check(&self.search)?;
        let kernel = &self.space.kernel;
        let labels = Encoded::new(data.targets())?;
        let weights = self.settings.class_weights.combine(&labels, data.sample_weights())?;
        // Classes have no noise.
        let fixed = if self.settings.fixed { Fixed::All } else { Fixed::Noise };
        kernel.check(data.points())?;
        let classes = Classes::new(data.points(), &labels, weights)?;
        let points = classes.points();
        check_classes(self.search.evaluations(fixed), kernel, points, labels.problems(), run)?;
        let hyper = Hyper::new(kernel, 0.0, fixed, &self.search);
        let problems = classes.problems();
        let mut fit = Fit { points, evidence: Evidence::new(points, &problems) };
        let (function, report) = learned(learn(&mut fit, &hyper, &self.search, run)?)?;
        let link = if labels.problems() == 1 { Link::Logistic } else { Link::OneVsRest };
        let classifier = Classifier::new(function, labels.classes, Vote::Argmax, report);
        Ok(ProbabilisticClassifier::new(classifier, link))
    }
}

/// Data of a fit whose kernel is still to be learned.
struct Fit<'f, P: Points> {
    points: &'f P,
    evidence: Evidence<'f, P>,
}

impl<P: Points, K: Differentiable<P>> Inference<K> for Fit<'_, P> {
    type Points = P;
    type Posterior = LatentPosterior<P, K>;

    fn likelihood(&mut self, kernel: &K, _: f64) -> Result<LogLikelihood, Error> {
        self.evidence.likelihood(kernel)
    }

    fn posterior(&mut self, kernel: K, _: f64) -> Result<(LatentPosterior<P, K>, f64), Error> {
        let modes = self.evidence.modes(&kernel)?;
        let mut a = zeros(self.points.len(), modes.len())?;
        let (mut factors, mut roots, mut log_likelihood) = (Vec::new(), Vec::new(), 0.0);
        for (k, mode) in modes.into_iter().enumerate() {
            a.col_as_slice_mut(k).copy_from_slice(mode.a.col_as_slice(0));
            factors.push(Factor::new(mode.factor));
            roots.push(mode.roots);
            log_likelihood += mode.value;
        }
        // Keeps points with zero coefficients, because the factors cover all points.
        let mean = KernelExpansion::of_all(kernel, self.points, a)?;
        Ok((LatentPosterior { mean, factors, roots, log_likelihood }, -log_likelihood))
    }
}
