//! Several targets or several labels per point, from the k nearest neighbours.

use super::known::accessors;
use super::known_outputs::{WithLabels, WithOutputs};
use super::{Nearness, Neighbor, Search, WeightFunction, Weighting};
use crate::Error;
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use serde::{Deserialize, Serialize};

/// A regressor with several outputs, each the mean of the k nearest neighbours' targets.
///
/// # Definition
/// f(x) = Σ wᵢyᵢ / Σ wᵢ ∈ R^outputs over the neighbours xᵢ. The [`WeightFunction`] says what w is.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::mat, kernels::Rbf};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let y = mat![[1.0, -1.0], [2.0, -2.0], [7.0, 0.0]];
/// let model = KNearest::by_distance(Rbf::new(0.1)?).neighbors(2).fit_outputs(&x, y.as_ref())?;
/// let query = Samples::from_rows(&[[0.2]])?;
/// assert_eq!(model.predict(&query)?, mat![[1.5, -1.5]]);
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
pub struct KnnMultiRegressor<P: Points, K, W = Weighting>(pub(super) WithOutputs<P, K, W>);

impl<P: Points, K: Kernel<P>, W: WeightFunction> KnnMultiRegressor<P, K, W> {
    accessors!();

    /// The targets of the fitted points: points × outputs.
    pub fn targets(&self) -> MatRef<'_, P::Scalar> {
        self.0.targets.as_ref()
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`](super::KnnClassifier::neighbors).
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.0.search.neighbors(queries)
    }

    /// The values at each query: queries × outputs.
    ///
    /// # Errors
    /// As [`KnnClassifier::predict`](super::KnnClassifier::predict).
    pub fn predict(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let means = self.0.ask(queries, |row, weights| self.0.means(row, weights))?;
        rows(&means, self.0.targets.ncols())
    }
}

/// Several labels per point, each by the votes of the k nearest neighbours.
///
/// # Definition
/// The share of label ℓ is Σ wᵢ[xᵢ has ℓ] / Σ wᵢ over the neighbours xᵢ; x is given the labels
/// whose share exceeds ½, so a draw means no. The [`WeightFunction`] says what w is.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [9.0]])?;
/// let sweet_and_red = [[true, true], [true, false], [true, false], [false, true]];
/// let params = KNearest::by_distance(Rbf::new(0.1)?).neighbors(3);
/// let model = params.fit_multi_label(&x, &sweet_and_red)?;
/// let query = Samples::from_rows(&[[0.2]])?;
/// assert_eq!(model.predict(&query)?, [[true, false]]);
/// assert_eq!(model.shares(&query)?[(0, 1)], 1.0 / 3.0);
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
pub struct KnnMultiLabel<P: Points, K, W = Weighting>(pub(super) WithLabels<P, K, W>);

impl<P: Points, K: Kernel<P>, W: WeightFunction> KnnMultiLabel<P, K, W> {
    accessors!();

    /// Which labels each of the fitted points has.
    pub fn labels(&self) -> &[Vec<bool>] {
        &self.0.labels
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`](super::KnnClassifier::neighbors).
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.0.search.neighbors(queries)
    }

    /// Which labels each query is given.
    ///
    /// # Errors
    /// As [`KnnClassifier::predict`](super::KnnClassifier::predict).
    pub fn predict(&self, queries: &P) -> Result<Vec<Vec<bool>>, Error> {
        self.0.ask(queries, |row, weights| self.0.given(row, weights))
    }

    /// The share of each label in the votes: queries × labels, in \[0, 1\].
    ///
    /// # Errors
    /// As [`KnnClassifier::predict`](super::KnnClassifier::predict).
    pub fn shares(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let shares = self.0.ask(queries, |row, weights| self.0.shares(row, weights))?;
        rows(&shares, self.0.count())
    }
}

/// A matrix of these rows.
fn rows<T: Scalar>(rows: &[Vec<T>], columns: usize) -> Result<Mat<T>, Error> {
    let mut out = kern_gram::zeros(rows.len(), columns)?;
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, &value)| out[(i, j)] = value);
    }
    Ok(out)
}
