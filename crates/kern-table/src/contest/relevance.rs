//! A metric of the numeric columns, learned from the targets.
//!
//! A Gaussian process with the kernel exp(−Σ_k γ_k (x_k − y_k)²) learns γ by its likelihood
//! (automatic relevance determination: Neal 1996, *Bayesian Learning for Neural Networks*); column k
//! is then multiplied by √γ_k, so that any kernel of distances uses the metric. For classes the
//! targets are their indicators.

use super::goal::Goal;
use crate::kernel::{Scale, build};
use crate::{Error, Rows};
use kern_core::parameters::{Parameters, Setting};
use kern_data::Schema;
use kern_gram::MemoryBudget;
use kern_solvers::gaussian_process::GaussianProcess;
use kern_solvers::{Data, Learner, Outputs, Run};
use web_time::Instant;

/// Rows that the metric is learned from, at most: an iteration takes n³ flops.
const MOST_ROWS: usize = 800;

/// Fewer rows do not determine a metric.
const FEWEST_ROWS: usize = 60;

/// Iterations of the search for γ.
const ITERATIONS: usize = 40;

/// Indicators that are learned together, at most.
const MOST_CLASSES: usize = 12;

/// A column is weighted at least by this share of the largest weight.
const FLOOR: f64 = 1e-3;

/// Returns true if a metric can be learned for these targets.
pub(super) fn suits(goal: &Goal) -> bool {
    goal.classes().len() <= MOST_CLASSES
}

/// The factor of each numeric column, with mean square 1; `ready` are standardised rows, and
/// `places` their indices among all rows.
pub(super) fn factors(
    schema: &Schema,
    goal: &Goal,
    (ready, places): (&Rows, &[usize]),
    (memory, end): (MemoryBudget, Option<Instant>),
    seed: u64,
) -> Result<Vec<f64>, Error> {
    let width = ready.first().map_or(0, |row| row.numbers.len());
    if ready.len() < FEWEST_ROWS {
        return Ok(vec![1.0; width]);
    }
    let step = ready.len().div_ceil(MOST_ROWS).max(1);
    let some: Rows = ready.iter().step_by(step).cloned().collect();
    let places: Vec<usize> = places.iter().copied().step_by(step).collect();
    let has_categories = schema.categories().next().is_some();
    let formula = if has_categories { "ard_rbf * hamming_rbf" } else { "ard_rbf" };
    let kernel = build(formula, schema, &some, None, Scale { factor: 1.0, seed })?;
    let targets = goal.columns(&places);
    let process = GaussianProcess::on_kernel(kernel).normalize(true).max_iterations(ITERATIONS);
    let mut run = Run::new().memory(memory).deadline(end);
    let model = process.learn(&Data::new(&some, Outputs::new(targets))?, &mut run)?;
    let learned = model.decision().kernel().parameters();
    let gamma = learned.into_iter().find_map(|parameter| match parameter.value {
        Setting::List(gamma) if gamma.len() == width => Some(gamma),
        _ => None,
    });
    let Some(gamma) = gamma else { return Ok(vec![1.0; width]) };
    let largest = gamma.iter().copied().fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return Ok(vec![1.0; width]);
    }
    let relative = gamma.iter().map(|gamma| (gamma / largest).max(FLOOR * FLOOR));
    let relative: Vec<f64> = relative.collect();
    let mean = relative.iter().sum::<f64>() / width as f64;
    Ok(relative.iter().map(|gamma| (gamma / mean).sqrt()).collect())
}
