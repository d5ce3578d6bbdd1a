//! Points with what is known about them, and what neighbours say: the same for k neighbours and for all within a
//! threshold.

use super::search::Search;
use super::{Neighbor, Weighting, vote};
use crate::labels::{Encoded, check_targets};
use crate::model::Format;
use crate::{Error, Label};
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use serde::{Deserialize, Serialize};

/// Points with a class each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredClasses<P, K, L>",
    bound(
        serialize = "P: Serialize, K: Serialize, L: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       L: Label + Deserialize<'de>"
    )
)]
pub(super) struct WithClasses<P: Points, K, L> {
    format: Format,
    pub(super) search: Search<P, K>,
    weighting: Weighting,
    pub(super) classes: Vec<L>,
    indices: Vec<usize>,
}

/// The same as it is read from a file, before its labels are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                             L: Deserialize<'de>"))]
struct StoredClasses<P: Points, K, L> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    classes: Vec<L>,
    indices: Vec<usize>,
}

impl<P, K, L> TryFrom<StoredClasses<P, K, L>> for WithClasses<P, K, L>
where
    P: Points,
    K: Kernel<P>,
    L: Label,
{
    type Error = Error;
    fn try_from(stored: StoredClasses<P, K, L>) -> Result<Self, Error> {
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

impl<P: Points, K: Kernel<P>, L: Label> WithClasses<P, K, L> {
    pub(super) fn new(search: Search<P, K>, weighting: Weighting, labels: Encoded<L>) -> Self {
        let Encoded { classes, indices } = labels;
        Self { format: Format, search, weighting, classes, indices }
    }

    /// The class of the most votes of these neighbours, of which there is one at least.
    pub(super) fn winner(&self, row: &[Neighbor<P::Scalar>]) -> L {
        self.classes[vote::winner(&self.count(row))].clone()
    }

    /// The share of each class in the votes: queries × classes. A row sums to 1, or is 0 without a neighbour.
    pub(super) fn shares(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let votes = self.search.map_nearest(queries, |row| self.count(&row))?;
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
    fn count(&self, row: &[Neighbor<P::Scalar>]) -> Vec<f64> {
        let weights = vote::weights(row, self.search.nearness(), self.weighting);
        vote::votes(&weights, self.classes.len(), row.iter().map(|near| self.indices[near.index]))
    }
}

/// Points with a target each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredTargets<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub(super) struct WithTargets<P: Points, K> {
    format: Format,
    pub(super) search: Search<P, K>,
    weighting: Weighting,
    pub(super) targets: Vec<P::Scalar>,
}

/// The same as it is read from a file, before its targets are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"))]
struct StoredTargets<P: Points, K> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    targets: Vec<P::Scalar>,
}

impl<P: Points, K: Kernel<P>> TryFrom<StoredTargets<P, K>> for WithTargets<P, K> {
    type Error = Error;
    fn try_from(stored: StoredTargets<P, K>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.targets)
    }
}

impl<P: Points, K: Kernel<P>> WithTargets<P, K> {
    pub(super) fn new(
        search: Search<P, K>,
        weighting: Weighting,
        targets: Vec<P::Scalar>,
    ) -> Result<Self, Error> {
        let y = MatRef::from_column_major_slice(&targets, targets.len(), 1);
        check_targets(search.points().len(), y)?;
        Ok(Self { format: Format, search, weighting, targets })
    }

    /// The mean of the targets of these neighbours, of which there is one at least.
    pub(super) fn mean(&self, row: &[Neighbor<P::Scalar>]) -> P::Scalar {
        let weights = vote::weights(row, self.search.nearness(), self.weighting);
        let targets = row.iter().map(|near| self.targets[near.index].to_f64());
        P::Scalar::from_f64(vote::mean(&weights, targets))
    }
}
