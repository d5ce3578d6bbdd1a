//! Searches for the parameters, from those that are given and from some that are drawn around them.

use super::hyper::Hyper;
use super::params::Settings;
use crate::descent::{Function, Minimum, Rules, is_of_values, minimise};
use crate::report::GaussianProcessDetails;
use crate::{Error, Progress, Run, Status, tolerance};
use kern_core::Scalar;
use kern_core::parameters::Parameters;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The best of some searches, and what is known of all.
pub(super) struct Best {
    pub(super) minimum: Minimum,
    pub(super) iterations: usize,
    pub(super) details: GaussianProcessDetails,
}

/// Minimises a function of logarithms, whose numbers are as accurate as those of type `T`.
pub(super) fn search<T: Scalar, K: Parameters + Clone>(
    settings: &Settings,
    hyper: &Hyper<'_, K>,
    function: &mut Function<'_>,
    run: &mut Run<'_>,
) -> Result<Best, Error> {
    let Settings { restarts, max_iterations, seed, spread, .. } = *settings;
    let slope = tolerance::LIKELIHOOD_SLOPE;
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
            // A start that was drawn may have no likelihood.
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
