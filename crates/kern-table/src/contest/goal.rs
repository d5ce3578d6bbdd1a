//! What a contest is about: the targets, and the metric of predictions for them.

use crate::fitted::largest;
use crate::{Error, Metric, Task};
use faer::{Mat, MatRef};
use kern_data::Column;
use kern_solvers::validation::area_under_roc;

/// The weight of the Brier score beside metrics of predicted classes: it decides between candidates
/// that err alike.
const TIE: f64 = 0.05;

/// Probabilities below this count as this.
const SMALLEST: f64 = 1e-9;

/// Targets, and the metric that predictions for them are compared by.
pub(super) struct Goal {
    pub(super) metric: Metric,
    pub(super) targets: Targets,
}

/// The targets of all rows.
pub(super) enum Targets {
    Values(Vec<f64>),
    Classes {
        labels: Vec<String>,
        /// The classes, sorted.
        classes: Vec<String>,
        /// The index of the class of each row.
        codes: Vec<usize>,
    },
}

/// Some rows of a goal, by their indices, with the weights of all rows.
#[derive(Clone, Copy)]
pub(super) struct Tested<'t> {
    pub(super) rows: &'t [usize],
    pub(super) weights: Option<&'t [f64]>,
}

impl Tested<'_> {
    fn weight(&self, k: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[self.rows[k]])
    }

    /// The weighted mean of `value(k)` over the rows `rows[k]`.
    fn mean(&self, value: impl Fn(usize) -> f64) -> f64 {
        let all = 0..self.rows.len();
        let total: f64 = all.clone().map(|k| self.weight(k)).sum();
        all.map(|k| self.weight(k) * value(k)).sum::<f64>() / total
    }
}

impl Goal {
    pub(super) fn new(task: Task, metric: Metric, target: &Column) -> Result<Self, Error> {
        if task == Task::Regress {
            let targets = Targets::Values(target.numbers()?.to_vec());
            return Ok(Self { metric, targets });
        }
        let labels = target.labels()?;
        let mut classes = labels.clone();
        classes.sort_unstable();
        classes.dedup();
        let code = |label: &String| classes.partition_point(|class| class < label);
        let codes = labels.iter().map(code).collect();
        Ok(Self { metric, targets: Targets::Classes { labels, classes, codes } })
    }

    /// The number of rows.
    pub(super) const fn len(&self) -> usize {
        match &self.targets {
            Targets::Values(values) => values.len(),
            Targets::Classes { codes, .. } => codes.len(),
        }
    }

    /// The classes, none in regression.
    pub(super) fn classes(&self) -> &[String] {
        match &self.targets {
            Targets::Values(_) => &[],
            Targets::Classes { classes, .. } => classes,
        }
    }

    /// The targets of these rows in columns: the value, or the indicator of each class.
    pub(super) fn columns(&self, rows: &[usize]) -> Mat<f64> {
        match &self.targets {
            Targets::Values(values) => Mat::from_fn(rows.len(), 1, |i, _| values[rows[i]]),
            Targets::Classes { classes, codes, .. } => {
                let is_of = |i: usize, class: usize| f64::from(codes[rows[i]] == class);
                Mat::from_fn(rows.len(), classes.len(), is_of)
            }
        }
    }

    /// The loss that is minimised: the metric, or 1 minus it.
    pub(super) fn loss(&self, predicted: MatRef<'_, f64>, tested: Tested<'_>) -> f64 {
        let metric = |factors: &[f64]| self.value(predicted, tested, factors);
        match self.metric {
            Metric::R2 => self.squared_error(predicted, tested),
            Metric::Rmse | Metric::Mae | Metric::LogLoss => metric(&[]),
            Metric::Auc => 1.0 - metric(&[]),
            _ => {
                let factors = self.factors(predicted, tested);
                1.0 - metric(&factors) + TIE * self.brier_score(predicted, tested)
            }
        }
    }

    /// The metric of predictions, one for each of these rows; the class with the largest product of
    /// probability and factor is predicted.
    pub(super) fn value(
        &self,
        predicted: MatRef<'_, f64>,
        tested: Tested<'_>,
        factors: &[f64],
    ) -> f64 {
        let Tested { rows, .. } = tested;
        match (&self.targets, self.metric) {
            (Targets::Values(values), Metric::Mae) => {
                tested.mean(|k| (values[rows[k]] - predicted[(k, 0)]).abs())
            }
            (Targets::Values(_), Metric::Rmse) => self.squared_error(predicted, tested).sqrt(),
            (Targets::Values(values), _) => {
                let mean = tested.mean(|k| values[rows[k]]);
                let variance = tested.mean(|k| (values[rows[k]] - mean).powi(2));
                1.0 - self.squared_error(predicted, tested) / variance
            }
            (Targets::Classes { codes, .. }, metric) => {
                let counts = || Confusion::new(predicted, codes, tested, factors);
                match metric {
                    Metric::BalancedAccuracy => counts().balanced_accuracy(),
                    Metric::F1 => counts().f1(),
                    Metric::Auc => self.area(predicted, tested),
                    Metric::LogLoss => {
                        tested.mean(|k| -predicted[(k, codes[rows[k]])].clamp(SMALLEST, 1.0).ln())
                    }
                    _ => counts().accuracy(),
                }
            }
        }
    }

