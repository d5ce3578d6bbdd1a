//! The limit of the time of a perceptron.

use super::Budget;
use super::params::PerceptronOptions;
use crate::Error;
use crate::plan::{Count, Effort, Limits, Way, Work, within};
use kern_core::{Kernel, Points};

/// The least share of points that are mistakes, as far as is known before the fit.
const MISTAKES: f64 = 0.1;

/// Refuses passes on a kernel that are predicted to take longer than the limit: the columns of mistakes, or under a budget
/// the kernel values of one pass with the support vectors, and the projections. Hard problems take more, which only their
/// passes show.
pub(super) fn check_time<P, K>(
    limits: Limits<'_>,
    on: (&K, &P),
    options: &PerceptronOptions,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = on.1.len() as f64;
    let mistakes = MISTAKES * n;
    let vectors = match options.budget {
        Budget::None => mistakes,
        budget => mistakes.min(budget.vectors() as f64),
    };
    let projected = if options.budget.projects() { mistakes * vectors * vectors } else { 0.0 };
    let parts = vec![
        (Work::KernelValues, Count::values(n * vectors)),
        (Work::Steps, Count::numbers(n * vectors + projected)),
    ];
    within(limits, on, &[Effort::counted(Way::KernelOnTheFly, parts)], &[])
}
