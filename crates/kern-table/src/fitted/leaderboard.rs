//! What a contest tried, and with what result.

use serde::{Deserialize, Serialize};

/// The candidates of a contest, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Leaderboard {
    /// The name of the score: `accuracy` or `R²`.
    pub score: String,
    /// The seconds that the contest took.
    pub seconds: f64,
    /// The candidates: those fitted to more rows first, then those with the smaller loss.
    pub entries: Vec<Entry>,
}

/// A candidate of a contest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// The kernel, a formula.
    pub kernel: String,
    /// The factor of its inverse squared length scale; 1 is the median heuristic.
    pub scale: f64,
    /// The method with its settings, and whether the columns are weighted by a learned metric.
    pub method: String,
    /// The rows of each of its last fits.
    pub rows: usize,
    /// The score on held-out rows; `None` if a fit failed.
    pub score: Option<f64>,
    /// The seconds of its last fits, with their predictions.
    pub seconds: f64,
    /// Its weight in the model; 0 for candidates that are not part of it.
    pub weight: f64,
    /// Why a fit failed, if it did.
    pub failure: Option<String>,
}
