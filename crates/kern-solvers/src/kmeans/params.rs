//! Parameters of k-means.

use super::soft_k_means::SoftKMeans;
use crate::estimator::check;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use crate::{Error, fit_sugar, tolerance};
use kern_core::parameters::Domain;
use kern_core::{fields, named_values, settings};
use serde::{Deserialize, Serialize};

/// The points, or the clusters, that k-means starts from. Indices and labels are those of data of one size, and have no
/// meaning for a part of it.
///
/// # References
/// Arthur & Vassilvitskii (2007), *k-means++: The Advantages of Careful Seeding*, section 2, and section 7 for
/// several trials.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::kmeans::{KMeans, Seeding};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let seeded = KMeans::on_kernel(Linear, 2).seeding(Seeding::Given(vec![3, 2])).fit(&x)?;
/// assert_eq!(seeded.labels(), [1, 1, 0, 0]);
/// let labelled = KMeans::on_kernel(Linear, 2).seeding(Seeding::Labels(vec![0, 1, 1, 1])).fit(&x)?;
/// assert_eq!(labelled.labels(), [0, 0, 1, 1]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Seeding {
    /// k-means++: each seed is drawn with probability proportional to wᵢ times the squared distance from the
    /// seeds before it, and the best of several draws is taken.
    #[default]
    PlusPlus,
    /// Different points, drawn with equal probability among those of positive weight.
    Random,
    /// The points with these indices, one per cluster.
    Given(Vec<usize>),
    /// The clusters with these numbers below k, one per point: no seeds.
    Labels(Vec<usize>),
}

named_values!(@value Seeding {
    "plus_plus" => PlusPlus,
    "random" => Random,
    "given" => Given(Vec::new()),
    "labels" => Labels(Vec::new()),
});

// Seeds that are given have no names.
fields!(Seeding {
    Self::Given(_) | Self::Labels(_) => {}
    drawn => { "seeding": drawn in Domain::Choice(&["plus_plus", "random"]) }
});

settings! {
    /// The number of clusters, the start and the end of runs: the same for all ways of k-means.
    pub(super) struct Runs in runs;

    KMeans, SoftKMeans {
        /// The number k of clusters, 1 ≤ k ≤ n.
        clusters: usize = 1, Domain::count(1);
        /// The start. Default: [`Seeding::PlusPlus`](crate::kmeans::Seeding::PlusPlus).
        seeding: Seeding = Seeding::PlusPlus;
        /// Draws of each seed of k-means++, of which the one that leaves the least cost is taken. With 1 the
        /// expected cost of the seeds is at most 8(ln k + 2) times the optimum (Arthur & Vassilvitskii,
        /// theorem 1.1); more are better in practice. At least 1 and at most 1024. Default: 2 + ⌊ln k⌋.
        trials: usize, Domain::count_to(1, 1024);
        /// Runs with seeds of their own, of which the one with the least objective is kept, the first of equals.
        /// A start that is given is run once. Default: 1.
        restarts: usize = 1, Domain::count(1);
        /// The seed of all random choices. Default: 0.
        seed: u64 = 0;
        /// The greatest number of iterations of a run. A run that needs more says so:
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 300.
        max_iterations: usize = tolerance::KMEANS_ITERATIONS;
    }
}

impl Runs {
    pub(super) fn new(clusters: usize) -> Self {
        Self { clusters, ..Self::default() }
    }

    /// Refuses what n points cannot be asked for.
    pub(super) fn check(&self, n: usize) -> Result<(), Error> {
        if self.clusters == 0 || self.clusters > n {
            let allowed = "at least 1 and at most the number of points";
            return Err(Error::Count { name: "k", given: self.clusters, allowed });
        }
        check(self)?;
        match &self.seeding {
            Seeding::PlusPlus | Seeding::Random => Ok(()),
            Seeding::Given(seeds) if seeds.len() != self.clusters => {
                let allowed = "as many as there are clusters";
                Err(Error::Count { name: "the number of seeds", given: seeds.len(), allowed })
            }
            Seeding::Given(seeds) => check_below(seeds, n),
            Seeding::Labels(labels) => {
                kern_approx::statistics::check_length("initial labels", n, labels.len())?;
                check_below(labels, self.clusters)
            }
        }
    }

    /// Draws of each seed of k-means++.
    pub(super) fn draws(&self) -> usize {
        // 2 + ⌊ln k⌋, as in scikit-learn.
        self.trials.unwrap_or_else(|| 2 + (self.clusters as f64).ln() as usize)
    }

    /// Iterations of all runs, at most.
    pub(super) const fn most(&self) -> usize {
        self.count().saturating_mul(self.max_iterations)
    }

    /// Runs that may differ: a given start is run once.
    pub(super) const fn count(&self) -> usize {
        match self.seeding {
            Seeding::PlusPlus | Seeding::Random => self.restarts,
            Seeding::Given(_) | Seeding::Labels(_) => 1,
        }
    }
}

fn check_below(indices: &[usize], len: usize) -> Result<(), Error> {
    match indices.iter().find(|&&i| i >= len) {
        Some(&given) => Err(kern_core::Error::Index { given, len }.into()),
        None => Ok(()),
    }
}

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
    pub(super) space: S,
    pub(super) runs: Runs,
    pub(super) rules: Rules,
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
