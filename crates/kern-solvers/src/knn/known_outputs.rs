//! Points with several targets or several labels each, and what neighbours say: the same for k neighbours and for all
//! within a threshold.

use super::known::{answers, questions};
use super::search::Search;
use super::{Neighbor, WeightFunction, vote};
use crate::Error;
use crate::labels::{check_length, check_targets};
use crate::model::Format;
use faer::Mat;
use kern_core::{Kernel, Points, Scalar, serde_mat};
use serde::{Deserialize, Serialize};

/// Points with several targets each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredOutputs<P, K, W>",
    bound(
        serialize = "P: Serialize, K: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       W: WeightFunction + Deserialize<'de>"
    )
)]
pub(super) struct WithOutputs<P: Points, K, W> {
    format: Format,
    pub(super) search: Search<P, K>,
    weighting: W,
    #[serde(with = "serde_mat")]
    pub(super) targets: Mat<P::Scalar>,
}

/// The same as it is read from a file, before its targets are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                             W: Deserialize<'de>"))]
struct StoredOutputs<P: Points, K, W> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: W,
    #[serde(with = "serde_mat")]
    targets: Mat<P::Scalar>,
}

impl<P: Points, K: Kernel<P>, W: WeightFunction> TryFrom<StoredOutputs<P, K, W>>
    for WithOutputs<P, K, W>
{
    type Error = Error;
    fn try_from(stored: StoredOutputs<P, K, W>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.targets)
    }
}

impl<P: Points, K: Kernel<P>, W: WeightFunction> WithOutputs<P, K, W> {
    pub(super) fn new(
        search: Search<P, K>,
        weighting: W,
        targets: Mat<P::Scalar>,
    ) -> Result<Self, Error> {
        check_targets(search.points().len(), targets.as_ref())?;
        Ok(Self { format: Format, search, weighting, targets })
    }

    questions!();

    /// The means of the targets of these neighbours, of which there is one at least.
    pub(super) fn means(&self, row: &[Neighbor<P::Scalar>], weights: &[f64]) -> Vec<P::Scalar> {
        let mean = |output| {
            let target = |near: &Neighbor<_>| self.targets[(near.index, output)].to_f64();
            P::Scalar::from_f64(vote::mean(weights, row.iter().map(target)))
        };
        (0..self.targets.ncols()).map(mean).collect()
    }
}

/// Points with several labels each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredLabels<P, K, W>",
    bound(
        serialize = "P: Serialize, K: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       W: WeightFunction + Deserialize<'de>"
    )
)]
pub(super) struct WithLabels<P: Points, K, W> {
    format: Format,
    pub(super) search: Search<P, K>,
    weighting: W,
    pub(super) labels: Vec<Vec<bool>>,
}

/// The same as it is read from a file, before its labels are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                             W: Deserialize<'de>"))]
struct StoredLabels<P: Points, K, W> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: W,
    labels: Vec<Vec<bool>>,
}

impl<P: Points, K: Kernel<P>, W: WeightFunction> TryFrom<StoredLabels<P, K, W>>
    for WithLabels<P, K, W>
{
    type Error = Error;
    fn try_from(stored: StoredLabels<P, K, W>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.labels)
    }
}

impl<P: Points, K: Kernel<P>, W: WeightFunction> WithLabels<P, K, W> {
    pub(super) fn new(
        search: Search<P, K>,
        weighting: W,
        labels: Vec<Vec<bool>>,
    ) -> Result<Self, Error> {
        check_length("rows of labels", search.points().len(), labels.len())?;
        let expected = labels.first().map_or(0, Vec::len);
        let differs = |(point, row): (usize, &Vec<bool>)| {
            (row.len() != expected).then_some(Error::LabelCount {
                point,
                expected,
                given: row.len(),
            })
        };
        match labels.iter().enumerate().find_map(differs) {
            Some(error) => Err(error),
            None => Ok(Self { format: Format, search, weighting, labels }),
        }
    }

    questions!();

    /// How many labels there are.
    pub(super) fn count(&self) -> usize {
        self.labels.first().map_or(0, Vec::len)
    }

    /// Which labels most of these neighbours have.
    pub(super) fn given(&self, row: &[Neighbor<P::Scalar>], weights: &[f64]) -> Vec<bool> {
        self.votes(row, weights).map(|(yes, no)| yes > no).collect()
    }

    /// The share of each label in the votes of these neighbours, of which there is one at least.
    pub(super) fn shares(&self, row: &[Neighbor<P::Scalar>], weights: &[f64]) -> Vec<P::Scalar> {
        let share = |(yes, no): (f64, f64)| P::Scalar::from_f64(yes / (yes + no));
        self.votes(row, weights).map(share).collect()
    }

    /// For each label the weight of the neighbours that have it, and that of the others.
    fn votes(
        &self,
        row: &[Neighbor<P::Scalar>],
        weights: &[f64],
    ) -> impl Iterator<Item = (f64, f64)> {
        (0..self.count()).map(move |label| {
            let has = row.iter().map(|near| usize::from(self.labels[near.index][label]));
            let votes = vote::votes(weights, 2, has);
            (votes[1], votes[0])
        })
    }
}
