//! The k-nearest-neighbours learner: its settings, and the fit, which checks the points and stores
//! a copy.

use super::neighbour_search::{Extent, Search, SearchAlgorithm, SearchSettings};
use super::neighbours::{Nearest, Neighbors};
use super::ranking_keys::not_finite;
use super::rkhs_distance::Nearness;
use super::vote_of_neighbours::Known;
use super::weight::{WeightFunction, Weighting};
use crate::design::positive;
use crate::{ClassWeights, Data, Error, Learner, Progress, Report, Run, Status, fit_sugar};
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::MemoryBudget;
pub(super) use rule::Rule;
use serde::{Deserialize, Serialize};

/// k nearest neighbours, by similarity or by distance in the feature space of a kernel.
///
/// The targets are [`Labels`](crate::Labels), [`Values`](crate::Values),
/// [`Outputs`](crate::Outputs), [`LabelSets`](crate::LabelSets), or none: `fit(&x, ())`.
///
/// **Weights** of points and classes multiply votes. A point of weight 0 is left out. A point of
/// weight 2 is one of the k neighbours, whereas a repeated point is two of them. So weights are
/// equivalent to repeated points only where the neighbours are the same: with k = n, and for
/// [`RadiusNeighbors`](super::RadiusNeighbors).
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
/// Distances in feature space exist for Mercer kernels only, so any other kernel is a compile
/// error:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Sigmoid};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// KNearest::by_distance(Sigmoid::new(1.0, 0.0)?).neighbors(1).fit(&x, &["a", "b"])?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// unless the user asserts that it is Mercer; by similarity any kernel is accepted:
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
#[doc(alias = "NearestNeighbors")]
#[doc(alias = "KNeighborsClassifier")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KNearest<K, R, W = Weighting> {
    kernel: K,
    neighbors: usize,
    weighting: W,
    by: SearchAlgorithm,
    class_weights: ClassWeights,
    /// Its type determines at compile time what the kernel must be.
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

/// The settings that both learners of neighbours share. Arguments: the learner; the field that
/// limits the neighbours, with its type; and the name and the domain of the hyper-parameter of that
/// field.
macro_rules! neighbor_settings {
    ($learner:ident, $extent:ident: $type:ty, $name:expr, $domain:expr) => {
        impl<K, R> $learner<K, R> {
            fn new(kernel: K, $extent: $type, ranking: R) -> Self {
                let (weighting, by) = (Weighting::Uniform, SearchAlgorithm::Brute);
                $learner {
                    kernel,
                    $extent,
                    weighting,
                    by,
                    class_weights: ClassWeights::Equal,
                    ranking,
                }
            }
        }

        impl<K, W> $learner<K, Distance, W> {
            /// The search algorithm: a [`SearchAlgorithm`], or the parameters of an index, such as
            /// [`VantageTree`](super::VantageTree). Default: [`SearchAlgorithm::Brute`].
            #[must_use]
            pub fn search(mut self, by: impl Into<SearchAlgorithm>) -> Self {
                self.by = by.into();
                self
            }
        }

        impl<K, R, W> $learner<K, R, W> {
            /// The weight of each neighbour: a [`Weighting`], or a user-defined [`WeightFunction`].
            /// Default: [`Weighting::Uniform`].
            #[must_use]
            pub fn weighting<F: WeightFunction>(self, weighting: F) -> $learner<K, R, F> {
                let Self { kernel, $extent, by, class_weights, ranking, .. } = self;
                $learner { kernel, $extent, weighting, by, class_weights, ranking }
            }

            /// The class weights, which multiply those of the points. Default:
            /// [`ClassWeights::Equal`].
            #[must_use]
            pub fn class_weights(mut self, weights: ClassWeights) -> Self {
                self.class_weights = weights;
                self
            }
        }

        kern_core::named_parameters! {
            /// Its own parameters, those of the index (`search.leaf`) and those of the kernel
            /// (`kernel.gamma`).
            [K: Parameters, R: Rule, W: WeightFunction + Clone] $learner<K, R, W> {
                $extent($name, Some($domain)),
                weighting("weighting", None),
                class_weights("class_weights", None),
                by("search", None),
            }
            with kernel under "kernel"
        }
    };
}
pub(super) use neighbor_settings;

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

/// The ranking by similarity: the nearest points have the largest K(x, xᵢ).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Similarity;

/// The ranking by distance in the feature space of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distance;

