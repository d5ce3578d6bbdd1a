//! The k-means learner: its settings, and the fit, which is the same in every space.

use super::restarts::Runs;
use super::soft_k_means::Softness;
use crate::estimator::check;
use crate::model::{Clusters, Geometry, SoftClusters};
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar};
use kern_core::parameters::Domain;
use kern_core::{Points, settings};
use serde::{Deserialize, Serialize};

/// Default decrease of the objective of batches, relative to the mean of K(x, x), that ends k-means by batches: below the
/// noise of some thousand squared distances.
const MINI_BATCH_KMEANS: f64 = 1e-3;

/// k-means in the feature space of a kernel, on landmarks or on features.
///
/// # Definition
/// minimise J = Σᵢ wᵢ‖φ(xᵢ) − μ_{z(i)}‖², μ_c = Σ_{z(i)=c} wᵢφ(xᵢ)/W_c, over the clusters z(i) < k,
/// by Lloyd's algorithm or by [batches](KMeans::batch) (see the [module](crate::kmeans)). The
/// weights w are those of the [data](crate::Data): an integer weight repeats a point, and a point
/// of weight 0 is assigned to a cluster, but has no influence on the centres.
///
/// # Complexity
/// - **On a kernel**: n²/2 kernel evaluations and n² stored values, if they fit the memory of the
///   run, and n·k doubles. The first iteration, every twentieth and the last take n² additions; one
///   that moves M points takes 2nM additions and n·k comparisons. Without memory for n² values, a
///   column of n kernel values is computed for each point that is added; the result has the same
///   bits. Seeding takes n·k·(2 + ⌊ln k⌋) kernel values. Restarts on a matrix in memory run in
///   parallel.
/// - **On D features**: 2n·k·D flops for distances, as matrix products, and n·D for the centres.
///   Hamerly's bounds (2010) skip points whose nearest centre cannot have changed. The n × D
///   features are stored if they fit the memory, and otherwise recomputed in every iteration,
///   except for blocks of points that are all skipped.
/// - **On landmarks**: as on features, those of the landmarks.
///
/// # Numerics
/// Sums are in double precision. On a kernel, a squared distance has the rounding error of K(x, x):
/// with the linear kernel on points far from 0, subtract a common mean first. Features are centred
/// by the fit. Distances that are within rounding error of 0 count as 0 in seeding and re-seeding.
///
/// # References
/// Hamerly (2010), *Making k-means even faster*; Wang, Gittens & Mahoney (2019), *Scalable Kernel
/// K-Means Clustering with Nyström Approximation: Relative-Error Bounds*: with Ω(k/ε) landmarks,
/// the optimal clusters cost at most 1 + ε times the optimum with the kernel.
///
/// # Examples
/// Rings, which no straight line separates:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, kmeans::KMeans};
/// let ring = |radius: f64| (0..12).map(move |i| f64::from(i).sin_cos()).map(move |(s, c)| [radius * c, radius * s]);
/// let rows: Vec<[f64; 2]> = ring(0.2).chain(ring(3.0)).collect();
/// let x = Samples::from_rows(&rows)?;
/// let model = KMeans::on_kernel(Rbf::new(0.3)?, 2).restarts(5).fit(&x)?;
/// assert_eq!(model.report().status, Status::Converged);
/// let near = Samples::from_rows(&[[0.1, 0.0], [0.0, -0.1]])?;
/// assert_eq!(model.predict(&near)?, [model.labels()[0]; 2]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// Ordinary k-means:
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::kmeans::KMeans;
/// let x = Samples::from_rows(&[[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]])?;
/// let model = KMeans::on_features(Identity::new(2), 2).fit(&x)?;
/// assert!((model.report().objective - 1.0).abs() < 1e-12);
/// let query = Samples::from_rows(&[[4.0, 4.0]])?;
/// assert_eq!(model.predict(&query)?, [model.labels()[2]]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// Distances in feature space exist for Mercer kernels only:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Sigmoid};
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// kern_solvers::kmeans::KMeans::on_kernel(Sigmoid::new(1.0, 0.0)?, 2).fit(&x)?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "k-means")]
#[doc(alias = "Lloyd")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeans<S> {
    space: S,
    pub(super) runs: Runs,
    rules: Rules,
}

impl<S> KMeans<S> {
    /// k clusters, 1 ≤ k ≤ n, in this space.
    pub fn on(space: S, k: usize) -> Self {
        Self { space, runs: Runs::new(k), rules: Rules::default() }
    }

    fit_sugar!(unsupervised);
}

