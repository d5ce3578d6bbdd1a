//! The estimator interface: data, learner, run, model.
//!
//! | type | holds |
//! |---|---|
//! | [`Data`] | points, targets, and the weight and group of each point |
//! | [`Learner`] | hyper-parameters only |
//! | [`Run`] | settings of one fit apart from its result: observer, memory, time limit, start |
//! | [`Model`] | the state that predictions need, and the report of the fit |
//!
//! Everything around a fit, such as cross-validation, is built on these four.

mod data;
mod learner;
mod run;
mod targets;
#[cfg(feature = "tracing")]
mod traced;

pub use data::Data;
pub use learner::{Classes, DecisionValues, Learner, Model, Probabilities, Same, Transformer};
pub use run::{Observer, Progress, Run};
pub use targets::{IntoTargets, Label, LabelSets, Labels, Outputs, Target, Targets, Values};
#[cfg(feature = "tracing")]
pub use traced::Traced;

pub(crate) use learner::{check, fit_sugar};
