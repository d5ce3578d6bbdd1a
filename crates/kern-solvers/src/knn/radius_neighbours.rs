//! The radius-neighbours learner: the neighbours are all points within a threshold, possibly none.

use super::nearest_neighbours::{Distance, Ranking, Rule, Similarity, neighbor_settings, remember};
use super::neighbour_search::{Extent, SearchAlgorithm, SearchSettings};
use super::neighbours::{Neighbors, Within};
use super::vote_of_neighbours::Known;
use super::weight::{WeightFunction, Weighting};
use crate::{ClassWeights, Data, Error, Learner, Run, fit_sugar};
use kern_core::parameters::Parameters;
use kern_core::{Kernel, Points};
use serde::{Deserialize, Serialize};

/// Radius neighbours: all points within a threshold, by similarity or by distance in the feature
/// space of a kernel.
///
/// The targets are those of [`KNearest`](super::KNearest). A query may have no neighbour; its
/// prediction is then `None`, which `unwrap_or` replaces by a label or a value of choice.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::RadiusNeighbors;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let near = RadiusNeighbors::by_distance(Linear, 1.0);
/// let model = near.fit(&x, &["low", "low", "high"])?;
/// let queries = Samples::from_rows(&[[2.0], [5.5], [3.0]])?;
/// assert_eq!(model.predict(&queries)?, [Some("low"), Some("high"), None]);
/// // The products with 2 are 0, 2 and 10.
/// let similar = RadiusNeighbors::by_similarity(Linear, 2.0).fit(&x, &[1.0_f64, 2.0, 4.0])?;
/// assert_eq!(similar.predict(&queries)?[0], Some(3.0));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
///
/// Weights multiply votes, which is equivalent to repeated points.
///
/// # References
/// Fix & Hodges (1951), *Discriminatory Analysis*; the prediction for outliers follows the
/// `outlier_label` of scikit-learn's `RadiusNeighborsClassifier`, but has its own type.
#[doc(alias = "RadiusNeighborsClassifier")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RadiusNeighbors<K, R, W = Weighting> {
    kernel: K,
    threshold: f64,
    weighting: W,
    by: SearchAlgorithm,
    class_weights: ClassWeights,
    /// Its type determines at compile time what the kernel must be.
    ranking: R,
}

impl<K> RadiusNeighbors<K, Similarity> {
    /// The neighbours of x are the xᵢ with K(x, xᵢ) ≥ `threshold`, which is finite.
    pub fn by_similarity(kernel: K, threshold: f64) -> Self {
        Self::new(kernel, threshold, Similarity)
    }
}

impl<K> RadiusNeighbors<K, Distance> {
    /// The neighbours of x are the xᵢ with an RKHS distance d(x, xᵢ) ≤ `radius`, which is finite
    /// and ≥ 0.
    pub fn by_distance(kernel: K, radius: f64) -> Self {
        Self::new(kernel, radius, Distance)
    }
}

neighbor_settings!(RadiusNeighbors, threshold: f64, R::THRESHOLD, R::THRESHOLDS);

impl<K, R, W> RadiusNeighbors<K, R, W> {
    fit_sugar!(supervised);
}

/// # Errors
/// As [`KNearest`](super::KNearest), except for k; [`Error::Core`] unless the threshold is finite
/// and a radius ≥ 0.
impl<P, K, R, W, Y> Learner<P, Y> for RadiusNeighbors<K, R, W>
where
    P: Points,
    K: Kernel<P> + Clone,
    R: Ranking<P, K>,
    W: WeightFunction + Clone,
    Y: Known,
{
    type Model = Neighbors<P, K, Y, Within, W>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let extent = Extent::Threshold(self.threshold);
        let settings = SearchSettings { extent, nearness: R::NEARNESS, by: self.by };
        remember(&self.kernel, settings, &self.weighting, &self.class_weights, data, run)
    }
}
