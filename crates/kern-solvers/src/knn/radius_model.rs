//! Models of all neighbours within a threshold.

use super::known::{WithClasses, WithTargets, accessors};
use super::{Nearness, Neighbor, Search, WeightFunction, Weighting};
use crate::labels::check_length;
use crate::{Error, Label};
use faer::Mat;
use kern_core::{Kernel, Points};
use serde::{Deserialize, Serialize};

/// A classifier by the votes of all neighbours within a threshold.
///
/// # Definition
/// Vote of class c = Σ wᵢ over the neighbours xᵢ with label c; the class of the most votes wins, of
/// equals the first in the order of the labels; without a neighbour, there is no class.
/// The [`WeightFunction`] says what w is.
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
    transparent,
    bound(
        serialize = "P: Serialize, K: Serialize, L: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       L: Label + Deserialize<'de>, W: WeightFunction + Deserialize<'de>"
    )
)]
pub struct RadiusClassifier<P: Points, K, L, W = Weighting>(pub(super) WithClasses<P, K, L, W>);

impl<P: Points, K: Kernel<P>, L: Label, W: WeightFunction> RadiusClassifier<P, K, L, W> {
    accessors!();

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.0.classes
    }

    /// All neighbours of each query within the threshold, nearest first; an empty list if there are
    /// none.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries do not fit the points of the fit, [`Error::Gram`] if a kernel
    /// value is not finite.
    ///
    /// # Complexity
    /// q·n kernel evaluations for q queries, or what an index leaves of them, in parallel over blocks of queries; memory
    /// for the neighbours that are found, at most q·n, plus one tile per thread.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.0.search.map_nearest(queries, |row| row)
    }

    /// The class of each query; `None` without a neighbour.
    ///
    /// # Errors
    /// [`Error::NeighborWeight`]; else as [`RadiusClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<Option<L>>, Error> {
        self.0.ask_some(queries, |row, weights| self.0.winner(row, weights))
    }

    /// The share of each class in the votes: queries × classes. A row sums to 1, or is 0
    /// without a neighbour.
    ///
    /// # Errors
    /// As [`RadiusClassifier::predict`].
    pub fn votes(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        self.0.shares(queries)
    }

    /// The share of queries whose prediction equals the label. `None` equals no label.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`RadiusClassifier::predict`].
    pub fn accuracy(&self, queries: &P, labels: &[L]) -> Result<f64, Error> {
        check_length("labels", queries.len(), labels.len())?;
        let predicted = self.predict(queries)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p.as_ref() == Some(*l)).count();
        Ok(hits as f64 / labels.len() as f64)
    }
}

/// A regressor by the mean of the targets of all neighbours within a threshold.
///
/// # Definition
/// f(x) = Σ wᵢyᵢ / Σ wᵢ over the neighbours xᵢ; without a neighbour, there is no value.
/// The [`WeightFunction`] says what w is.
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
    transparent,
    bound(
        serialize = "P: Serialize, K: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       W: WeightFunction + Deserialize<'de>"
    )
)]
pub struct RadiusRegressor<P: Points, K, W = Weighting>(pub(super) WithTargets<P, K, W>);

impl<P: Points, K: Kernel<P>, W: WeightFunction> RadiusRegressor<P, K, W> {
    accessors!();

    /// The targets of the fitted points.
    pub fn targets(&self) -> &[P::Scalar] {
        &self.0.targets
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
        self.0.search.map_nearest(queries, |row| row)
    }

    /// The value at each query; `None` without a neighbour.
    ///
    /// # Errors
    /// [`Error::NeighborWeight`]; else as [`RadiusClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<Option<P::Scalar>>, Error> {
        self.0.ask_some(queries, |row, weights| self.0.mean(row, weights))
    }
}
