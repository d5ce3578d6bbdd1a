//! Parameters of k nearest neighbours.

use super::settings::neighbor_settings;
use super::{Nearness, SearchBy, WeightFunction, Weighting};
use crate::{ClassWeights, fit_sugar};
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Kernel, Mercer, Points};
pub(super) use rule::Rule;
use serde::{Deserialize, Serialize};

/// k nearest neighbours, by similarity or by distance in the feature space of a kernel.
///
/// It learns [`Labels`](crate::Labels), [`Values`](crate::Values), [`Outputs`](crate::Outputs),
/// [`LabelSets`](crate::LabelSets), and points alone: `fit(&x, ())`.
///
/// **Weights** of points and classes multiply votes. A point of weight 0 is left out, as if it were not there; but one of
/// weight 2 is one of the k neighbours, where a point that is there twice is two of them. So weights are repeated points
/// among the same neighbours: of all n, and of [`RadiusNeighbors`](super::RadiusNeighbors).
///
/// # Examples
/// The two rankings differ where K(x, x) does: with the linear kernel on R, the query 1 is more
/// similar to 3 than to 1, but nearer to 1.
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[1.0], [3.0]])?;
/// let query = Samples::from_rows(&[[1.0]])?;
/// let similar = KNearest::by_similarity(Linear).neighbors(1).fit(&x, &["one", "three"])?;
/// let near = KNearest::by_distance(Linear).neighbors(1).fit(&x, &["one", "three"])?;
/// assert_eq!(similar.predict(&query)?, ["three"]);
/// assert_eq!(near.predict(&query)?, ["one"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// There are distances in the feature space of a Mercer kernel only, so any other is refused at
/// compile time:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Sigmoid};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// KNearest::by_distance(Sigmoid::new(1.0, 0.0)?).neighbors(1).fit(&x, &["a", "b"])?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// unless its user answers for it; by similarity every kernel will do:
/// ```
/// use kern_core::{Samples, closure::AssumeMercer, kernels::Sigmoid};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// let kernel = Sigmoid::new(1.0, 0.0)?;
/// assert!(KNearest::by_similarity(kernel).neighbors(1).fit(&x, &["a", "b"]).is_ok());
/// let kernel = AssumeMercer(kernel);
/// assert!(KNearest::by_distance(kernel).neighbors(1).fit(&x, &["a", "b"]).is_ok());
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "kNN")]
#[doc(alias = "k-nearest neighbors")]
#[doc(alias = "KNeighborsClassifier")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KNearest<K, R, W = Weighting> {
    pub(super) kernel: K,
    pub(super) neighbors: usize,
    pub(super) weighting: W,
    pub(super) by: SearchBy,
    pub(super) class_weights: ClassWeights,
    /// Says by its type, at compile time, what the kernel has to be.
    ranking: R,
}

impl<K> KNearest<K, Similarity> {
    /// The neighbours of x are the xᵢ of largest K(x, xᵢ).
    pub fn by_similarity(kernel: K) -> Self {
        Self::new(kernel, 5, Similarity)
    }
}

impl<K> KNearest<K, Distance> {
    /// The neighbours of x are the xᵢ of smallest K(x, x) + K(xᵢ, xᵢ) − 2K(x, xᵢ).
    pub fn by_distance(kernel: K) -> Self {
        Self::new(kernel, 5, Distance)
    }
}

neighbor_settings!(KNearest, neighbors: usize, "neighbors", const { &Domain::count(1) });

impl<K, R, W> KNearest<K, R, W> {
    /// The number k of neighbours, 1 ≤ k ≤ n; points of weight 0 do not count in n. Default: 5.
    #[must_use]
    pub fn neighbors(mut self, k: usize) -> Self {
        self.neighbors = k;
        self
    }

    fit_sugar!(supervised);
}

/// Near is what the kernel calls similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Similarity;

/// Near is what lies close by in the feature space of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distance;

/// A ranking that the kernel `K` gives to the points `P`: [`Similarity`] for every kernel,
/// [`Distance`] for a Mercer kernel. Sealed.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::{Rbf, Sigmoid}};
/// use kern_solvers::knn::{Distance, Ranking, Similarity};
/// fn ranks<R: Ranking<Samples<f64>, K>, K: kern_core::Kernel<Samples<f64>>>() {}
/// ranks::<Similarity, Sigmoid>();
/// ranks::<Similarity, Rbf>();
/// ranks::<Distance, Rbf>();
/// ```
pub trait Ranking<P: Points, K: Kernel<P>>: Rule + Copy + Send + Sync {
    /// The same as a value.
    const NEARNESS: Nearness;
}

impl<P: Points, K: Kernel<P>> Ranking<P, K> for Similarity {
    const NEARNESS: Nearness = Nearness::Similarity;
}

impl<P: Points, K: Mercer<P>> Ranking<P, K> for Distance {
    const NEARNESS: Nearness = Nearness::Distance;
}

/// A trait that nobody else can implement.
mod rule {
    use super::{Distance, Domain, Similarity};

    /// A rule by which neighbours are near.
    pub trait Rule {
        /// The name of the hyper-parameter that says how near all neighbours are.
        const THRESHOLD: &'static str;

        /// Its values.
        const THRESHOLDS: &'static Domain;
    }

    impl Rule for Similarity {
        const THRESHOLD: &'static str = "threshold";
        const THRESHOLDS: &'static Domain = &Domain::finite();
    }

    impl Rule for Distance {
        const THRESHOLD: &'static str = "radius";
        const THRESHOLDS: &'static Domain = &Domain::non_negative();
    }
}
