//! Search for hyper-parameters: L-BFGS-B on their logarithms, from the given values and from
//! restarts drawn around them.

use super::gaussian_process_classification::GaussianProcessClassifier;
use super::gaussian_process_regression::GaussianProcess;
use super::marginal_likelihood::LogLikelihood;
use crate::lbfgs_b::{Function, Minimum, Rules, is_of_values, minimise};
use crate::report::{Details, GaussianProcessDetails};
use crate::{Error, Progress, Report, Run, Status};
use kern_core::gradient::{FreeParameter, free_parameters, set_free_parameters};
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Points, Scalar, named_values, settings};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The slope of a likelihood in the logarithm of a parameter that is none: SciPy's.
const LIKELIHOOD_SLOPE: f64 = 1e-5;

/// Typical number of likelihood evaluations of a search.
const EVALUATIONS: f64 = 30.0;

/// Default decrease of a likelihood, relative to it, that is none: 10⁷ units of rounding, as SciPy's L-BFGS-B has it.
const LIKELIHOOD: f64 = 1e7 * f64::EPSILON;

/// And in single precision, where the factor's rounding moves the logarithm of the determinant by some 10⁻⁶ of it.
const LIKELIHOOD_SINGLE: f64 = 1e-5;

/// Default lower bound of the parameters of Gaussian processes: that of scikit-learn.
const SMALLEST_PARAMETER: f64 = 1e-5;
/// Default upper bound of these parameters.
const LARGEST_PARAMETER: f64 = 1e5;

/// Default factor within which restarts of Gaussian processes draw parameters around the given
/// ones. On 120 rows of five real data sets, length scales, amplitudes and noises within e² to e³
/// reached the best optimum in a quarter to a half of the searches; draws between the bounds came
/// near it in one of sixty.
const RESTART_SPREAD: f64 = 50.0;

settings! {
    /// Settings of the search: the same for regression and classification.
    pub(super) struct SearchSettings in search;

    GaussianProcess, GaussianProcessClassifier {
        /// Lower bound of each learned parameter, or its start if that is smaller. Default: 1e-5.
        lower: f64 = SMALLEST_PARAMETER, Domain::positive();
        /// Upper bound of each learned parameter, or its start if that is larger. Default: 1e5.
        upper: f64 = LARGEST_PARAMETER, Domain::positive();
        /// Number of searches besides the one from the given parameters. Each starts from
        /// parameters that are drawn log-uniformly around the given ones, within
        /// [`spread`](Self::spread) and the bounds. Default: 0.
        restarts: usize = 0;
        /// Largest factor between a parameter drawn by a restart and the given one. Default: 50.
        ///
        /// Starts from the whole range between wide bounds mostly lead to an optimum of regression
        /// that explains all targets as noise.
        spread: f64 = RESTART_SPREAD, Domain::real(1.0, f64::MAX).log();
        /// Seed of the restarts. Default: 0.
        seed: u64 = 0;
        /// Maximum number of iterations of each search. Default: 200.
        max_iterations: usize = 200, Domain::count(1);
        /// Relative decrease of the objective at which a search stops. Default: 2e-9, or 1e-5 for
        /// points in single precision.
        tolerance: f64, Domain::positive();
    }
}

impl SearchSettings {
    /// The relative decrease of the objective at which a search stops.
    fn decrease<T: Scalar>(&self) -> f64 {
        let double = size_of::<T>() == size_of::<f64>();
        let default = if double { LIKELIHOOD } else { LIKELIHOOD_SINGLE };
        self.tolerance.unwrap_or(default)
    }

    /// Estimated number of evaluations of the objective in all searches.
    pub(super) fn evaluations(&self, fixed: Fixed) -> f64 {
        match fixed {
            Fixed::All => 0.0,
            _ => (1.0 + self.restarts as f64) * EVALUATIONS.min(1.0 + self.max_iterations as f64),
        }
    }
}

/// The parameters of a Gaussian process that are not learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fixed {
    /// All parameters are learned.
    #[default]
    Nothing,
    /// The noise variance is fixed.
    Noise,
    /// The kernel parameters are fixed.
    Kernel,
    /// All parameters are fixed, and there is no search.
    All,
}

named_values!(Fixed { "nothing" => Nothing, "noise" => Noise, "kernel" => Kernel, "all" => All });

/// The likelihood of parameters on some data, and the posterior at given parameters.
pub(super) trait Inference<K> {
    /// The points, in whose scalar type likelihoods are computed.
    type Points: Points;
    /// The posterior.
    type Posterior;

    /// The log likelihood, with its gradient.
    fn likelihood(&mut self, kernel: &K, noise: f64) -> Result<LogLikelihood, Error>;

    /// The posterior, and its objective, which is minimised.
    fn posterior(&mut self, kernel: K, noise: f64) -> Result<(Self::Posterior, f64), Error>;
}

/// Learns the free parameters, and returns the posterior at the best ones.
pub(super) fn learn<K: Parameters + Clone, I: Inference<K>>(
    inference: &mut I,
    hyper: &Hyper<'_, K>,
    settings: &SearchSettings,
    run: &mut Run<'_>,
) -> Result<(I::Posterior, Report), Error> {
    if hyper.learned.is_empty() {
        run.step(0, 1)?;
        let (function, loss) = inference.posterior(hyper.kernel.clone(), hyper.noise)?;
        let _ = run.observe(&Progress::new(1, 1, loss));
        return Ok((function, Report::new(Status::Converged, 1, loss, None)));
    }
    let mut function = |logarithms: &[f64]| {
        let (kernel, noise) = hyper.at(logarithms)?;
        let found = inference.likelihood(&kernel, noise)?;
        Ok((-found.value, hyper.gradient(&found).into_iter().map(|slope| -slope).collect()))
    };
    let best = search::<<I::Points as Points>::Scalar, _>(settings, hyper, &mut function, run)?;
    let (kernel, noise) = hyper.at(&best.minimum.at)?;
    let (function, loss) = inference.posterior(kernel, noise)?;
    let report = Report::new(best.minimum.status, best.iterations, loss, None);
    Ok((function, report.with_details(Details::GaussianProcess(best.details))))
}

