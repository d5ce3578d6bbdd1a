//! What a contest is about: the targets, predictions in a common form, and their loss.

use crate::fitted::argmax;
use crate::{Error, Task};
use faer::{Mat, MatRef};
use kern_data::Column;

/// The weight of the Brier score beside the error rate: it decides between candidates that err
/// alike.
const TIE: f64 = 0.05;

/// The targets of all rows.
pub(super) enum Goal {
    /// Regression; the loss is the mean squared error.
    Values(Vec<f64>),
    /// Classification; the loss is the error rate, with a small part of the Brier score.
    Classes {
        labels: Vec<String>,
        /// The classes, sorted.
        classes: Vec<String>,
        /// The index of the class of each row.
        codes: Vec<usize>,
    },
}

impl Goal {
    pub(super) fn new(task: Task, target: &Column) -> Result<Self, Error> {
        if task == Task::Regress {
            return Ok(Self::Values(target.numbers()?.to_vec()));
        }
        let labels = target.labels()?;
        let mut classes = labels.clone();
        classes.sort_unstable();
        classes.dedup();
        let code = |label: &String| classes.partition_point(|class| class < label);
        let codes = labels.iter().map(code).collect();
        Ok(Self::Classes { labels, classes, codes })
    }

    /// The classes, none in regression.
    pub(super) fn classes(&self) -> &[String] {
        match self {
            Self::Values(_) => &[],
            Self::Classes { classes, .. } => classes,
        }
    }

    pub(super) const fn score_name(&self) -> &'static str {
        match self {
            Self::Values(_) => "R²",
            Self::Classes { .. } => "accuracy",
        }
    }

    /// The targets as columns: the values, or for each class whether a row belongs to it.
    pub(super) fn columns(&self, rows: &[usize]) -> Mat<f64> {
        match self {
            Self::Values(values) => Mat::from_fn(rows.len(), 1, |i, _| values[rows[i]]),
            Self::Classes { classes, codes, .. } => {
                let is_of = |i: usize, class: usize| f64::from(codes[rows[i]] == class);
                Mat::from_fn(rows.len(), classes.len(), is_of)
            }
        }
    }

    /// The mean loss of predictions, one for each of these rows.
    pub(super) fn loss(
        &self,
        predicted: MatRef<'_, f64>,
        rows: &[usize],
        weights: Option<&[f64]>,
    ) -> f64 {
        self.mean(rows, weights, |k| match self {
            Self::Values(values) => (values[rows[k]] - predicted[(k, 0)]).powi(2),
            Self::Classes { codes, .. } => {
                let code = codes[rows[k]];
                let squares = (0..predicted.ncols())
                    .map(|class| (predicted[(k, class)] - f64::from(class == code)).powi(2));
                f64::from(argmax(predicted, k) != code) + TIE * squares.sum::<f64>()
            }
        })
    }

    /// R², or accuracy.
    pub(super) fn score(
        &self,
        predicted: MatRef<'_, f64>,
        rows: &[usize],
        weights: Option<&[f64]>,
    ) -> f64 {
        match self {
            Self::Values(values) => {
                let mean = self.mean(rows, weights, |k| values[rows[k]]);
                let variance = self.mean(rows, weights, |k| (values[rows[k]] - mean).powi(2));
                1.0 - self.loss(predicted, rows, weights) / variance
            }
            Self::Classes { codes, .. } => {
                self.mean(rows, weights, |k| f64::from(argmax(predicted, k) == codes[rows[k]]))
            }
        }
    }

    /// The score of the best constant prediction.
    pub(super) fn constant_score(&self, weights: Option<&[f64]>) -> f64 {
        let Self::Classes { classes, codes, .. } = self else { return 0.0 };
        let all: Vec<usize> = (0..codes.len()).collect();
        let share = |class: usize| self.mean(&all, weights, |i| f64::from(codes[i] == class));
        (0..classes.len()).map(share).fold(0.0, f64::max)
    }

    /// The weighted mean of `value(k)` over the rows `rows[k]`.
    fn mean(&self, rows: &[usize], weights: Option<&[f64]>, value: impl Fn(usize) -> f64) -> f64 {
        let weight = |k: usize| weights.map_or(1.0, |weights| weights[rows[k]]);
        let total: f64 = (0..rows.len()).map(weight).sum();
        (0..rows.len()).map(|k| weight(k) * value(k)).sum::<f64>() / total
    }
}
