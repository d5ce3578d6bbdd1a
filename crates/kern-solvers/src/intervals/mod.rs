//! Prediction intervals without a noise model, and conditional quantile curves.
//!
//! | intervals | data | coverage ≥ | cost |
//! |---|---|---|---|
//! | [`JackknifePlus`] | all points, with one factorisation of ridge regression | 1 − 2a, close to 1 − a | 2n² flops per query |
//! | [`SplitConformal`] | held-out points | 1 − a | a prediction |
//! | [`QuantileCurves`] | one quantile regression per level | no guarantee: the curves are estimates | a prediction per level |
//!
//! The coverage of the first two holds for any model, any number of points and any distribution, if
//! points and queries are exchangeable, for example independent draws from the same distribution.
//! It holds on average over queries, not for each query. Sample weights break exchangeability;
//! coverage is then approximate.

mod conformal;
mod jackknife_plus;
mod quantile_curves;

pub use conformal::{Intervals, SplitConformal};
pub use jackknife_plus::JackknifePlus;
pub use quantile_curves::QuantileCurves;
