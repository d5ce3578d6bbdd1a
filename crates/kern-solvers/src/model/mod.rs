//! Models: what a fit returns and a prediction needs.
//!
//! A learned function f is a [`KernelModel`] (f(x) = b + Σ α_i K(x, x_i)) or a [`FeatureModel`]
//! (f(x) = b + wᵀψ(x)); both are a [`Decision`]. A [`Classifier`],
//! [`ProbabilisticClassifier`], [`Regressor`] or [`MultiRegressor`] turns its values into answers, and
//! carries the report of the fit.

mod classifier;
mod decision;
mod feature;
mod format;
mod kernel;
mod probabilistic;
mod regressor;

pub use classifier::Classifier;
pub use decision::Decision;
pub use feature::FeatureModel;
pub use kernel::KernelModel;
pub use probabilistic::{Link, ProbabilisticClassifier};
pub use regressor::{MultiRegressor, Regressor};

pub(crate) use classifier::winner;
pub(crate) use decision::decide_on_cross;
pub(crate) use format::Format;
