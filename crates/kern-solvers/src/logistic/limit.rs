//! The limit of the time of logistic regression on a kernel.

use super::params::{LogisticOptions, LogisticSolver};
use crate::plan::{Count, Effort, Limits, Way, Work, within};
use crate::{Error, MultiClass};
use kern_core::{Kernel, Points};

/// Factorisations that a problem takes.
const FACTORS: f64 = 2.0;
/// Products with the kernel matrix that Newton's steps of a function take.
const PRODUCTS: f64 = 40.0;
/// Passes over the points on landmarks.
const PASSES: f64 = 200.0;

/// Refuses the problem if it is predicted to take longer than the limit.
pub(super) fn check_time<P, K>(
    limits: Limits<'_>,
    on: (&K, &P),
    (functions, options): (usize, &LogisticOptions),
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let (n, functions) = (on.1.len() as f64, functions as f64);
    // The functions of softmax share their factors.
    let problems = if options.multi_class == MultiClass::Softmax { 1.0 } else { functions };
    let (factors, products) = match options.solver {
        LogisticSolver::Newton => (FACTORS, PRODUCTS),
        LogisticSolver::GradientDescent => (0.0, PRODUCTS.min(options.max_iterations as f64)),
    };
    let parts = vec![
        (Work::KernelValues, Count::values(n * n / 2.0)),
        (Work::Factors, Count::flops(problems * factors * n.powi(3) / 3.0)),
        (Work::Products, Count::numbers(functions * products * n * n)),
    ];
    let exact = Effort::counted(Way::Cholesky, parts);
    within(limits, on, &[exact], &[Effort::by_passes(on.1.len(), functions * PASSES)])
}
