//! Scores of class probabilities and of rankings.

use super::{Score, weighted_mean};
use crate::{Classes, Data, DecisionValues, Error, Label, Labels, Probabilities};
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// The log loss, the mean of −ln P(class of the point); probabilities below 2⁻⁵² are raised to that
/// value.
#[doc(alias = "cross-entropy")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLoss;

/// The index of each point's class among those of a model; `None` for an unseen class.
fn columns<L: Label>(classes: &[L], labels: &[L]) -> Vec<Option<usize>> {
    labels.iter().map(|label| classes.binary_search(label).ok()).collect()
}

impl<P, L, M> Score<P, Labels<L>, M> for LogLoss
where
    P: Points,
    L: Label,
    M: Probabilities<P> + Classes<Label = L>,
{
    fn name(&self) -> &'static str {
        "log-loss"
    }

    fn greater_is_better(&self) -> bool {
        false
    }

    fn score(&self, model: &M, data: &Data<'_, P, Labels<L>>) -> Result<f64, Error> {
        let p = model.predict_proba(data.points())?;
        let columns = columns(model.classes(), data.targets().as_slice());
        let of = |i: usize| columns[i].map_or(0.0, |c| p[(i, c)].to_f64()).max(f64::EPSILON);
        Ok(weighted_mean(data, |i| -of(i).ln()))
    }
}

/// The Brier score, the mean of Σ_c (P(c) − \[c = class of the point\])²: between 0 and 2, and for
/// two classes twice the mean of (P − y)².
///
/// # References
/// Brier (1950), *Verification of Forecasts Expressed in Terms of Probability*, (2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brier;

impl<P, L, M> Score<P, Labels<L>, M> for Brier
where
    P: Points,
    L: Label,
    M: Probabilities<P> + Classes<Label = L>,
{
    fn name(&self) -> &'static str {
        "Brier score"
    }

    fn greater_is_better(&self) -> bool {
        false
    }

    fn score(&self, model: &M, data: &Data<'_, P, Labels<L>>) -> Result<f64, Error> {
        let p = model.predict_proba(data.points())?;
        let columns = columns(model.classes(), data.targets().as_slice());
        let squares = |i: usize| {
            let term = |c: usize| {
                let is = if columns[i] == Some(c) { 1.0 } else { 0.0 };
                (p[(i, c)].to_f64() - is).powi(2)
            };
            // An unseen class has probability 0.
            let unseen = if columns[i].is_none() { 1.0 } else { 0.0 };
            unseen + (0..p.ncols()).map(term).sum::<f64>()
        };
        Ok(weighted_mean(data, squares))
    }
}

/// The area under the ROC curve: the probability that a point of a class has a larger decision
/// value than one of another class, ties counting one half. With more than two classes the mean
/// over one-vs-rest areas, which requires a function per class.
///
/// # References
/// Hanley & McNeil (1982), *The Meaning and Use of the Area under a Receiver Operating
/// Characteristic (ROC) Curve*.
#[doc(alias = "ROC AUC")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auc;

impl<P, L, M> Score<P, Labels<L>, M> for Auc
where
    P: Points,
    L: Label,
    M: DecisionValues<P> + Classes<Label = L>,
{
    fn name(&self) -> &'static str {
        "AUC"
    }

    fn score(&self, model: &M, data: &Data<'_, P, Labels<L>>) -> Result<f64, Error> {
        let values = model.decision_values(data.points())?;
        let classes = model.classes();
        let labels = data.targets().as_slice();
        let area = |column: usize, class: usize| {
            let positive = |i: usize| labels[i] == classes[class];
            let value = |i: usize| values[(i, column)].to_f64();
            area_under_roc(labels.len(), value, |i| data.weight(i), positive).ok_or_else(|| {
                let reason = "all points that were held out, or none, are of one class";
                Error::Score { score: "AUC", reason }
            })
        };
        if classes.len() == 2 && values.ncols() == 1 {
            return area(0, 1);
        }
        if values.ncols() != classes.len() {
            let reason = "the functions of this model are not one per class";
            return Err(Error::Score { score: "AUC", reason });
        }
        let areas = (0..classes.len()).map(|c| area(c, c)).collect::<Result<Vec<f64>, Error>>()?;
        Ok(areas.iter().sum::<f64>() / areas.len() as f64)
    }
}

/// The area under the ROC curve of some points: the probability that a positive point has a larger
/// value than another one, ties counting one half, with weights of the points; `None` unless there
/// are points of both kinds with a weight above 0.
///
/// # Complexity
/// O(n log n).
///
/// # Examples
/// ```
/// use kern_solvers::validation::area_under_roc;
/// let values = [0.1, 0.4, 0.35, 0.8];
/// let area = area_under_roc(4, |i| values[i], |_| 1.0, |i| i >= 2);
/// assert_eq!(area, Some(0.75));
/// assert_eq!(area_under_roc(4, |i| values[i], |_| 1.0, |_| true), None);
/// ```
pub fn area_under_roc(
    points: usize,
    value: impl Fn(usize) -> f64,
    weight: impl Fn(usize) -> f64,
    positive: impl Fn(usize) -> bool,
) -> Option<f64> {
    let mut order: Vec<usize> = (0..points).collect();
    order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    let (mut below, mut area, mut total) = (0.0, 0.0, 0.0);
    // In ascending order, a value that is not smaller is equal.
    for ties in order.chunk_by(|&a, &b| value(a) >= value(b)) {
        let sum = |of: bool| -> f64 {
            ties.iter().filter(|&&i| positive(i) == of).map(|&i| weight(i)).sum()
        };
        let (up, down) = (sum(true), sum(false));
        area += up * (below + down / 2.0);
        (below, total) = (below + down, total + up);
    }
    (below > 0.0 && total > 0.0).then(|| area / (below * total))
}
