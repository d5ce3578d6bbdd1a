//! Scores of predicted classes.

use super::{Score, weighted_mean};
use crate::{Data, Error, Label, Labels, Model};
use kern_core::Points;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A prediction of a class, or of none.
pub trait Answer<L> {
    /// The class.
    fn class(&self) -> Option<&L>;
}

impl<L> Answer<L> for L {
    fn class(&self) -> Option<&L> {
        Some(self)
    }
}

impl<L> Answer<L> for Option<L> {
    fn class(&self) -> Option<&L> {
        self.as_ref()
    }
}

/// Accuracy: the fraction of points with the correct predicted class. A point without a prediction
/// counts as wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accuracy;

impl<P, L, A, M> Score<P, Labels<L>, M> for Accuracy
where
    P: Points,
    L: Label,
    A: Answer<L>,
    M: Model<P, Answer = Vec<A>>,
{
    fn name(&self) -> &'static str {
        "accuracy"
    }

    fn score(&self, model: &M, data: &Data<'_, P, Labels<L>>) -> Result<f64, Error> {
        let (answers, labels) = (model.predict(data.points())?, data.targets().as_slice());
        let hit = |i: usize| f64::from(u8::from(answers[i].class() == Some(&labels[i])));
        Ok(weighted_mean(data, hit))
    }
}

/// Weighted counts of a class: correct predictions, points and predictions.
#[derive(Default)]
struct Counts {
    hits: f64,
    points: f64,
    answers: f64,
}

/// The counts of every class that occurs as a label or prediction.
fn counts<'c, P: Points, L: Label, A: Answer<L>>(
    answers: &'c [A],
    data: &'c Data<'_, P, Labels<L>>,
) -> BTreeMap<&'c L, Counts> {
    let mut counts = BTreeMap::<&L, Counts>::new();
    for (i, (answer, label)) in answers.iter().zip(data.targets().as_slice()).enumerate() {
        let weight = data.weight(i);
        if weight <= 0.0 {
            // A class of total weight zero is skipped.
            continue;
        }
        counts.entry(label).or_default().points += weight;
        if let Some(class) = answer.class() {
            let count = counts.entry(class).or_default();
            count.answers += weight;
            count.hits += if class == label { weight } else { 0.0 };
        }
    }
    counts
}

/// Balanced accuracy: the mean over classes of the fraction of their points predicted correctly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BalancedAccuracy;

impl<P, L, A, M> Score<P, Labels<L>, M> for BalancedAccuracy
where
    P: Points,
    L: Label,
    A: Answer<L>,
    M: Model<P, Answer = Vec<A>>,
{
    fn name(&self) -> &'static str {
        "balanced accuracy"
    }

    fn score(&self, model: &M, data: &Data<'_, P, Labels<L>>) -> Result<f64, Error> {
        let answers = model.predict(data.points())?;
        let counts = counts(&answers, data);
        let recalls: Vec<f64> =
            counts.values().filter(|c| c.points > 0.0).map(|c| c.hits / c.points).collect();
        Ok(recalls.iter().sum::<f64>() / recalls.len() as f64)
    }
}

/// The average of a score over classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Average {
    /// Unweighted mean over classes.
    #[default]
    Macro,
    /// Mean over classes weighted by their points.
    Weighted,
    /// Counts are summed over classes first.
    Micro,
}

/// F₁ = 2·hits/(points + predictions) of each class, the harmonic mean of precision and recall,
/// averaged over classes; 0 for a class without hits.
///
/// # References
/// van Rijsbergen (1979), *Information Retrieval*, chapter 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct F1(
    /// The average over classes.
    pub Average,
);

impl<P, L, A, M> Score<P, Labels<L>, M> for F1
where
    P: Points,
    L: Label,
    A: Answer<L>,
    M: Model<P, Answer = Vec<A>>,
{
    fn name(&self) -> &'static str {
        "F1"
    }

    fn score(&self, model: &M, data: &Data<'_, P, Labels<L>>) -> Result<f64, Error> {
        let answers = model.predict(data.points())?;
        let counts = counts(&answers, data);
        let f1 =
            |c: &Counts| if c.hits > 0.0 { 2.0 * c.hits / (c.points + c.answers) } else { 0.0 };
        let total = |of: fn(&Counts) -> f64| counts.values().map(of).sum::<f64>();
        Ok(match self.0 {
            Average::Macro => counts.values().map(f1).sum::<f64>() / counts.len() as f64,
            Average::Weighted => {
                counts.values().map(|c| c.points * f1(c)).sum::<f64>() / total(|c| c.points)
            }
            Average::Micro => f1(&Counts {
                hits: total(|c| c.hits),
                points: total(|c| c.points),
                answers: total(|c| c.answers),
            }),
        })
    }
}