settings! {
    /// Settings of hard k-means.
    pub struct Rules in rules;

    KMeans on OnKernel {
        /// Mini-batches of b ≥ 1 points, with centres of at most τ points each, so that no
        /// iteration visits all n points. Default: not set, which is Lloyd's algorithm.
        ///
        /// # Definition
        /// minimise J = Σᵢ wᵢ min_c ‖φ(xᵢ) − μ_c‖². Each iteration draws b points with
        /// probabilities proportional to wᵢ, with replacement, and assigns them to the nearest
        /// centres. A centre that receives `b_c` points, with mean m, becomes (1 − α)μ_c + αm with
        /// α = √(b_c/b). It is then a weighted mean of the points assigned to it; all but the last
        /// τ are dropped, and the weights of these are rescaled to sum to 1. (The analysis of
        /// Jourdan & Schwartzman does not rescale them.) The rate α is Schwartzman's. With
        /// Sculley's, the ratio of `b_c` to all points ever assigned to the centre, α tends to 0,
        /// and the oldest points, which are dropped here, would weigh as much as the last. A
        /// cluster that no point is near is not re-seeded: its centre stays where it is.
        ///
        /// The fit ends when the mean objective of the last batches is no longer smaller than that
        /// of the same number of batches before ([`patience`](Self::patience)), or after 300
        /// iterations. Then every point is assigned to its nearest centre. The objective is near a
        /// local minimum, not at one: a centre that is the mean of τ points has a mean squared
        /// error of their variance over τ. To continue with Lloyd's algorithm from there, start it
        /// from the labels.
        ///
        /// # Complexity
        /// n·k·(2 + ⌊ln k⌋) kernel values for the seeds, k·τ·(b + τ) for an iteration, n·k·τ for
        /// the labels. Memory: k·τ points and coefficients, one batch, and O(n) values; there is no
        /// Gram matrix. The model has min(k·τ, n) points, with a coefficient of each for every
        /// cluster.
        ///
        /// # References
        /// Sculley (2010), *Web-scale k-means clustering*; Schwartzman (2023), *Mini-batch k-means
        /// terminates within O(d/ε) iterations* (the rate α); Jourdan & Schwartzman (2024),
        /// *Mini-Batch Kernel k-means* (centres of the last points).
        ///
        /// # Examples
        /// ```
        /// use kern_core::{Points, Samples, kernels::Rbf};
        /// use kern_solvers::kmeans::KMeans;
        /// let ring = |radius: f64| (0..50).map(move |i| f64::from(i).sin_cos()).map(move |(s, c)| [radius * c, radius * s]);
        /// let rows: Vec<[f64; 2]> = ring(0.2).chain(ring(3.0)).collect();
        /// let x = Samples::from_rows(&rows)?;
        /// let model = KMeans::on_kernel(Rbf::new(0.3)?, 2).batch(40).truncation(40).restarts(5).fit(&x)?;
        /// assert!(model.labels()[..50].iter().all(|&label| label == model.labels()[0]));
        /// assert!(model.labels()[50..].iter().all(|&label| label != model.labels()[0]));
        /// assert!(model.decision().points().len() <= 2 * 40);
        /// # Ok::<(), kern_solvers::Error>(())
        /// ```
        batch: usize, Domain::count(1);
        /// The largest number τ ≥ 1 of points of a centre with mini-batches. Default: 256.
        truncation: usize = 256, Domain::count(1);
        /// The number of batches whose mean objective is compared with that of as many batches
        /// before. Default: 5.
        patience: usize = 5, Domain::count(1);
        /// The decrease of the mean objective of mini-batches, relative to the mean of K(x, x) over
        /// them, at or below which the fit has converged. Default: 1e-3.
        progress: f64 = MINI_BATCH_KMEANS, Domain::non_negative().log();
        /// Adds a lower bound of the objective of any k clusters to the report: Σⱼλⱼ, j > k, over
        /// the eigenvalues of W^½KW^½ in descending order. It takes O(n³) on one thread, and two
        /// matrices of n² doubles. The gap of the report is then the difference. Not available with
        /// mini-batches. Default: false.
        lower_bound: bool = false;
    }
    KMeans on OnFeatures, OnLandmarks {
        /// Uses Hamerly's bounds to skip distances; the clusters are the same without. Default:
        /// true.
        bounds: bool = true;
    }
}

named_learners! { KMeans: runs, rules; }

constructors! {
    KMeans(k: usize);
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    on_kernel;
    /// k clusters, 1 ≤ k ≤ n, on the features of this map, for any number of points: ordinary
    /// k-means with [`Identity`](kern_core::Identity), an approximation of kernel k-means with
    /// random Fourier features.
    on_features;
    /// k clusters, 1 ≤ k ≤ n, on the Nyström features of landmarks chosen by these parameters.
    on_landmarks;
}

/// A space in which points are clustered: a kernel, landmarks or features. Sealed: its methods take
/// private types.
pub trait KMeansSpace<P: Points>: Clone + Send + Sync {
    /// Inner products with the centres.
    type Function: Geometry<P>;

    #[doc(hidden)]
    fn divide(
        &self,
        given: &Gathered<'_, P>,
        rules: &Rules,
        run: &mut Run<'_>,
    ) -> Result<Clusters<Self::Function>, Error>;

    #[doc(hidden)]
    fn share(
        &self,
        given: &Gathered<'_, P>,
        softness: Softness,
        run: &mut Run<'_>,
    ) -> Result<SoftClusters<Self::Function>, Error>;
}

/// The points to be clustered, their weights, and the settings of the runs.
#[derive(Debug)]
pub struct Gathered<'g, P> {
    pub(super) points: &'g P,
    pub(super) weights: Vec<f64>,
    pub(super) runs: &'g Runs,
}

impl<'g, P: Points> Gathered<'g, P> {
    pub(super) fn new(data: &'g Data<'_, P>, runs: &'g Runs) -> Result<Self, Error> {
        runs.check(data.len())?;
        let weights = (0..data.len()).map(|i| data.weight(i)).collect();
        Ok(Self { points: data.points(), weights, runs })
    }
}

/// # Errors
/// [`Error::Count`] for k = 0 or k > n, no restarts, and batches, patience or truncation of 0;
/// [`Error::Core`] for a seed or a label out of bounds, a progress below 0, or points that the
/// kernel or the map rejects; [`Error::Length`] for labels of another number; [`Error::Gram`] if a
/// kernel value is not finite, or the memory of the run is too small: on a kernel it must hold n·k
/// doubles and a column, with mini-batches k·τ points and a batch, on features about thirty times
/// k·D doubles and blocks of features; [`Error::Approx`] for a map without features.
impl<P: Points, S: KMeansSpace<P>> Learner<P> for KMeans<S> {
    type Model = Clusters<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.rules)?;
        let model = self.space.divide(&Gathered::new(data, &self.runs)?, &self.rules, run)?;
        model.report().check()?;
        Ok(model)
    }
}
