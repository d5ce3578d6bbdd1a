//! The memory and the time of Gaussian processes.

use super::params::{Fixed, Objective, Settings};
use crate::plan::{Count, Effort, Way, Work, within};
use crate::{Error, Run};
use kern_approx::statistics::NormalEquations;
use kern_core::{Kernel, Points};
use kern_gram::{MemoryBudget, matrix_bytes};

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
    let evaluations = evaluations(settings);
    let (n, cubes) =
        (n as f64, if settings.objective == Objective::Likelihood { 1.0 } else { 3.0 });
    let parts = vec![
        (Work::KernelValues, Count::values((evaluations + 0.5) * n * n)),
        (Work::Factors, Count::flops((evaluations * cubes + 1.0 / 3.0) * n.powi(3))),
    ];
    let effort = Effort::counted(Way::Cholesky, parts);
    within((run.predicted_limit(), &budget), (kernel, points), &[effort], &[])
}

/// The rest of the memory of a run for panels of features, beside everything that depends on landmarks.
pub(super) fn on_landmarks<P: Points>(
    (n, m, outputs): (usize, usize, usize),
    run: &Run<'_>,
) -> Result<MemoryBudget, Error> {
    // The factor and the adjoints in both precisions; sums over points are counted by themselves. Targets are held twice.
    let matrices =
        matrix_bytes::<f64>(m, m.saturating_mul(7).saturating_add(outputs.saturating_mul(8)));
    let needed = matrices.saturating_add(matrix_bytes::<P::Scalar>(n, outputs.saturating_mul(3)));
    let (budget, sums) = (run.budget(), NormalEquations::bytes(m, outputs));
    let instead = "use fewer landmarks";
    budget.require("a Gaussian process on landmarks", needed.saturating_add(sums), instead)?;
    // Panels are taken and given back in every evaluation; large ones are no faster.
    let (rest, least) =
        (budget.as_bytes() - needed, NormalEquations::streaming_bytes::<P::Scalar>(m, outputs, n));
    Ok(MemoryBudget::bytes(rest.min(least.max(rest / 8))))
}

/// Refuses a fit on m landmarks that is predicted to take longer than its limit.
pub(super) fn check_landmarks<P, K>(
    settings: &Settings,
    (kernel, points, m): (&K, &P, usize),
    run: &Run<'_>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P>,
{
    let evaluations = evaluations(settings);
    let (n, m) = (points.len() as f64, m as f64);
    let parts = vec![
        (Work::KernelValues, Count::values((2.0 * evaluations + 1.0) * n * m)),
        (Work::Factors, Count::flops((4.0 * evaluations + 2.0) * (n * m * m + m.powi(3)))),
    ];
    let effort = Effort::counted(Way::Cholesky, parts);
    within((run.predicted_limit(), &run.budget()), (kernel, points), &[effort], &[])
}

/// Evaluations of the objective that all searches take, or so.
fn evaluations(settings: &Settings) -> f64 {
    match settings.fixed {
        Fixed::All => 0.0,
        _ => {
            (1.0 + settings.restarts as f64) * EVALUATIONS.min(1.0 + settings.max_iterations as f64)
        }
    }
}

/// Refuses a fit of classes that does not fit the memory of its run, or that is predicted to take longer than its limit.
pub(super) fn check_classes<P, K>(
    settings: &Settings,
    (kernel, points, outputs): (&K, &P, usize),
    run: &Run<'_>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P>,
{
    let n = points.len();
    // K, a factor and its inverse; at the end K, and factors of all functions. Vectors are in double precision.
    let matrices = outputs.saturating_add(2).max(3).saturating_mul(n);
    let needed = matrix_bytes::<P::Scalar>(n, matrices)
        .saturating_add(matrix_bytes::<f64>(n, outputs.saturating_mul(4).saturating_add(12)));
    let budget = run.budget();
    budget.require("classes of a Gaussian process", needed, "learn on fewer points")?;
    let (evaluations, n, outputs) = (evaluations(settings), n as f64, outputs as f64);
    let parts = vec![
        (Work::KernelValues, Count::values((evaluations * (1.0 + 0.5 * outputs) + 0.5) * n * n)),
        (Work::Factors, Count::flops((evaluations + 0.6) * 5.0 * outputs * n.powi(3))),
    ];
    let effort = Effort::counted(Way::Cholesky, parts);
    within((run.predicted_limit(), &budget), (kernel, points), &[effort], &[])
}
