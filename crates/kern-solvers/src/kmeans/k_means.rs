//! k-means: its settings, and the fit, which is the same in every space.

use super::restarts::Runs;
use super::soft_k_means::Softness;
use crate::estimator::check;
use crate::model::{Clusters, Geometry, SoftClusters};
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar, tolerance};
use kern_core::parameters::Domain;
use kern_core::{Points, settings};
use serde::{Deserialize, Serialize};

/// k-means in the feature space of a kernel, on landmarks or on features.
///
/// # Definition
/// minimise J = Σᵢ wᵢ‖φ(xᵢ) − μ_{z(i)}‖², μ_c = Σ_{z(i)=c} wᵢφ(xᵢ)/W_c, over the clusters z(i) < k, by Lloyd's
/// algorithm or by [batches](KMeans::batch) (see the [module](crate::kmeans)). The weights w are those of the
/// [data](crate::Data): integers repeat a point, and a point of weight 0 has a cluster, but no say in where the centres are.
///
/// # Complexity
/// - **On a kernel**: n²/2 kernel evaluations and n² numbers, if they fit the memory of the run; n·k doubles. The first
///   iteration, every twentieth and the last take n² additions; one that moves M points takes 2nM and n·k comparisons.
///   Without memory for n² numbers, a column of n kernel values is computed for each of the points that are added: the bits
///   are the same. Seeding takes n·k·(2 + ⌊ln k⌋) kernel values. Restarts on a matrix in memory are made side by side.
/// - **On features**, D of them: 2n·k·D flops for distances, as matrix products; n·D for the centres. With bounds, points
///   whose nearest centre cannot have changed are left out (Hamerly 2010). n × D features are stored if they fit the memory,
///   else computed anew in every iteration, but for blocks of points that are left out.
/// - **On landmarks**: their features.
///
/// # Numerics
/// Sums are in double precision. On a kernel a squared distance has the rounding error of K(x, x): subtract a common mean
/// from points with the linear kernel that are far from 0. From features the mean is subtracted. Distances that are nothing
/// but rounding count as 0 in seeding and re-seeding.
///
/// # References
/// Hamerly (2010), *Making k-means even faster*; Wang, Gittens & Mahoney (2019), *Scalable Kernel K-Means Clustering with
/// Nyström Approximation: Relative-Error Bounds*: with Ω(k/ε) landmarks the best clusters are within 1 + ε of the best ones
/// of the kernel.
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
/// There are distances in the feature space of a Mercer kernel only:
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
    /// Rules for the search of hard clusters.
    pub struct Rules in rules;

    KMeans on OnKernel {
        /// Batches of b ≥ 1 points, with centres of at most τ points each: no iteration looks at all n points. Default: none,
        /// which is Lloyd's algorithm.
        ///
        /// # Definition
        /// minimise J = Σᵢ wᵢ min_c ‖φ(xᵢ) − μ_c‖². Each iteration draws b points with probabilities proportional to wᵢ, with
        /// replacement, and gives them to the nearest centres. A centre that got `b_c` of them, of mean m, becomes
        /// (1 − α)μ_c + αm, α = √(b_c/b). It is then a weighted mean of the points that it was given; all but the last τ are
        /// left out, and the weights of these are scaled to add up to 1. (The analysis of Jourdan & Schwartzman leaves the weights as
        /// they are.) The rate is Schwartzman's: with that of Sculley, `b_c` over all points that the centre was ever given, α goes
        /// to 0, and the oldest points, which are left out here, would weigh as much as the last. A cluster that no point is near
        /// stays where it is: it is not re-seeded.
        ///
        /// It ends when the mean of the objectives of the last batches is no longer less than that of as many batches before
        /// ([`patience`](Self::patience)), or after 300 iterations. Then every point is given to its centre. The objective is near
        /// a local minimum, not at one: a centre that is the mean of τ points is off by their variance over τ. For
        /// Lloyd's algorithm to go on from there, start it from the labels.
        ///
        /// # Complexity
        /// n·k·(2 + ⌊ln k⌋) kernel values for the seeds; k·τ·(b + τ) for an iteration; n·k·τ for the labels. k·τ points and
        /// numbers, a batch, and O(n) numbers: there is no Gram matrix. The model has min(k·τ, n) points and a number of each for
        /// every cluster.
        ///
        /// # References
        /// Sculley (2010), *Web-scale k-means clustering*; Schwartzman (2023), *Mini-batch k-means terminates within O(d/ε)
        /// iterations* (the rate α); Jourdan & Schwartzman (2024), *Mini-Batch Kernel k-means* (centres of the last points).
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
        /// The greatest number τ ≥ 1 of points of a centre by batches. Default: 256.
        truncation: usize = 256, Domain::count(1);
        /// The number of batches that are compared with as many before them. Default: 5.
        patience: usize = 5, Domain::count(1);
        /// The decrease of the mean objective of batches, relative to the mean of K(x, x) over them, that is none: a fit by
        /// batches whose last ones are better by no more has converged. Default: 1e-3.
        progress: f64 = tolerance::MINI_BATCH_KMEANS, Domain::non_negative().log();
        /// Gives the report a bound, if wanted, below which no clusters can bring the objective:
        /// Σⱼλⱼ, j > k, over the eigenvalues of W^½KW^½ in descending order. It takes O(n³) on one thread, and two
        /// matrices of n² doubles. Its gap is then the difference. Not of batches. Default: false.
        lower_bound: bool = false;
    }
    KMeans on OnFeatures, OnLandmarks {
        /// Lets bounds on distances save their computation, or not; the clusters are the same. Default: true.
        bounds: bool = true;
    }
}

named_learners! { KMeans: runs, rules; }

constructors! {
    KMeans(k: usize);
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    on_kernel;
    /// k clusters, 1 ≤ k ≤ n, by the features of this map, for as many points as there are: ordinary k-means with
    /// [`Identity`](kern_core::Identity), an approximation of that on a kernel with random Fourier features.
    on_features;
    /// k clusters, 1 ≤ k ≤ n, by the Nyström features of landmarks that these parameters choose.
    on_landmarks;
}

/// A space in which points are clustered. Sealed: its methods take types that cannot be named outside.
pub trait KMeansSpace<P: Points>: Clone + Send + Sync {
    /// The inner products with the centres.
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

/// Points that are to be clustered, and how often.
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
/// [`Error::Count`] for k = 0 or k > n, no restarts, and batches, patience or truncation of 0; [`Error::Core`] for a seed or a
/// label out of bounds, a progress below 0, or points that the kernel or the map refuses; [`Error::Length`] for labels;
/// [`Error::Gram`] if a kernel value is not finite, or the memory of the run is less than n·k doubles and a column on a kernel,
/// k·τ points and a batch by batches, some thirty times k·D doubles and blocks of features on features; [`Error::Approx`]
/// for a map without features.
impl<P: Points, S: KMeansSpace<P>> Learner<P> for KMeans<S> {
    type Model = Clusters<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.rules)?;
        let model = self.space.divide(&Gathered::new(data, &self.runs)?, &self.rules, run)?;
        model.report().check()?;
        Ok(model)
    }
}
