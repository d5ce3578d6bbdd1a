//! Models of k nearest neighbours: the points, and what is known about them.

use super::search::Search;
use super::{Nearness, Neighbor, Weighting, vote};
use crate::labels::{Encoded, check_length, check_targets};
use crate::model::Format;
use crate::{Error, Label};
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use serde::{Deserialize, Serialize};

/// A classifier by the votes of the k nearest neighbours.
///
/// # Definition
/// Vote of class c = Σ wᵢ over the neighbours xᵢ with label c; the class of the most votes wins, of
/// equals the first in the order of the labels. [`Weighting`] says what w is.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let y = ["low", "low", "high", "high"];
/// let model = KNearest::by_distance(Rbf::new(0.1)?).neighbors(3).fit_classifier(&x, &y)?;
/// let queries = Samples::from_rows(&[[0.4], [5.8]])?;
/// assert_eq!(model.predict(&queries)?, ["low", "high"]);
/// assert_eq!(model.classes(), ["high", "low"]);
/// assert_eq!(model.votes(&queries)?[(0, 1)], 2.0 / 3.0);
/// assert_eq!(model.accuracy(&queries, &["low", "low"])?, 0.5);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredClassifier<P, K, L>",
    bound(
        serialize = "P: Serialize, K: Serialize, L: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       L: Label + Deserialize<'de>"
    )
)]
pub struct KnnClassifier<P: Points, K, L> {
    format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    classes: Vec<L>,
    indices: Vec<usize>,
}

/// A classifier as it is read from a file, before its labels are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                             L: Deserialize<'de>"))]
struct StoredClassifier<P: Points, K, L> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    classes: Vec<L>,
    indices: Vec<usize>,
}

impl<P, K, L> TryFrom<StoredClassifier<P, K, L>> for KnnClassifier<P, K, L>
where
    P: Points,
    K: Kernel<P>,
    L: Label,
{
    type Error = Error;
    fn try_from(stored: StoredClassifier<P, K, L>) -> Result<Self, Error> {
        let StoredClassifier { search, weighting, classes, indices, .. } = stored;
        let label = |&given: &usize| match classes.get(given) {
            Some(label) => Ok(label.clone()),
            None => Err(kern_core::Error::Index { given, len: classes.len() }),
        };
        let labels = indices.iter().map(label).collect::<Result<Vec<L>, _>>()?;
        let labels = Encoded::new(search.points().len(), &labels)?;
        Ok(Self::new(search, weighting, labels))
    }
}

impl<P: Points, K: Kernel<P>, L: Label> KnnClassifier<P, K, L> {
    pub(super) fn new(search: Search<P, K>, weighting: Weighting, labels: Encoded<L>) -> Self {
        let Encoded { classes, indices } = labels;
        Self { format: Format, search, weighting, classes, indices }
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        self.search.kernel()
    }

    /// The fitted points.
    pub fn points(&self) -> &P {
        self.search.points()
    }

    /// What the score of a neighbour is.
    pub fn nearness(&self) -> Nearness {
        self.search.nearness()
    }

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries do not fit the points of the fit, [`Error::Gram`] if a kernel
    /// value is not finite.
    ///
    /// # Complexity
    /// q·n kernel evaluations for q queries, in parallel over blocks of them; q·k numbers of
    /// memory plus one tile per thread.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.search.map_nearest(queries, |row| row)
    }

    /// The class of each query.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<L>, Error> {
        let winner = |row: Vec<_>| self.classes[vote::winner(&self.count(&row))].clone();
        self.search.map_nearest(queries, winner)
    }

    /// The share of each class in the votes: queries × classes, each row sums to 1.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`].
    pub fn votes(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let votes = self.search.map_nearest(queries, |row| self.count(&row))?;
        let mut shares = kern_gram::zeros(queries.len(), self.classes.len())?;
        for (i, votes) in votes.iter().enumerate() {
            let total: f64 = votes.iter().sum();
            for (j, vote) in votes.iter().enumerate() {
                shares[(i, j)] = P::Scalar::from_f64(vote / total);
            }
        }
        Ok(shares)
    }

    /// The share of queries whose prediction equals the label.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`KnnClassifier::neighbors`].
    pub fn accuracy(&self, queries: &P, labels: &[L]) -> Result<f64, Error> {
        check_length("labels", queries.len(), labels.len())?;
        let predicted = self.predict(queries)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p == l).count();
        Ok(hits as f64 / labels.len() as f64)
    }

    /// The votes for each class.
    fn count(&self, row: &[Neighbor<P::Scalar>]) -> Vec<f64> {
        let weights = vote::weights(row, self.nearness(), self.weighting);
        vote::votes(&weights, self.classes.len(), row.iter().map(|near| self.indices[near.index]))
    }
}

/// A regressor by the mean of the k nearest neighbours' targets.
///
/// # Definition
/// f(x) = Σ wᵢyᵢ / Σ wᵢ over the neighbours xᵢ. [`Weighting`] says what w is.
///
/// # Numerics
/// Summed in double precision.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let model = KNearest::by_similarity(Rbf::new(0.1)?).neighbors(2).fit(&x, &[1.0, 2.0, 7.0])?;
/// assert_eq!(model.predict(&Samples::from_rows(&[[0.2], [4.0]])?)?, [1.5, 4.5]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredRegressor<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub struct KnnRegressor<P: Points, K> {
    format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    targets: Vec<P::Scalar>,
}

/// A regressor as it is read from a file, before its targets are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"))]
struct StoredRegressor<P: Points, K> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    targets: Vec<P::Scalar>,
}

impl<P: Points, K: Kernel<P>> TryFrom<StoredRegressor<P, K>> for KnnRegressor<P, K> {
    type Error = Error;
    fn try_from(stored: StoredRegressor<P, K>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.targets)
    }
}

impl<P: Points, K: Kernel<P>> KnnRegressor<P, K> {
    pub(super) fn new(
        search: Search<P, K>,
        weighting: Weighting,
        targets: Vec<P::Scalar>,
    ) -> Result<Self, Error> {
        let y = MatRef::from_column_major_slice(&targets, targets.len(), 1);
        check_targets(search.points().len(), y)?;
        Ok(Self { format: Format, search, weighting, targets })
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        self.search.kernel()
    }

    /// The fitted points.
    pub fn points(&self) -> &P {
        self.search.points()
    }

    /// The targets of the fitted points.
    pub fn targets(&self) -> &[P::Scalar] {
        &self.targets
    }

    /// What the score of a neighbour is.
    pub fn nearness(&self) -> Nearness {
        self.search.nearness()
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`].
    ///
    /// # Complexity
    /// As [`KnnClassifier::neighbors`].
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.search.map_nearest(queries, |row| row)
    }

    /// The value at each query.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<P::Scalar>, Error> {
        self.search.map_nearest(queries, |row| P::Scalar::from_f64(self.mean(&row)))
    }

    fn mean(&self, row: &[Neighbor<P::Scalar>]) -> f64 {
        let weights = vote::weights(row, self.nearness(), self.weighting);
        vote::mean(&weights, row.iter().map(|near| self.targets[near.index].to_f64()))
    }
}
