//! The planner of SGD: how long each of the six ways would take, and which one to take.
//!
//! # Definition
//! One learning problem by stochastic gradients can be run in six ways, of which none is the best for
//! all n (points), d (dimension), D (features) and T (steps):
//!
//! | way | time | memory beyond the data |
//! |---|---|---|
//! | [`FeaturesOnTheFly`](Way::FeaturesOnTheFly) | O(d·D·T) | O(D) |
//! | [`FeaturesCached`](Way::FeaturesCached) | O(n·d·D + D·T) | O(n·D) |
//! | [`KernelOnTheFly`](Way::KernelOnTheFly) | O(n·d·T) | O(n) |
//! | [`GramCached`](Way::GramCached) | O(n²·d + n·T) | O(n²) |
//! | [`ApproximateOnTheFly`](Way::ApproximateOnTheFly) | as the first, with D′ | O(D′) |
//! | [`ApproximateCached`](Way::ApproximateCached) | as the second, with D′ | O(n·D′) |
//!
//! [`plan`] puts constants into this table: those of a [`Machine`], which is calibrated by running the
//! library's own loops for a moment, or those of the very kernel and features, measured on some of the
//! very points ([`Task::measure_kernel`] and others). The first four ways give the same model up to
//! rounding, so the fastest that fits the memory is recommended; the last two are considered if
//! [`Task::approximation_welcome`] says so.
//!
//! Predictions are estimates: nothing that is computed depends on them but the choice of a way. Who
//! needs the same choice everywhere keeps a [`Machine`] in a file; it is serialisable.
//!
//! # References
//! The table is that of a course on large-scale machine learning (De Sa, Cornell CS6787: kernels and
//! feature extraction); calibrated cost models to choose an algorithm are those of Whaley, Petitet &
//! Dongarra (2001), *Automated Empirical Optimizations of Software and the ATLAS Project*.
//!
//! # Examples
//! ```
//! use kern_gram::MemoryBudget;
//! use kern_solvers::plan::{Machine, Task, Way, plan};
//! // 10 000 points of R⁸, a quadratic kernel with its 45 features, 20 steps per point.
//! let task = Task::new(10_000, 8, 200_000).exact_features(45);
//! let plan = plan(&task, &MemoryBudget::mebibytes(100), Machine::this()?.as_ref())?;
//! assert_eq!(plan.predictions().len(), 4);
//! assert!(!plan.prediction(Way::GramCached).unwrap().fits()); // 800 MB
//! assert!(plan.recommended().is_some_and(|way| way != Way::KernelOnTheFly));
//! # Ok::<(), kern_solvers::Error>(())
//! ```

mod access;
mod calibrate;
mod cost;
mod display;
mod machine;
mod measure;
mod outcome;
mod recommend;
mod task;

pub(crate) use display::{Bytes, Seconds};
pub(crate) use measure::{fastest, seconds_per_value};

pub use access::{Access, WORKING_SETS};
pub use machine::{Affine, Machine, Rates};
pub use outcome::{Plan, Prediction, Term, Work};
pub use task::{Precision, Task, Way};

use crate::Error;
use kern_gram::MemoryBudget;

/// The plan with the constants of this machine.
pub(crate) fn plan_here(task: &Task, budget: &MemoryBudget) -> Result<Plan, Error> {
    plan(task, budget, Machine::this()?.as_ref())
}

/// Predicts seconds and bytes of each way that the task has, and recommends one.
///
/// A way is recommended only if what it holds beyond the data fits the budget. If none does, the plan
/// recommends none and says how much memory the least one needs.
///
/// # Errors
/// [`Error::Count`] for a task without points, dimensions, steps, outputs or, where features are given, with
/// none of them; [`Error::Core`] for a share, a time or a constant of the machine outside its domain.
///
/// # Examples
/// See the [module](self).
pub fn plan(task: &Task, budget: &MemoryBudget, machine: &Machine) -> Result<Plan, Error> {
    task.check()?;
    machine.check()?;
    let predictions: Vec<Prediction> = Way::ALL
        .into_iter()
        .filter_map(|way| cost::predict(way, task, machine))
        .map(|prediction| prediction.within(budget))
        .collect();
    let (recommended, reason) = recommend::recommend(task, budget, &predictions);
    Ok(Plan { task: *task, budget: budget.as_bytes(), predictions, recommended, reason })
}
