//! Models of k nearest neighbours: the points, and what is known about them.

use super::known::{WithClasses, WithTargets, accessors};
use super::{Nearness, Neighbor, Search, WeightFunction, Weighting};
use crate::labels::check_length;
use crate::{Error, Label};
use faer::Mat;
use kern_core::{Kernel, Points};
use serde::{Deserialize, Serialize};

/// A classifier by the votes of the k nearest neighbours.
///
/// # Definition
/// Vote of class c = Σ wᵢ over the neighbours xᵢ with label c; the class of the most votes wins, of
/// equals the first in the order of the labels. The [`WeightFunction`] says what w is.
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
    transparent,
    bound(
        serialize = "P: Serialize, K: Serialize, L: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       L: Label + Deserialize<'de>, W: WeightFunction + Deserialize<'de>"
    )
)]
pub struct KnnClassifier<P: Points, K, L, W = Weighting>(pub(super) WithClasses<P, K, L, W>);

impl<P: Points, K: Kernel<P>, L: Label, W: WeightFunction> KnnClassifier<P, K, L, W> {
    accessors!();

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.0.classes
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries do not fit the points of the fit, [`Error::Gram`] if a kernel
    /// value is not finite.
    ///
    /// # Complexity
    /// q·n kernel evaluations for q queries, or what an index leaves of them, in parallel over blocks of queries; q·k
    /// numbers of memory plus one tile per thread.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.0.search.map_nearest(queries, |row| row)
    }

    /// The class of each query.
    ///
    /// # Errors
    /// [`Error::NeighborWeight`]; else as [`KnnClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<L>, Error> {
        self.0.ask(queries, |row, weights| self.0.winner(row, weights))
    }

    /// The share of each class in the votes: queries × classes, each row sums to 1.
    ///
    /// # Errors
    /// As [`KnnClassifier::predict`].
    pub fn votes(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        self.0.shares(queries)
    }

    /// The share of queries whose prediction equals the label.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`KnnClassifier::predict`].
    pub fn accuracy(&self, queries: &P, labels: &[L]) -> Result<f64, Error> {
        check_length("labels", queries.len(), labels.len())?;
        let predicted = self.predict(queries)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p == l).count();
        Ok(hits as f64 / labels.len() as f64)
    }
}

/// A regressor by the mean of the k nearest neighbours' targets.
///
/// # Definition
/// f(x) = Σ wᵢyᵢ / Σ wᵢ over the neighbours xᵢ. The [`WeightFunction`] says what w is.
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
    transparent,
    bound(
        serialize = "P: Serialize, K: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       W: WeightFunction + Deserialize<'de>"
    )
)]
pub struct KnnRegressor<P: Points, K, W = Weighting>(pub(super) WithTargets<P, K, W>);

impl<P: Points, K: Kernel<P>, W: WeightFunction> KnnRegressor<P, K, W> {
    accessors!();

    /// The targets of the fitted points.
    pub fn targets(&self) -> &[P::Scalar] {
        &self.0.targets
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`].
    ///
    /// # Complexity
    /// As [`KnnClassifier::neighbors`].
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.0.search.map_nearest(queries, |row| row)
    }

    /// The value at each query.
    ///
    /// # Errors
    /// [`Error::NeighborWeight`]; else as [`KnnClassifier::neighbors`].
    pub fn predict(&self, queries: &P) -> Result<Vec<P::Scalar>, Error> {
        self.0.ask(queries, |row, weights| self.0.mean(row, weights))
    }
}