/// A ranking of the points `P` that the kernel `K` supports: [`Similarity`] for every kernel,
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
    /// The ranking as a value.
    const NEARNESS: Nearness;
}

impl<P: Points, K: Kernel<P>> Ranking<P, K> for Similarity {
    const NEARNESS: Nearness = Nearness::Similarity;
}

impl<P: Points, K: Mercer<P>> Ranking<P, K> for Distance {
    const NEARNESS: Nearness = Nearness::Distance;
}

/// # Errors
/// [`Error::OneClass`] and those of [`ClassWeights`] for labels; [`Error::Count`] unless 1 ≤ k ≤ n,
/// not counting points of weight 0; [`Error::NoMetric`] for an index by similarity; [`Error::Core`]
/// if the kernel rejects the points; [`Error::Gram`] if the memory of the run does not suffice, and
/// by distance if some K(xᵢ, xᵢ) is not finite or a distance might overflow.
///
/// # Complexity
/// A copy of the points, 2n kernel evaluations (4n by distance), and the cost of the index.
impl<P, K, R, W, Y> Learner<P, Y> for KNearest<K, R, W>
where
    P: Points,
    K: Kernel<P> + Clone,
    R: Ranking<P, K>,
    W: WeightFunction + Clone,
    Y: Known,
{
    type Model = Neighbors<P, K, Y, Nearest, W>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let extent = Extent::Neighbors(self.neighbors);
        let settings = SearchSettings { extent, nearness: R::NEARNESS, by: self.by };
        remember(&self.kernel, settings, &self.weighting, &self.class_weights, data, run)
    }
}

/// The search; an error if distances might overflow, so that a fitted model can be queried with
/// each of its points.
///
/// All points are compared with the first point, and with those that are farthest from it and from
/// the origin.
fn search_of<P: Points, K: Kernel<P> + Clone>(
    kernel: &K,
    points: &P,
    settings: SearchSettings,
    budget: &MemoryBudget,
) -> Result<Search<P, K>, Error> {
    let search = Search::of(kernel.clone(), points, settings, budget)?;
    let compared = settings.nearness.compared(kernel);
    let mut extremes: Vec<usize> =
        search.farthest_from_the_origin().into_iter().chain([0]).collect();
    if compared.is_apart() {
        let mut largest = 0.0;
        for i in 0..points.len() {
            let given = compared.kernel().eval(points.item(0), points.item(i)).to_f64();
            // No two points are farther apart than twice the largest distance from the first point.
            if !P::Scalar::from_f64(4.0 * given).is_finite_number() {
                return Err(not_finite(i, 0, 2.0 * given));
            }
            if given.abs() > largest {
                (largest, extremes[1]) = (given.abs(), i);
            }
        }
    }
    extremes.dedup();
    search.compare_all(&points.select(&extremes)?)?;
    Ok(search)
}

/// Fits the model: stores the points of positive weight, with their targets.
pub(super) fn remember<P, K, Y, E, W>(
    kernel: &K,
    settings: SearchSettings,
    weighting: &W,
    class_weights: &ClassWeights,
    data: &Data<'_, P, Y>,
    run: &mut Run<'_>,
) -> Result<Neighbors<P, K, Y, E, W>, Error>
where
    P: Points,
    K: Kernel<P> + Clone,
    Y: Known,
    W: Clone,
{
    let budget = run.budget();
    let weights = data.targets().weigh(class_weights, data.sample_weights())?;
    let (weights, kept) = weights.map(positive).unzip();
    let (search, known) = match kept.flatten() {
        None => {
            let search = search_of(kernel, data.points(), settings, &budget)?;
            (search, data.targets().clone())
        }
        Some(kept) => {
            let search = search_of(kernel, &data.points().select(&kept)?, settings, &budget)?;
            (search, data.targets().select(&kept))
        }
    };
    let flow = run.observe(&Progress::new(1, 1, 0.0));
    let status = if flow.is_break() { Status::Stopped } else { Status::Converged };
    let report = Report::new(status, 1, 0.0, None);
    Ok(Neighbors::new(search, known.keep()?, weights, weighting.clone(), report))
}

/// The sealed trait behind the rankings.
mod rule {
    use super::{Distance, Domain, Similarity};

    /// The threshold of a ranking.
    pub trait Rule {
        /// The name of the threshold as a hyper-parameter.
        const THRESHOLD: &'static str;

        /// The domain of the threshold.
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
