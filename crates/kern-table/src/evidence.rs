//! Scores and notes of fits.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The rows that a score was computed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Scored {
    /// Held-out rows, by cross-validation.
    CrossValidation,
    /// Each row, predicted by the model fitted without it.
    LeaveOneOut,
    /// Generalised cross-validation, an estimate for unseen rows.
    Gcv,
    /// Training rows: expect a lower score on unseen rows.
    TrainingRows,
}

/// A score of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The name of the score: `accuracy` or `R²`.
    pub score: String,
    /// Its value.
    pub value: f64,
    /// The score of the best constant prediction: the share of the most frequent class, or 0.
    pub constant: f64,
    /// The rows that the score was computed on.
    pub scored: Scored,
}

/// A warning or remark about a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// All predictions are the same class.
    SameClass {
        /// The class.
        class: String,
    },
    /// The score is not above that of a constant prediction.
    NoBetter(Evidence),
    /// A class has few rows, and the model finds few of them.
    RareClass {
        /// The class.
        class: String,
        /// The number of its rows.
        rows: usize,
        /// The number of all rows.
        of: usize,
        /// True if these numbers refer to a sample of the rows.
        is_sample: bool,
        /// The recall of this class on the training set.
        found: f64,
    },
    /// A class has fewer rows than the search has folds.
    FewRows {
        /// The class.
        class: String,
        /// The number of its rows.
        rows: usize,
        /// The number of folds.
        folds: usize,
    },
    /// A search ended before all candidates were tried.
    SearchEnded {
        /// The number of candidates that were tried on all folds.
        tried: usize,
        /// The number of rows that the model was trained on: one fold if there was no time for all
        /// rows.
        rows: usize,
        /// The number of all rows.
        of: usize,
    },
    /// The exact kernel was predicted to take longer than the time limit.
    Landmarks {
        /// The number of landmarks used instead.
        landmarks: usize,
    },
    /// The solver reached its iteration limit before it converged.
    Stopped,
}

impl fmt::Display for Scored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CrossValidation => "by cross-validation",
            Self::LeaveOneOut => "by leave-one-out",
            Self::Gcv => "by generalised cross-validation",
            Self::TrainingRows => "on training rows",
        })
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, value, constant, scored } = self;
        write!(f, "{score} {value:.4} {scored} (a constant answer has {constant:.4})")
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameClass { class } => {
                write!(f, "the model answers `{class}` for every row: ")?;
                f.write_str("search for hyper-parameters, or take balanced class weights")
            }
            Self::NoBetter(evidence) => {
                write!(f, "the model is no better than a constant answer: {evidence}")
            }
            Self::RareClass { class, rows, of, is_sample, found } => {
                let (share, found) = (100.0 * *rows as f64 / *of as f64, 100.0 * found);
                let sampled = if *is_sample { "sampled " } else { "" };
                write!(f, "only {rows} of {of} {sampled}rows ({share:.1} %) are of the class ")?;
                write!(f, "`{class}`, and ")?;
                write!(f, "the model finds {found:.0} % of them among its training rows: ")?;
                f.write_str(
                    "balanced class weights count the classes alike (--class-weights balanced)",
                )
            }
            Self::FewRows { class, rows, folds } => {
                write!(f, "the class `{class}` has {rows} rows, fewer than the {folds} folds: ")?;
                f.write_str("its part of the scores is of little worth")
            }
            Self::SearchEnded { tried, rows, of } => {
                let plural = if *tried == 1 { "" } else { "s" };
                write!(
                    f,
                    "the search was ended after {tried} candidate{plural}: the model is the best of them"
                )?;
                if rows < of {
                    write!(f, ", of a fold of {rows} rows for lack of time to fit all {of}")?;
                }
                Ok(())
            }
            Self::Landmarks { landmarks } => {
                write!(f, "the exact kernel is predicted to take longer than the time limit: ")?;
                write!(f, "learned on {landmarks} landmarks")
            }
            Self::Stopped => f.write_str(
                "stopped before the solver had converged: the model is what was reached",
            ),
        }
    }
}

impl Evidence {
    /// An R² score; predicting the mean gives 0.
    pub(crate) fn of_variance(value: f64, scored: Scored) -> Self {
        Self { score: "R²".to_string(), value, constant: 0.0, scored }
    }

    /// The note that a constant prediction does as well, if that is the case.
    pub(crate) fn idle_note(&self) -> Option<Note> {
        (self.value <= self.constant).then(|| Note::NoBetter(self.clone()))
    }
}