/// The best minimum of several searches, with the statistics of all.
struct Best {
    minimum: Minimum,
    iterations: usize,
    details: GaussianProcessDetails,
}

/// Minimises a function of log-parameters that is computed in the precision of `T`.
fn search<T: Scalar, K: Parameters + Clone>(
    settings: &SearchSettings,
    hyper: &Hyper<'_, K>,
    function: &mut Function<'_>,
    run: &mut Run<'_>,
) -> Result<Best, Error> {
    let SearchSettings { restarts, max_iterations, seed, spread, .. } = *settings;
    let slope = LIKELIHOOD_SLOPE;
    let rules = Rules { decrease: settings.decrease::<T>(), slope, max_iterations };
    let total = max_iterations.saturating_mul(restarts.saturating_add(1));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut iterations = 0;
    let mut evaluations = 0;
    let mut best: Option<Minimum> = None;
    let mut details = GaussianProcessDetails::default();
    for number in 0..=restarts {
        let start = if number == 0 { hyper.start() } else { hyper.draw(spread.ln(), &mut rng) };
        let (lower, upper) = (&hyper.lower[..], &hyper.upper[..]);
        let mut counted = |at: &[f64]| {
            evaluations += 1;
            function(at)
        };
        let mut observe =
            |own: usize, loss: f64| run.observe(&Progress::new(iterations + own, total, loss));
        let minimum = match minimise(start, lower, upper, rules, &mut counted, &mut observe) {
            Ok(minimum) => minimum,
            // The likelihood may be undefined at a randomly drawn start.
            Err(error) if number > 0 && is_of_values(&error) => {
                details.objectives.push(f64::MAX);
                continue;
            }
            Err(error) => return Err(error),
        };
        iterations += minimum.iterations;
        details.objectives.push(minimum.value);
        let stopped = minimum.status == Status::Stopped;
        if best.as_ref().is_none_or(|best| minimum.value < best.value) {
            details.search = number;
            best = Some(minimum);
        }
        if stopped {
            if let Some(best) = &mut best {
                best.status = Status::Stopped;
            }
            break;
        }
    }
    details.evaluations = evaluations;
    let minimum = best.ok_or(Error::Empty)?;
    Ok(Best { minimum, iterations, details })
}

/// A kernel and a noise variance, and the subset of their parameters that is learned.
pub(super) struct Hyper<'s, K> {
    kernel: &'s K,
    noise: f64,
    free: Vec<FreeParameter>,
    /// Indices of the learned parameters; that of the noise follows those of the kernel.
    learned: Vec<usize>,
    /// Bounds of the learned log-parameters.
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<'s, K: Parameters + Clone> Hyper<'s, K> {
    pub(super) fn new(kernel: &'s K, noise: f64, fixed: Fixed, settings: &SearchSettings) -> Self {
        let free = free_parameters(kernel);
        let (of_kernel, of_noise) = match fixed {
            Fixed::Nothing => (free.len(), true),
            Fixed::Noise => (free.len(), false),
            Fixed::Kernel => (0, true),
            Fixed::All => (0, false),
        };
        let mut learned: Vec<usize> = (0..of_kernel).filter(|&k| free[k].value > 0.0).collect();
        learned.extend(of_noise.then_some(free.len()));
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for &k in &learned {
            let (start, largest) =
                free.get(k).map_or((noise, f64::MAX), |free| (free.value, free.largest));
            lower.push(settings.lower.min(start).ln());
            upper.push(settings.upper.max(start).min(largest).ln());
        }
        Self { kernel, noise, free, learned, lower, upper }
    }

    /// The logarithms of the given values.
    fn start(&self) -> Vec<f64> {
        let value = |&k: &usize| self.free.get(k).map_or(self.noise, |free| free.value);
        self.learned.iter().map(|k| value(k).ln()).collect()
    }

    /// Draws log-parameters uniformly, within this distance of the given ones and within the
    /// bounds.
    fn draw(&self, distance: f64, rng: &mut impl Rng) -> Vec<f64> {
        let bounds = self.lower.iter().zip(&self.upper);
        let draw = |(start, (&lower, &upper)): (f64, (&f64, &f64))| {
            let (from, to) = (lower.max(start - distance), upper.min(start + distance));
            from + (to - from) * rng.random::<f64>()
        };
        self.start().into_iter().zip(bounds).map(draw).collect()
    }

    /// The kernel and the noise variance at these log-parameters.
    fn at(&self, logarithms: &[f64]) -> Result<(K, f64), Error> {
        let mut values: Vec<f64> = self.free.iter().map(|free| free.value).collect();
        let (mut kernel, mut noise) = (self.kernel.clone(), self.noise);
        for (&k, logarithm) in self.learned.iter().zip(logarithms) {
            match self.free.get(k) {
                // Rounding must not leave the domain.
                Some(free) => values[k] = logarithm.exp().min(free.largest),
                None => noise = logarithm.exp(),
            }
        }
        set_free_parameters(&mut kernel, &values)?;
        Ok((kernel, noise))
    }

    /// The derivatives in the learned log-parameters.
    fn gradient(&self, found: &LogLikelihood) -> Vec<f64> {
        let slope = |&k: &usize| found.gradient.get(k).copied().unwrap_or(found.noise);
        self.learned.iter().map(slope).collect()
    }
}
