//! Points with what is known about them, and what neighbours say: the same for k neighbours and for all within a
//! threshold.

use super::search::Search;
use super::weight::{self, NoWeight};
use super::{Neighbor, WeightFunction, vote};
use crate::labels::{Encoded, check_targets};
use crate::model::Format;
use crate::{Error, Label};
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use serde::{Deserialize, Serialize};

/// What every model lets one look at.
macro_rules! accessors {
    () => {
        /// The kernel.
        pub fn kernel(&self) -> &K {
            self.0.search.kernel()
        }

        /// The fitted points.
        pub fn points(&self) -> &P {
            self.0.search.points()
        }

        /// The search among the fitted points.
        pub fn search(&self) -> &Search<P, K> {
            &self.0.search
        }

        /// What the score of a neighbour is.
        pub fn nearness(&self) -> Nearness {
            self.0.search.nearness()
        }
    };
}

pub(super) use accessors;

/// How all that is known of points is asked for. The fields are part of the files of models, so they stay in each struct.
macro_rules! questions {
    () => {
        /// `f` of the neighbours of each query, and of their weights.
        pub(super) fn ask<R: Send>(
            &self,
            queries: &P,
            f: impl Fn(&[Neighbor<P::Scalar>], &[f64]) -> R + Send + Sync,
        ) -> Result<Vec<R>, Error> {
            answers((&self.search, &self.weighting), queries, f)
        }

        /// The same; none for a query without neighbours.
        pub(super) fn ask_some<R: Send>(
            &self,
            queries: &P,
            f: impl Fn(&[Neighbor<P::Scalar>], &[f64]) -> R + Send + Sync,
        ) -> Result<Vec<Option<R>>, Error> {
            self.ask(queries, |row, weights| (!row.is_empty()).then(|| f(row, weights)))
        }
    };
}

pub(super) use questions;

/// `f` of the neighbours of each query, nearest first, and of their weights.
pub(super) fn answers<P, K, W, R>(
    (search, weighting): (&Search<P, K>, &W),
    queries: &P,
    f: impl Fn(&[Neighbor<P::Scalar>], &[f64]) -> R + Send + Sync,
) -> Result<Vec<R>, Error>
where
    P: Points,
    K: Kernel<P>,
    W: WeightFunction,
    R: Send,
{
    let answers = search.map_nearest(queries, |row| {
        let weights = weight::weights(&row, search.nearness(), weighting)?;
        Ok(f(&row, &weights))
    })?;
    let named = |(query, answer): (usize, Result<R, NoWeight>)| answer.map_err(|no| no.of(query));
    answers.into_iter().enumerate().map(named).collect()
}

/// Points with a class each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredClasses<P, K, L, W>",
    bound(
        serialize = "P: Serialize, K: Serialize, L: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       L: Label + Deserialize<'de>, W: WeightFunction + Deserialize<'de>"
    )
)]
pub(super) struct WithClasses<P: Points, K, L, W> {
    format: Format,
    pub(super) search: Search<P, K>,
    weighting: W,
    pub(super) classes: Vec<L>,
    indices: Vec<usize>,
}

/// The same as it is read from a file, before its labels are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                             L: Deserialize<'de>, W: Deserialize<'de>"))]
struct StoredClasses<P: Points, K, L, W> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: W,
    classes: Vec<L>,
    indices: Vec<usize>,
}

impl<P, K, L, W> TryFrom<StoredClasses<P, K, L, W>> for WithClasses<P, K, L, W>
where
    P: Points,
    K: Kernel<P>,
    L: Label,
    W: WeightFunction,
{
    type Error = Error;
    fn try_from(stored: StoredClasses<P, K, L, W>) -> Result<Self, Error> {
        let StoredClasses { search, weighting, classes, indices, .. } = stored;
        let label = |&given: &usize| match classes.get(given) {
            Some(label) => Ok(label.clone()),
            None => Err(kern_core::Error::Index { given, len: classes.len() }),
        };
        let labels = indices.iter().map(label).collect::<Result<Vec<L>, _>>()?;
        let labels = Encoded::new(search.points().len(), &labels)?;
        Ok(Self::new(search, weighting, labels))
    }
}

impl<P: Points, K: Kernel<P>, L: Label, W: WeightFunction> WithClasses<P, K, L, W> {
    pub(super) fn new(search: Search<P, K>, weighting: W, labels: Encoded<L>) -> Self {
        let Encoded { classes, indices } = labels;
        Self { format: Format, search, weighting, classes, indices }
    }

    questions!();

    /// The class of the most votes of these neighbours, of which there is one at least.
    pub(super) fn winner(&self, row: &[Neighbor<P::Scalar>], weights: &[f64]) -> L {
        self.classes[vote::winner(&self.count(row, weights))].clone()
    }

    /// The share of each class in the votes: queries × classes. A row sums to 1, or is 0 without a neighbour.
    pub(super) fn shares(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let votes = self.ask(queries, |row, weights| self.count(row, weights))?;
        let mut shares = kern_gram::zeros(queries.len(), self.classes.len())?;
        for (i, votes) in votes.iter().enumerate() {
            let total: f64 = votes.iter().sum();
            for (j, vote) in votes.iter().enumerate() {
                shares[(i, j)] = P::Scalar::from_f64(if total > 0.0 { vote / total } else { 0.0 });
            }
        }
        Ok(shares)
    }

    /// The votes for each class.
    fn count(&self, row: &[Neighbor<P::Scalar>], weights: &[f64]) -> Vec<f64> {
        vote::votes(weights, self.classes.len(), row.iter().map(|near| self.indices[near.index]))
    }
}

/// Points with a target each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredTargets<P, K, W>",
    bound(
        serialize = "P: Serialize, K: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       W: WeightFunction + Deserialize<'de>"
    )
)]
pub(super) struct WithTargets<P: Points, K, W> {
    format: Format,
    pub(super) search: Search<P, K>,
    weighting: W,
    pub(super) targets: Vec<P::Scalar>,
}

/// The same as it is read from a file, before its targets are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                             W: Deserialize<'de>"))]
struct StoredTargets<P: Points, K, W> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: W,
    targets: Vec<P::Scalar>,
}

impl<P: Points, K: Kernel<P>, W: WeightFunction> TryFrom<StoredTargets<P, K, W>>
    for WithTargets<P, K, W>
{
    type Error = Error;
    fn try_from(stored: StoredTargets<P, K, W>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.targets)
    }
}

impl<P: Points, K: Kernel<P>, W: WeightFunction> WithTargets<P, K, W> {
    pub(super) fn new(
        search: Search<P, K>,
        weighting: W,
        targets: Vec<P::Scalar>,
    ) -> Result<Self, Error> {
        let y = MatRef::from_column_major_slice(&targets, targets.len(), 1);
        check_targets(search.points().len(), y)?;
        Ok(Self { format: Format, search, weighting, targets })
    }

    questions!();

    /// The mean of the targets of these neighbours, of which there is one at least.
    pub(super) fn mean(&self, row: &[Neighbor<P::Scalar>], weights: &[f64]) -> P::Scalar {
        let targets = row.iter().map(|near| self.targets[near.index].to_f64());
        P::Scalar::from_f64(vote::mean(weights, targets))
    }
}
