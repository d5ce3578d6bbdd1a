//! The law of estimators: data, learner, run, model.
//!
//! | word | holds |
//! |---|---|
//! | [`Data`] | points, targets, and what belongs to each point: weights, groups |
//! | [`Learner`] | hyper-parameters only |
//! | [`Run`] | what concerns one fit and not its result: observer, memory, time limit, start |
//! | [`Model`] | what a prediction needs, and the report of the fit |
//!
//! Everything that is done around a fit, such as cross-validation, is written against these four.

mod data;
mod learner;
mod run;
mod targets;
#[cfg(feature = "tracing")]
mod traced;

pub use data::Data;
pub use learner::{Classes, DecisionValues, Learner, Model, Probabilities, Transformer};
pub use run::{Observer, Progress, Run};
pub use targets::{IntoTargets, Label, LabelSets, Labels, Outputs, Target, Targets, Values};
#[cfg(feature = "tracing")]
pub use traced::Traced;

pub(crate) use learner::{check, fit_sugar};
