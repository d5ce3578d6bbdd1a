//! The memory and the time of Gaussian processes.

use super::params::{Fixed, Objective, Settings};
use crate::plan::{Count, Effort, Way, Work, within};
use crate::{Error, Run};
use kern_core::{Kernel, Points};
use kern_gram::matrix_bytes;

/// Evaluations of the likelihood that a search takes, or so.
const EVALUATIONS: f64 = 30.0;

/// Refuses a fit that does not fit the memory of its run, or that is predicted to take longer than its limit.
pub(super) fn check<P, K>(
    settings: &Settings,
    (kernel, points, outputs): (&K, &P, usize),
    run: &Run<'_>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P>,
{
    let (n, learns) = (points.len(), settings.fixed != Fixed::All);
    // One or two matrices; targets, their whitened form, γ, α, and what of it the model keeps.
    let matrices = if learns { n.saturating_mul(2) } else { n };
    let needed = matrix_bytes::<P::Scalar>(n, matrices.saturating_add(outputs.saturating_mul(8)));
    let budget = run.budget();
    budget.require("a Gaussian process", needed, "learn on fewer points")?;
    let searches = 1.0 + settings.restarts as f64;
    let evaluations = match learns {
        true => searches * EVALUATIONS.min(1.0 + settings.max_iterations as f64),
        false => 0.0,
    };
    let (n, cubes) =
        (n as f64, if settings.objective == Objective::Likelihood { 1.0 } else { 3.0 });
    let parts = vec![
        (Work::KernelValues, Count::values((evaluations + 0.5) * n * n)),
        (Work::Factors, Count::flops((evaluations * cubes + 1.0 / 3.0) * n.powi(3))),
    ];
    let effort = Effort::counted(Way::Cholesky, parts);
    within((run.predicted_limit(), &budget), (kernel, points), &[effort], &[])
}
