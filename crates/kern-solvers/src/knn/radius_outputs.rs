//! Several targets or several labels per point, from all neighbours within a threshold.

use super::known::accessors;
use super::known_outputs::{WithLabels, WithOutputs};
use super::{Nearness, Neighbor, Search, WeightFunction, Weighting};
use crate::Error;
use faer::MatRef;
use kern_core::{Kernel, Points};
use serde::{Deserialize, Serialize};

/// A regressor with several outputs, each the mean of the targets of all neighbours within a threshold.
///
/// # Definition
/// f(x) = Σ wᵢyᵢ / Σ wᵢ ∈ R^outputs over the neighbours xᵢ; without a neighbour, there is no value. The [`WeightFunction`] says
/// what w is.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::mat, kernels::Linear};
/// use kern_solvers::knn::RadiusNeighbors;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let y = mat![[1.0, -1.0], [2.0, -2.0], [7.0, 0.0]];
/// let model = RadiusNeighbors::by_distance(Linear, 1.0).fit_outputs(&x, y.as_ref())?;
/// let queries = Samples::from_rows(&[[0.2], [3.0]])?;
/// assert_eq!(model.predict(&queries)?, [Some(vec![1.5, -1.5]), None]);
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
pub struct RadiusMultiRegressor<P: Points, K, W = Weighting>(pub(super) WithOutputs<P, K, W>);

impl<P: Points, K: Kernel<P>, W: WeightFunction> RadiusMultiRegressor<P, K, W> {
    accessors!();

    /// The targets of the fitted points: points × outputs.
    pub fn targets(&self) -> MatRef<'_, P::Scalar> {
        self.0.targets.as_ref()
    }

    /// All neighbours of each query within the threshold, nearest first; an empty list if there are none.
    ///
    /// # Errors
    /// As [`RadiusClassifier::neighbors`](super::RadiusClassifier::neighbors).
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.0.search.neighbors(queries)
    }

    /// The values at each query, one per output; `None` without a neighbour.
    ///
    /// # Errors
    /// As [`RadiusClassifier::predict`](super::RadiusClassifier::predict).
    pub fn predict(&self, queries: &P) -> Result<Vec<Option<Vec<P::Scalar>>>, Error> {
        self.0.ask_some(queries, |row, weights| self.0.means(row, weights))
    }
}

/// Several labels per point, each by the votes of all neighbours within a threshold.
///
/// # Definition
/// The share of label ℓ is Σ wᵢ[xᵢ has ℓ] / Σ wᵢ over the neighbours xᵢ; x is given the labels
/// whose share exceeds ½, so a draw means no; without a neighbour, nothing is said of any label, which is not the same as no to all.
/// The [`WeightFunction`] says what w is.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::RadiusNeighbors;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [9.0]])?;
/// let sweet_and_red = [[true, true], [true, false], [true, false], [false, true]];
/// let model = RadiusNeighbors::by_distance(Linear, 2.0).fit_multi_label(&x, &sweet_and_red)?;
/// let queries = Samples::from_rows(&[[0.0], [6.0]])?;
/// assert_eq!(model.predict(&queries)?, [Some(vec![true, false]), None]);
/// assert_eq!(model.shares(&queries)?, [Some(vec![1.0, 1.0 / 3.0]), None]);
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
pub struct RadiusMultiLabel<P: Points, K, W = Weighting>(pub(super) WithLabels<P, K, W>);

impl<P: Points, K: Kernel<P>, W: WeightFunction> RadiusMultiLabel<P, K, W> {
    accessors!();

    /// Which labels each of the fitted points has.
    pub fn labels(&self) -> &[Vec<bool>] {
        &self.0.labels
    }

    /// All neighbours of each query within the threshold, nearest first; an empty list if there are none.
    ///
    /// # Errors
    /// As [`RadiusClassifier::neighbors`](super::RadiusClassifier::neighbors).
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.0.search.neighbors(queries)
    }

    /// Which labels each query is given; `None` without a neighbour.
    ///
    /// # Errors
    /// As [`RadiusClassifier::predict`](super::RadiusClassifier::predict).
    pub fn predict(&self, queries: &P) -> Result<Vec<Option<Vec<bool>>>, Error> {
        self.0.ask_some(queries, |row, weights| self.0.given(row, weights))
    }

    /// The share of each label in the votes for each query, in \[0, 1\]; `None` without a neighbour.
    ///
    /// # Errors
    /// As [`RadiusClassifier::predict`](super::RadiusClassifier::predict).
    pub fn shares(&self, queries: &P) -> Result<Vec<Option<Vec<P::Scalar>>>, Error> {
        self.0.ask_some(queries, |row, weights| self.0.shares(row, weights))
    }
}
