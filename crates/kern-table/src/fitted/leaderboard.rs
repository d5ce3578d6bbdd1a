//! What a contest tried, and with what result.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Candidates that are displayed beside the members of the model.
const DISPLAYED: usize = 8;

/// The candidates of a contest, the best first. `{}` displays the best eight and the members of the
/// model, `{:#}` all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Leaderboard {
    /// The name of the score, a [`Metric`](crate::Metric).
    pub score: String,
    /// The seconds that the contest took.
    pub seconds: f64,
    /// Why it ended.
    pub end: String,
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

impl fmt::Display for Leaderboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, seconds, end, entries } = self;
        writeln!(f, "contest: {} candidates in {seconds:.1} s, then {end}", entries.len())?;
        write!(f, "weight {score:>9}    rows  seconds  candidate")?;
        for (place, entry) in entries.iter().enumerate() {
            if f.alternate() || place < DISPLAYED || entry.weight > 0.0 {
                write!(f, "\n{entry}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, scale, method, rows, seconds, .. } = self;
        let weight = match self.weight {
            weight if weight > 0.0 => format!("{weight:.2}"),
            _ => "-".to_string(),
        };
        let score = self.score.map_or_else(|| "-".to_string(), |score| format!("{score:.4}"));
        write!(f, "{weight:>6} {score:>9} {rows:>7} {seconds:>8.2}  {method}, {kernel} x {scale}")?;
        match &self.failure {
            Some(failure) => write!(f, ": {failure}"),
            None => Ok(()),
        }
    }
}