    /// The factors of probabilities that suit the metric; none if they are 1.
    pub(super) fn factors(&self, predicted: MatRef<'_, f64>, tested: Tested<'_>) -> Vec<f64> {
        let Targets::Classes { codes, .. } = &self.targets else { return Vec::new() };
        match self.metric {
            // The largest p_k/π_k has the largest expected recall.
            Metric::BalancedAccuracy => {
                let share = |class| tested.mean(|k| f64::from(codes[tested.rows[k]] == class));
                let inverse = |class| if share(class) > 0.0 { share(class).recip() } else { 0.0 };
                (0..predicted.ncols()).map(inverse).collect()
            }
            Metric::F1 if predicted.ncols() == 2 => {
                /// Odds of thresholds, as powers of this.
                const BASE: f64 = 1.2;
                let value = |step: i32| {
                    let factors = vec![1.0, BASE.powi(step)];
                    (self.value(predicted, tested, &factors), factors)
                };
                let best = (-20..=20).map(value).max_by(|a, b| a.0.total_cmp(&b.0));
                best.map_or(Vec::new(), |(_, factors)| factors)
            }
            _ => Vec::new(),
        }
    }

    /// The metric of the best constant prediction.
    pub(super) fn of_constant(&self, weights: Option<&[f64]>) -> f64 {
        let rows: Vec<usize> = (0..self.len()).collect();
        let tested = Tested { rows: &rows, weights };
        let columns = self.columns(&rows);
        let constant: Vec<f64> = match (&self.targets, self.metric) {
            (Targets::Values(values), Metric::Mae) => vec![median(values)],
            _ => (0..columns.ncols()).map(|c| tested.mean(|k| columns[(k, c)])).collect(),
        };
        let predicted = Mat::from_fn(rows.len(), constant.len(), |_, c| constant[c]);
        self.value(predicted.as_ref(), tested, &[])
    }

    fn squared_error(&self, predicted: MatRef<'_, f64>, tested: Tested<'_>) -> f64 {
        let Targets::Values(values) = &self.targets else { return f64::NAN };
        tested.mean(|k| (values[tested.rows[k]] - predicted[(k, 0)]).powi(2))
    }

    fn brier_score(&self, predicted: MatRef<'_, f64>, tested: Tested<'_>) -> f64 {
        let Targets::Classes { codes, .. } = &self.targets else { return f64::NAN };
        tested.mean(|k| {
            let code = codes[tested.rows[k]];
            let square = |class| (predicted[(k, class)] - f64::from(class == code)).powi(2);
            (0..predicted.ncols()).map(square).sum()
        })
    }

    /// The area under the curve of the second of two classes, or the mean over all.
    fn area(&self, predicted: MatRef<'_, f64>, tested: Tested<'_>) -> f64 {
        let Targets::Classes { codes, .. } = &self.targets else { return f64::NAN };
        let of_class = |class: usize| {
            let is_it = |k: usize| codes[tested.rows[k]] == class;
            let probability = |k: usize| predicted[(k, class)];
            area_under_roc(tested.rows.len(), probability, |k| tested.weight(k), is_it)
        };
        if predicted.ncols() == 2 {
            return of_class(1).unwrap_or(0.5);
        }
        let areas: Vec<f64> = (0..predicted.ncols()).filter_map(of_class).collect();
        if areas.is_empty() { 0.5 } else { areas.iter().sum::<f64>() / areas.len() as f64 }
    }
}

/// The weights of rows by their class and the predicted one.
struct Confusion {
    /// True classes × predicted classes.
    weights: Mat<f64>,
}

impl Confusion {
    fn new(
        predicted: MatRef<'_, f64>,
        codes: &[usize],
        tested: Tested<'_>,
        factors: &[f64],
    ) -> Self {
        let classes = predicted.ncols();
        let mut weights = Mat::zeros(classes, classes);
        for (k, &row) in tested.rows.iter().enumerate() {
            weights[(codes[row], largest(predicted, k, factors))] += tested.weight(k);
        }
        Self { weights }
    }

