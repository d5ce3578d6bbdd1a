//! Several targets or several labels per point, from the k nearest neighbours.

use super::search::Search;
use super::{Nearness, Neighbor, Weighting, vote};
use crate::Error;
use crate::labels::{check_length, check_targets};
use crate::model::Format;
use faer::Mat;
use kern_core::{Kernel, Points, Scalar, serde_mat};
use serde::{Deserialize, Serialize};

/// A regressor with several outputs, each the mean of the k nearest neighbours' targets.
///
/// # Definition
/// f(x) = Σ wᵢyᵢ / Σ wᵢ ∈ R^outputs over the neighbours xᵢ. [`Weighting`] says what w is.
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
    try_from = "StoredOutputs<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub struct KnnMultiRegressor<P: Points, K> {
    format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    #[serde(with = "serde_mat")]
    targets: Mat<P::Scalar>,
}

/// The same as it is read from a file, before its targets are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"))]
struct StoredOutputs<P: Points, K> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    #[serde(with = "serde_mat")]
    targets: Mat<P::Scalar>,
}

impl<P: Points, K: Kernel<P>> TryFrom<StoredOutputs<P, K>> for KnnMultiRegressor<P, K> {
    type Error = Error;
    fn try_from(stored: StoredOutputs<P, K>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.targets)
    }
}

impl<P: Points, K: Kernel<P>> KnnMultiRegressor<P, K> {
    pub(super) fn new(
        search: Search<P, K>,
        weighting: Weighting,
        targets: Mat<P::Scalar>,
    ) -> Result<Self, Error> {
        check_targets(search.points().len(), targets.as_ref())?;
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

    /// The targets of the fitted points: points × outputs.
    pub fn targets(&self) -> faer::MatRef<'_, P::Scalar> {
        self.targets.as_ref()
    }

    /// The search among the fitted points.
    pub fn search(&self) -> &Search<P, K> {
        &self.search
    }

    /// What the score of a neighbour is.
    pub fn nearness(&self) -> Nearness {
        self.search.nearness()
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`](super::KnnClassifier::neighbors).
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.search.map_nearest(queries, |row| row)
    }

    /// The values at each query: queries × outputs.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`](super::KnnClassifier::neighbors).
    pub fn predict(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let means = self.search.map_nearest(queries, |row| {
            let weights = vote::weights(&row, self.nearness(), self.weighting);
            let target = |output| {
                move |near: &Neighbor<P::Scalar>| self.targets[(near.index, output)].to_f64()
            };
            let mean = |output| vote::mean(&weights, row.iter().map(target(output)));
            (0..self.targets.ncols()).map(mean).collect::<Vec<f64>>()
        })?;
        rows(&means, self.targets.ncols())
    }
}

/// Several labels per point, each by the votes of the k nearest neighbours.
///
/// # Definition
/// The share of label ℓ is Σ wᵢ[xᵢ has ℓ] / Σ wᵢ over the neighbours xᵢ; x is given the labels
/// whose share exceeds ½, so a draw means no. [`Weighting`] says what w is.
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
    try_from = "StoredLabels<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub struct KnnMultiLabel<P: Points, K> {
    format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    labels: Vec<Vec<bool>>,
}

/// The same as it is read from a file, before its labels are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"))]
struct StoredLabels<P: Points, K> {
    #[serde(rename = "format")]
    _format: Format,
    search: Search<P, K>,
    weighting: Weighting,
    labels: Vec<Vec<bool>>,
}

impl<P: Points, K: Kernel<P>> TryFrom<StoredLabels<P, K>> for KnnMultiLabel<P, K> {
    type Error = Error;
    fn try_from(stored: StoredLabels<P, K>) -> Result<Self, Error> {
        Self::new(stored.search, stored.weighting, stored.labels)
    }
}

impl<P: Points, K: Kernel<P>> KnnMultiLabel<P, K> {
    pub(super) fn new(
        search: Search<P, K>,
        weighting: Weighting,
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

    /// The kernel.
    pub fn kernel(&self) -> &K {
        self.search.kernel()
    }

    /// The fitted points.
    pub fn points(&self) -> &P {
        self.search.points()
    }

    /// Which labels each of the fitted points has.
    pub fn labels(&self) -> &[Vec<bool>] {
        &self.labels
    }

    /// The search among the fitted points.
    pub fn search(&self) -> &Search<P, K> {
        &self.search
    }

    /// What the score of a neighbour is.
    pub fn nearness(&self) -> Nearness {
        self.search.nearness()
    }

    /// The k nearest neighbours of each query, nearest first.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`](super::KnnClassifier::neighbors).
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.search.map_nearest(queries, |row| row)
    }

    /// Which labels each query is given.
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`](super::KnnClassifier::neighbors).
    pub fn predict(&self, queries: &P) -> Result<Vec<Vec<bool>>, Error> {
        let decide = |(yes, no): (f64, f64)| yes > no;
        self.search.map_nearest(queries, |row| self.votes(&row).map(decide).collect())
    }

    /// The share of each label in the votes: queries × labels, in \[0, 1\].
    ///
    /// # Errors
    /// As [`KnnClassifier::neighbors`](super::KnnClassifier::neighbors).
    pub fn shares(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let share = |(yes, no): (f64, f64)| yes / (yes + no);
        let shares = self
            .search
            .map_nearest(queries, |row| self.votes(&row).map(share).collect::<Vec<f64>>())?;
        rows(&shares, self.labels.first().map_or(0, Vec::len))
    }

    /// For each label the weight of the neighbours that have it, and that of the others.
    fn votes(&self, row: &[Neighbor<P::Scalar>]) -> impl Iterator<Item = (f64, f64)> {
        let weights = vote::weights(row, self.nearness(), self.weighting);
        (0..self.labels.first().map_or(0, Vec::len)).map(move |label| {
            let has = row.iter().map(|near| usize::from(self.labels[near.index][label]));
            let votes = vote::votes(&weights, 2, has);
            (votes[1], votes[0])
        })
    }
}

/// A matrix of these rows.
fn rows<T: Scalar>(rows: &[Vec<f64>], columns: usize) -> Result<Mat<T>, Error> {
    let mut out = kern_gram::zeros(rows.len(), columns)?;
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, &value)| out[(i, j)] = T::from_f64(value));
    }
    Ok(out)
}
