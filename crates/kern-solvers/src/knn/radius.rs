//! Parameters of all neighbours within a threshold.

use super::params::Rule;
use super::settings::neighbor_settings;
use super::{Distance, SearchBy, Similarity, WeightFunction, Weighting};
use crate::{ClassWeights, fit_sugar};
use kern_core::parameters::Parameters;
use serde::{Deserialize, Serialize};

/// All neighbours within a threshold, by similarity or by distance in the feature space of a
/// kernel: r nearest neighbours.
///
/// It learns what [`KNearest`](super::KNearest) learns. A query may have no neighbour at all. Then there is no answer, and a prediction says so: it is
/// `None`, for which `unwrap_or` puts a label or a value of one's choice.
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
/// Weights multiply votes: they are repeated points.
///
/// # References
/// Fix & Hodges (1951), *Discriminatory Analysis*; the answer for outliers follows the
/// `outlier_label` of scikit-learn's `RadiusNeighborsClassifier`, but has a type of its own.
#[doc(alias = "RadiusNeighborsClassifier")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RadiusNeighbors<K, R, W = Weighting> {
    pub(super) kernel: K,
    pub(super) threshold: f64,
    pub(super) weighting: W,
    pub(super) by: SearchBy,
    pub(super) class_weights: ClassWeights,
    /// Says by its type, at compile time, what the kernel has to be.
    ranking: R,
}

impl<K> RadiusNeighbors<K, Similarity> {
    /// The neighbours of x are the xᵢ with K(x, xᵢ) ≥ `threshold`, a finite number.
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