    fn of_class(&self, class: usize) -> f64 {
        self.weights.row(class).iter().sum()
    }

    fn accuracy(&self) -> f64 {
        let right: f64 = (0..self.weights.nrows()).map(|k| self.weights[(k, k)]).sum();
        let total: f64 = (0..self.weights.nrows()).map(|k| self.of_class(k)).sum();
        right / total
    }

    fn balanced_accuracy(&self) -> f64 {
        let there = (0..self.weights.nrows()).filter(|&k| self.of_class(k) > 0.0);
        let recalls: Vec<f64> = there.map(|k| self.weights[(k, k)] / self.of_class(k)).collect();
        recalls.iter().sum::<f64>() / recalls.len() as f64
    }

    fn f1(&self) -> f64 {
        let of = |k: usize| {
            let predicted: f64 = self.weights.col(k).iter().sum();
            2.0 * self.weights[(k, k)] / (predicted + self.of_class(k)).max(f64::MIN_POSITIVE)
        };
        let count = self.weights.nrows();
        if count == 2 {
            return of(usize::from(self.of_class(1) <= self.of_class(0)));
        }
        (0..count).map(of).sum::<f64>() / count as f64
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use kern_data::Values;

    const PROBABILITIES: [f64; 6] = [0.1, 0.4, 0.35, 0.8, 0.7, 0.2];

    fn goal(metric: Metric, labels: &[&str]) -> Goal {
        let values = Values::Texts(labels.iter().map(|&label| Some(label.to_string())).collect());
        let column = Column { name: "y".to_string(), values };
        Goal::new(Task::Classify, metric, &column).unwrap()
    }

    /// Metrics by scikit-learn 1.9.1: `balanced_accuracy_score`, `f1_score(pos_label="b")`,
    /// `roc_auc_score` and `log_loss` of these probabilities of `b`.
    #[test]
    fn metrics_equal_those_of_scikit_learn() {
        let labels = ["a", "a", "b", "b", "a", "a"];
        let predicted =
            Mat::from_fn(
                6,
                2,
                |i, k| {
                    if k == 1 { PROBABILITIES[i] } else { 1.0 - PROBABILITIES[i] }
                },
            );
        let rows: Vec<usize> = (0..6).collect();
        let tested = Tested { rows: &rows, weights: None };
        for (metric, expected) in [
            (Metric::Accuracy, 4.0 / 6.0),
            (Metric::BalancedAccuracy, 0.625),
            (Metric::F1, 0.5),
            (Metric::Auc, 0.75),
            (Metric::LogLoss, 0.5527),
        ] {
            let found = goal(metric, &labels).value(predicted.as_ref(), tested, &[]);
            assert!((found - expected).abs() < 1e-4, "{metric:?}: {found}");
        }
        // Weights repeat rows.
        let weights = [1.0, 1.0, 2.0, 1.0, 1.0, 1.0];
        let weighted = Tested { rows: &rows, weights: Some(&weights) };
        let twice: Vec<usize> = vec![0, 1, 2, 2, 3, 4, 5];
        let repeated = Mat::from_fn(7, 2, |i, k| predicted[(twice[i], k)]);
        let tested = Tested { rows: &twice, weights: None };
        for metric in [Metric::BalancedAccuracy, Metric::F1, Metric::Auc, Metric::LogLoss] {
            let goal = goal(metric, &labels);
            let found = goal.value(predicted.as_ref(), weighted, &[]);
            let expected = goal.value(repeated.as_ref(), tested, &[]);
            assert!((found - expected).abs() < 1e-12, "{metric:?}: {found} {expected}");
        }
    }

    #[test]
    fn factors_raise_what_they_are_chosen_for() {
        let labels: Vec<&str> = (0..200).map(|i| if i % 10 == 0 { "b" } else { "a" }).collect();
        let p =
            |i: usize| if i.is_multiple_of(10) { 0.3 } else { 0.05 + 0.3 * f64::from(i % 20 == 1) };
        let predicted = Mat::from_fn(200, 2, |i, k| if k == 1 { p(i) } else { 1.0 - p(i) });
        let rows: Vec<usize> = (0..200).collect();
        let tested = Tested { rows: &rows, weights: None };
        for metric in [Metric::BalancedAccuracy, Metric::F1] {
            let goal = goal(metric, &labels);
            let factors = goal.factors(predicted.as_ref(), tested);
            let plain = goal.value(predicted.as_ref(), tested, &[]);
            let better = goal.value(predicted.as_ref(), tested, &factors);
            assert!(better > plain + 0.2, "{metric:?}: {plain} {better}");
        }
    }
}
