//! The planner: predicted time and memory of each method for a fit, and the choice of one.
//!
//! # Definition
//! A solver counts the work of each of its [`Algorithm`]s: kernel values, features, flops, values
//! read. The constants of a [`Machine`] convert counts to seconds, and a [`Plan`] recommends the
//! fastest method that fits in memory. There are two kinds of machine:
//!
//! - [`Machine::NOMINAL`] is a fixed reference. **Every automatic choice uses it**, so that no
//!   bit of a result depends on timing, on the number of threads, or on other load.
//! - [`Machine::current`] is calibrated by briefly running the library's own loops. It predicts
//!   actual seconds on the current machine, for reports and for the [time
//!   limit](crate::Run::time_limit) of a fit.
//!
//! The task of a solver counts its work: [`SgdTask`](crate::sgd::SgdTask),
//! [`RidgeTask`](crate::ridge::RidgeTask).
//!
//! # References
//! Whaley, Petitet & Dongarra (2001), *Automated Empirical Optimizations of Software and the ATLAS
//! Project*, for cost models that choose an algorithm.
//!
//! # Examples
//! ```
//! use kern_gram::MemoryBudget;
//! use kern_solvers::plan::{Machine, Algorithm};
//! use kern_solvers::sgd::SgdTask;
//! // 10 000 points of R⁸, a quadratic kernel with its 45 features, 20 steps per point.
//! let task = SgdTask::new(10_000, 8, 200_000).exact_features(45);
//! let plan = task.plan(&MemoryBudget::mebibytes(100), Machine::current()?.as_ref())?;
//! assert_eq!(plan.predictions().len(), 4);
//! assert!(!plan.prediction(Algorithm::GramCached).unwrap().fits()); // 800 MB
//! assert!(plan.recommended().is_some_and(|algorithm| algorithm != Algorithm::KernelOnTheFly));
//! # Ok::<(), kern_solvers::Error>(())
//! ```

mod machine_model;
mod prediction;
mod recommendation;
mod time_limit;

pub(crate) use machine_model::{Count, Effort, Machines, Pace, enough_landmarks, remembered};
pub(crate) use recommendation::{Open, Terms};
pub(crate) use time_limit::{Limits, SLOWEST, measured, refuse_beyond, upper, within};

#[doc(inline)]
pub use kern_approx::machine::{Access, Affine, Precision, Rates, WORKING_SETS};
pub use machine_model::Machine;
pub use prediction::{Algorithm, Prediction, Term, Work};
pub use recommendation::Plan;
