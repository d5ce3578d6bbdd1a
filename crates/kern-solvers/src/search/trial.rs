//! A candidate of a search, and how it did.

use kern_core::parameters::Setting;
use serde::{Deserialize, Serialize};

/// A candidate of a search, and how it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trial {
    /// The values of the hyper-parameters, in the order of the axes.
    pub settings: Vec<Setting>,
    /// The score on each fold, as far as it was tried.
    pub scores: Vec<f64>,
    /// The share of each fold's points that it learned from: 1, unless successive halving left it behind.
    pub share: f64,
    /// The reason why it could not be tried on all folds, if there is one: a fit that failed, or a score that is no number.
    pub failure: Option<String>,
}

impl Trial {
    /// The mean of the scores, if it was tried on all folds.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let mean = self.scores.iter().sum::<f64>() / self.scores.len() as f64;
        (self.failure.is_none() && !self.scores.is_empty()).then_some(mean)
    }
}
