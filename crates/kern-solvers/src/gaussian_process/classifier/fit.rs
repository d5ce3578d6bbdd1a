//! Fits of Gaussian processes to classes.

use super::evidence::Evidence;
use super::mode::{Mode, Problem};
use super::{GaussianProcessClassifier, LatentPosterior};
use crate::estimator::check;
use crate::gaussian_process::LogLikelihood;
use crate::gaussian_process::factor::Factor;
use crate::gaussian_process::hyper::Hyper;
use crate::gaussian_process::limit;
use crate::gaussian_process::params::{Fixed, Settings};
use crate::gaussian_process::search::search;
use crate::labels::Encoded;
use crate::model::{Classifier, KernelExpansion, Link, ProbabilisticClassifier, Vote, learned};
use crate::report::Details;
use crate::space::OnKernel;
use crate::{Data, Error, Label, Labels, Learner, Progress, Report, Run, Status};
use kern_core::gradient::Differentiable;
use kern_core::{Kernel, Mercer, Points};
use kern_gram::zeros;

/// Laplace's approximation of the log likelihood of classes under latent functions of this covariance, summed over functions,
/// and its gradient in the logarithms of all parameters; its derivative in a noise is 0.
///
/// # Definition
/// ln Z ≈ −½aᵀf + Σβᵢ ln σ(±fᵢ) − ½ ln|I + W^½KW^½| at the mode f = Ka; each of more than two classes has a function against the
/// rest. With R = (K + W⁻¹)⁻¹, ∇ = β(t − π), sᵢ = −½((K⁻¹ + W)⁻¹)ᵢᵢ·∂Wᵢ/∂fᵢ and u = s − RKs, the adjoint of K is
/// ½(aaᵀ − R) + ½(u∇ᵀ + ∇uᵀ).
///
/// # Complexity
/// Some 5n³ flops for each function, and 3n² numbers.
///
/// # Errors
/// [`Error::OneClass`]; [`Error::Core`] if the kernel refuses the points; [`Error::Gram`] beyond the memory of the run or for
/// kernel values that are not finite; [`Error::NotPositiveDefinite`]; [`Error::Range`].
///
/// # References
/// Rasmussen & Williams (2006), (3.32) and algorithm 5.1.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, Run, gaussian_process::laplace_likelihood};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let data = Data::new(&x, &[false, true, true])?;
/// let at = |weight: f64| laplace_likelihood(&(weight * Rbf::new(1.0)?), &data, &Run::new());
/// let (less, here, more) = (at(2.0 * (-1e-3_f64).exp())?, at(2.0)?, at(2.0 * 1e-3_f64.exp())?);
/// assert!((here.gradient[0] - (more.value - less.value) / 2e-3).abs() < 1e-7);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "Laplace approximation")]
pub fn laplace_likelihood<P, L, K>(
    kernel: &K,
    data: &Data<'_, P, Labels<L>>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    L: Label,
    K: Mercer<P> + Differentiable<P>,
{
    let labels = Encoded::new(data.targets())?;
    let weights = data.sample_weights().map(<[f64]>::to_vec);
    let known = Settings { fixed: Fixed::All, ..Settings::default() };
    kernel.check(data.points())?;
    let classes = Classes::new(data.points(), &labels, weights)?;
    limit::check_classes(&known, (kernel, classes.points(), labels.problems()), run)?;
    Evidence::new(classes.points(), &classes.problems()).likelihood(kernel)
}

/// # Errors
/// [`Error::OneClass`]; [`Error::Core`] for a hyper-parameter outside of its domain or points that the kernel refuses;
/// [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`]; [`Error::Gram`] beyond the memory of the run or
/// for kernel values that are not finite; [`Error::NotPositiveDefinite`] and [`Error::Range`] if there is no likelihood at the
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
        limit::check_classes(&settings, (kernel, points, labels.problems()), run)?;
        let fit = Fit { settings: &settings, points, problems: &classes.problems() };
        let (function, report) = learned(fit.learn(kernel, run)?)?;
        let link = if labels.problems() == 1 { Link::Logistic } else { Link::OneVsRest };
        let classifier = Classifier::new(function, (labels.classes, Vote::Greatest), report);
        Ok(ProbabilisticClassifier::new(classifier, link))
    }
}

/// Points of a weight greater than zero, and for each function those of the class that it tells from the rest.
struct Classes<'c, P> {
    all: &'c P,
    /// The points, if they are not all.
    part: Option<P>,
    /// β, unless all are 1.
    weights: Option<Vec<f64>>,
    positive: Vec<Vec<bool>>,
}

impl<'c, P: Points> Classes<'c, P> {
    fn new<L: Label>(
        all: &'c P,
        labels: &Encoded<L>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, Error> {
        let is_used = |&i: &usize| weights.as_ref().is_none_or(|weights| weights[i] > 0.0);
        let used: Vec<usize> = (0..all.len()).filter(is_used).collect();
        let part = if used.len() == all.len() { None } else { Some(all.select(&used)?) };
        let weights = weights.map(|weights| used.iter().map(|&i| weights[i]).collect());
        let outputs = labels.problems();
        let of_output = |output: usize| {
            let class = if outputs == 1 { 1 } else { output };
            used.iter().map(|&i| labels.indices[i] == class).collect()
        };
        Ok(Self { all, part, weights, positive: (0..outputs).map(of_output).collect() })
    }

    fn points(&self) -> &P {
        self.part.as_ref().unwrap_or(self.all)
    }

    fn problems(&self) -> Vec<Problem<'_>> {
        let weights = self.weights.as_deref();
        self.positive.iter().map(|positive| Problem { positive, weights }).collect()
    }
}

/// A fit, before its kernel is known.
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

    /// The posterior for a kernel that is known, and the report with its objective.
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
        // The factors know points of coefficients that are zero, too.
        let mean = KernelExpansion::of_all(kernel.clone(), self.points, a)?;
        let function = LatentPosterior { mean, factors, roots, log_likelihood };
        Ok((function, Report { objective: -log_likelihood, ..report }))
    }
}
