//! Intervals of predictions that hold without a model of the noise, and curves of conditional quantiles.
//!
//! | intervals | from | coverage ≥ | cost |
//! |---|---|---|---|
//! | [`JackknifePlus`] | all points, by one factor of a ridge regression | 1 − 2a, close to 1 − a | 2n² flops per query |
//! | [`SplitConformal`] | points that a model has not seen | 1 − a | a prediction |
//! | [`QuantileCurves`] | machines of several levels | none: the curves are estimates | a prediction per level |
//!
//! The first two hold for any function of the points, any number of them, and any distribution, if points and queries are
//! exchangeable, such as drawn independently from the same distribution; they hold on average over queries, not for each of
//! them. Weights of points break the exchange: with them, coverage is approximate.

mod conformal;
mod jackknife_plus;
mod quantile_curves;

pub use conformal::{Intervals, SplitConformal};
pub use jackknife_plus::JackknifePlus;
pub use quantile_curves::QuantileCurves;
