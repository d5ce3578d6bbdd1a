//! Search for hyper-parameters: L-BFGS-B on their logarithms, from the given values and from
//! restarts drawn around them.

use super::gaussian_process_regression::Settings;
use super::marginal_likelihood::LogLikelihood;
use crate::lbfgs_b::{Function, Minimum, Rules, is_of_values, minimise};
use crate::report::GaussianProcessDetails;
use crate::{Error, Progress, Run, Status};
use kern_core::gradient::{FreeParameter, free_parameters, set_free_parameters};
use kern_core::parameters::Parameters;
use kern_core::{Scalar, named_values};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The slope of a likelihood in the logarithm of a parameter that is none: SciPy's.
const LIKELIHOOD_SLOPE: f64 = 1e-5;

/// Typical number of likelihood evaluations of a search.
const EVALUATIONS: f64 = 30.0;

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

/// The best minimum of several searches, with the statistics of all.
pub(super) struct Best {
    pub(super) minimum: Minimum,
    pub(super) iterations: usize,
    pub(super) details: GaussianProcessDetails,
}

/// Minimises a function of log-parameters that is computed in the precision of `T`.
pub(super) fn search<T: Scalar, K: Parameters + Clone>(
    settings: &Settings,
    hyper: &Hyper<'_, K>,
    function: &mut Function<'_>,
    run: &mut Run<'_>,
) -> Result<Best, Error> {
    let Settings { restarts, max_iterations, seed, spread, .. } = *settings;
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
        let mut observe = |own: usize, loss: f64| {
            run.observe(&Progress { iteration: iterations + own, total, loss })
        };
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

/// Estimated number of evaluations of the objective in all searches.
pub(super) fn evaluations(settings: &Settings) -> f64 {
    match settings.fixed {
        Fixed::All => 0.0,
        _ => {
            (1.0 + settings.restarts as f64) * EVALUATIONS.min(1.0 + settings.max_iterations as f64)
        }
    }
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
    pub(super) fn new(kernel: &'s K, settings: &Settings) -> Self {
        let (noise, free) = (settings.noise, free_parameters(kernel));
        let (of_kernel, of_noise) = match settings.fixed {
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

    /// True if any parameter is learned.
    pub(super) fn is_free(&self) -> bool {
        !self.learned.is_empty()
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
    pub(super) fn at(&self, logarithms: &[f64]) -> Result<(K, f64), Error> {
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
    pub(super) fn gradient(&self, found: &LogLikelihood) -> Vec<f64> {
        let slope = |&k: &usize| found.gradient.get(k).copied().unwrap_or(found.noise);
        self.learned.iter().map(slope).collect()
    }
}
