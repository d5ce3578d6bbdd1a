//! Scores of predictions, with their uncertainty.

mod confusion;
mod probabilities;
mod regression;

pub(crate) use confusion::{Confusion, distinct, wilson};
pub(crate) use probabilities::{brier, log_losses};
pub(crate) use regression::RegressionScores;

/// The 0.975 quantile of the standard normal distribution.
pub(crate) const NORMAL: f64 = 1.959_963_984_540_054;
