//! Models of all neighbours within a threshold.

use super::search::Search;
use super::{Nearness, Neighbor, Weighting, vote};
use crate::labels::{Encoded, check_length, check_targets};
use crate::model::Format;
use crate::{Error, Label};
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use serde::{Deserialize, Serialize};

/// A classifier by the votes of all neighbours within a threshold.
///
/// # Definition
/// Vote of class c = Σ wᵢ over the neighbours xᵢ with label c; the class of the most votes wins, of
/// equals the first in the order of the labels; without a neighbour, there is no class.
/// [`Weighting`] says what w is.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::knn::RadiusNeighbors;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let y = ["low", "low", "high", "high"];
/// let similar = RadiusNeighbors::by_similarity(Rbf::new(1.0)?, 0.1); // nearer than 1.52
/// let model = similar.fit_classifier(&x, &y)?;
/// let queries = Samples::from_rows(&[[0.4], [3.0]])?;
/// assert_eq!(model.predict(&queries)?, [Some("low"), None]);
/// let neighbors = model.neighbors(&queries)?;
/// assert_eq!((neighbors[0].len(), neighbors[1].len()), (2, 0));
/// assert_eq!(model.votes(&queries)?[(1, 0)], 0.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredRadiusClassifier<P, K, L>",
    bound(
        serialize = "P: Serialize, K: Serialize, L: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       L: Label + Deserialize<'de>"
    )
)]
pub struct RadiusClassifier<P: Points, K, L> {
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
struct StoredRadiusClassifier<P: Points, K, L> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    classes: Vec<L>,
    indices: Vec<usize>,
}

impl<P, K, L> TryFrom<StoredRadiusClassifier<P, K, L>> for RadiusClassifier<P, K, L>
where
    P: Points,
    K: Kernel<P>,
    L: Label,
{
    type Error = Error;
    fn try_from(stored: StoredRadiusClassifier<P, K, L>) -> Result<Self, Error> {
        let StoredRadiusClassifier { search, weighting, classes, indices, .. } = stored;
        let label = |&given: &usize| match classes.get(given) {
            Some(label) => Ok(label.clone()),
            None => Err(kern_core::Error::Index { given, len: classes.len() }),
        };
        let labels = indices.iter().map(label).collect::<Result<Vec<L>, _>>()?;
        let labels = Encoded::new(search.points().len(), &labels)?;
        Ok(Self::new(search, weighting, labels))
    }
}

impl<P: Points, K: Kernel<P>, L: Label> RadiusClassifier<P, K, L> {
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

    /// All neighbours of each query within the threshold, nearest first; an empty list if there are
    /// none.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries do not fit the points of the fit, [`Error::Gram`] if a kernel
    /// value is not finite.
    ///
    /// # Complexity
    /// q·n kernel evaluations for q queries, in parallel over blocks of them; memory for the
    /// neighbours that are found, at most q·n, plus two tiles per thread.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.search.map_nearest(queries, |row| row)
    }

    /// The class of each query; `None` without a neighbour.
    ///
    /// # Errors
    /// As [`RadiusClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<Option<L>>, Error> {
        let winner = |row: Vec<_>| {
            (!row.is_empty()).then(|| self.classes[vote::winner(&self.count(&row))].clone())
        };
        self.search.map_nearest(queries, winner)
    }

    /// The share of each class in the votes: queries × classes. A row sums to 1, or is 0
    /// without a neighbour.
    ///
    /// # Errors
    /// As [`RadiusClassifier::neighbors`].
    pub fn votes(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
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

    /// The share of queries whose prediction equals the label. `None` equals no label.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`RadiusClassifier::neighbors`].
    pub fn accuracy(&self, queries: &P, labels: &[L]) -> Result<f64, Error> {
        check_length("labels", queries.len(), labels.len())?;
        let predicted = self.predict(queries)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p.as_ref() == Some(*l)).count();
        Ok(hits as f64 / labels.len() as f64)
    }

    /// The votes for each class.
    fn count(&self, row: &[Neighbor<P::Scalar>]) -> Vec<f64> {
        let weights = vote::weights(row, self.nearness(), self.weighting);
        vote::votes(&weights, self.classes.len(), row.iter().map(|near| self.indices[near.index]))
    }
}

/// A regressor by the mean of the targets of all neighbours within a threshold.
///
/// # Definition
/// f(x) = Σ wᵢyᵢ / Σ wᵢ over the neighbours xᵢ; without a neighbour, there is no value.
/// [`Weighting`] says what w is.
///
/// # Numerics
/// Summed in double precision.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::RadiusNeighbors;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let model = RadiusNeighbors::by_distance(Linear, 1.0).fit(&x, &[1.0, 2.0, 7.0])?;
/// let queries = Samples::from_rows(&[[0.2], [3.0]])?;
/// assert_eq!(model.predict(&queries)?, [Some(1.5), None]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "StoredRadiusRegressor<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub struct RadiusRegressor<P: Points, K> {
    format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    targets: Vec<P::Scalar>,
}

/// A regressor as it is read from a file, before its targets are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"))]
struct StoredRadiusRegressor<P: Points, K> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    targets: Vec<P::Scalar>,
}

impl<P: Points, K: Kernel<P>> TryFrom<StoredRadiusRegressor<P, K>> for RadiusRegressor<P, K> {
    type Error = Error;
    fn try_from(stored: StoredRadiusRegressor<P, K>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.targets)
    }
}

impl<P: Points, K: Kernel<P>> RadiusRegressor<P, K> {
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

    /// All neighbours of each query within the threshold, nearest first; an empty list if there are
    /// none.
    ///
    /// # Errors
    /// As [`RadiusClassifier::neighbors`].
    ///
    /// # Complexity
    /// As [`RadiusClassifier::neighbors`].
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.search.map_nearest(queries, |row| row)
    }

    /// The value at each query; `None` without a neighbour.
    ///
    /// # Errors
    /// As [`RadiusClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<Option<P::Scalar>>, Error> {
        let mean = |row: Vec<_>| (!row.is_empty()).then(|| P::Scalar::from_f64(self.mean(&row)));
        self.search.map_nearest(queries, mean)
    }

    fn mean(&self, row: &[Neighbor<P::Scalar>]) -> f64 {
        let weights = vote::weights(row, self.nearness(), self.weighting);
        vote::mean(&weights, row.iter().map(|near| self.targets[near.index].to_f64()))
    }
}
