//! Parameters of k-means.

use crate::weights::check_weights;
use crate::{Error, tolerance};
use kern_gram::MemoryBudget;

/// Which points, or which clusters, Lloyd's algorithm starts from.
///
/// # References
/// Arthur & Vassilvitskii (2007), *k-means++: The Advantages of Careful Seeding*, section 2, and section 7 for
/// several trials.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::kmeans::{KernelKMeans, Seeding};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let seeded = KernelKMeans::new(Linear, 2).seeding(Seeding::Given(vec![3, 2])).fit(&x)?;
/// assert_eq!(seeded.labels(), [1, 1, 0, 0]);
/// let labelled = KernelKMeans::new(Linear, 2).seeding(Seeding::Labels(vec![0, 1, 1, 1])).fit(&x)?;
/// assert_eq!(labelled.labels(), [0, 0, 1, 1]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// What all ways of k-means have to be told.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) k: usize,
    pub(super) seeding: Seeding,
    pub(super) trials: Option<usize>,
    pub(super) restarts: usize,
    pub(super) seed: u64,
    pub(super) max_iterations: usize,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) budget: Option<MemoryBudget>,
}

impl Settings {
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            seeding: Seeding::PlusPlus,
            trials: None,
            restarts: 1,
            seed: 0,
            max_iterations: tolerance::KMEANS_ITERATIONS,
            weights: None,
            budget: None,
        }
    }

    /// Refuses what n points cannot be asked for.
    pub(super) fn check(&self, n: usize) -> Result<(), Error> {
        if n == 0 {
            return Err(Error::Empty);
        }
        if self.k == 0 || self.k > n {
            let allowed = "at least 1 and at most the number of points";
            return Err(Error::Count { name: "k", given: self.k, allowed });
        }
        for (name, given) in [("restarts", self.restarts), ("trials", self.trials.unwrap_or(1))] {
            if given == 0 {
                return Err(Error::Count { name, given, allowed: "at least 1" });
            }
        }
        self.weights.as_deref().map_or(Ok(()), |weights| check_weights(n, weights))?;
        match &self.seeding {
            Seeding::PlusPlus | Seeding::Random => Ok(()),
            Seeding::Given(seeds) if seeds.len() != self.k => {
                let allowed = "as many as there are clusters";
                Err(Error::Count { name: "the number of seeds", given: seeds.len(), allowed })
            }
            Seeding::Given(seeds) => check_below(seeds, n),
            Seeding::Labels(labels) => {
                crate::labels::check_length("initial labels", n, labels.len())?;
                check_below(labels, self.k)
            }
        }
    }

    /// Draws of each seed of k-means++.
    pub(super) fn draws(&self) -> usize {
        // 2 + ⌊ln k⌋, as in scikit-learn.
        self.trials.unwrap_or_else(|| 2 + (self.k as f64).ln() as usize)
    }

    /// Runs that may differ: a given start is run once.
    pub(super) fn runs(&self) -> usize {
        match self.seeding {
            Seeding::PlusPlus | Seeding::Random => self.restarts,
            Seeding::Given(_) | Seeding::Labels(_) => 1,
        }
    }

    /// The weight of each point.
    pub(super) fn weights(&self, n: usize) -> Vec<f64> {
        self.weights.clone().unwrap_or_else(|| vec![1.0; n])
    }
}

fn check_below(indices: &[usize], len: usize) -> Result<(), Error> {
    match indices.iter().find(|&&i| i >= len) {
        Some(&given) => Err(kern_core::Error::Index { given, len }.into()),
        None => Ok(()),
    }
}

/// The setters that all ways of k-means share.
macro_rules! shared_setters {
    () => {
        /// Where to start from. Default: [`Seeding::PlusPlus`](crate::kmeans::Seeding::PlusPlus).
        #[must_use]
        pub fn seeding(mut self, seeding: crate::kmeans::Seeding) -> Self {
            self.settings.seeding = seeding;
            self
        }

        /// Draws of each seed of k-means++, of which the one that leaves the least cost is taken. With 1 the
        /// expected cost of the seeds is at most 8(ln k + 2) times the optimum (Arthur & Vassilvitskii,
        /// theorem 1.1); more are better in practice. Default: 2 + ⌊ln k⌋.
        #[must_use]
        pub fn trials(mut self, trials: usize) -> Self {
            self.settings.trials = Some(trials);
            self
        }

        /// Runs with seeds of their own, of which the one with the least objective is kept, the first of equals.
        /// A start that is given is run once. Default: 1.
        #[must_use]
        pub fn restarts(mut self, restarts: usize) -> Self {
            self.settings.restarts = restarts;
            self
        }

        /// The seed of all random choices. Default: 0.
        #[must_use]
        pub fn seed(mut self, seed: u64) -> Self {
            self.settings.seed = seed;
            self
        }

        /// The greatest number of iterations of a run. A run that needs more says so:
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 300.
        #[must_use]
        pub fn max_iterations(mut self, max_iterations: usize) -> Self {
            self.settings.max_iterations = max_iterations;
            self
        }

        /// The weights wᵢ of the points: integers repeat a point, and a point of weight 0 has a cluster, but no
        /// say in where the centres are. Default: 1 for all.
        #[must_use]
        pub fn sample_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
            self.settings.weights = Some(weights.into());
            self
        }

        /// The memory for what takes more than O(n). Default:
        /// [`MemoryBudget::available`](kern_gram::MemoryBudget::available) at the time of the fit.
        #[must_use]
        pub fn budget(mut self, budget: kern_gram::MemoryBudget) -> Self {
            self.settings.budget = Some(budget);
            self
        }
    };
}

pub(super) use shared_setters;

/// k-means in the feature space of a kernel.
///
/// # Definition
/// minimise J = Σᵢ wᵢ‖φ(xᵢ) − μ_{z(i)}‖², μ_c = Σ_{z(i)=c} wᵢφ(xᵢ)/W_c, over the clusters z(i) < k, by Lloyd's
/// algorithm (see the [module](crate::kmeans)).
///
/// # Complexity
/// n²/2 kernel evaluations and n² numbers, if they fit the budget; n·k doubles. The first iteration, every
/// twentieth and the last take n² additions; one that moves M points takes 2nM and n·k comparisons. Without
/// memory for n² numbers, a column of n kernel values is computed for each of the points that are added:
/// the bits are the same. Seeding takes n·k·(2 + ⌊ln k⌋) kernel values. Restarts on a matrix in memory are made side by side.
///
/// # Numerics
/// Sums are in double precision. A squared distance has the rounding error of K(x, x): subtract a common mean from
/// points with the linear kernel that are far from 0. Distances that are not above 512 round-offs of K(x, x) count
/// as 0 in seeding and re-seeding.
///
/// # Examples
/// Rings, which no straight line separates:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, kmeans::KernelKMeans};
/// let ring = |radius: f64| (0..12).map(move |i| f64::from(i).sin_cos()).map(move |(s, c)| [radius * c, radius * s]);
/// let rows: Vec<[f64; 2]> = ring(0.2).chain(ring(3.0)).collect();
/// let x = Samples::from_rows(&rows)?;
/// let model = KernelKMeans::new(Rbf::new(0.3)?, 2).restarts(5).fit(&x)?;
/// assert_eq!(model.report().status, Status::Converged);
/// let near = Samples::from_rows(&[[0.1, 0.0], [0.0, -0.1]])?;
/// assert_eq!(model.assign(&near)?, [model.labels()[0]; 2]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// There are distances in the feature space of a Mercer kernel only:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Sigmoid};
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// kern_solvers::kmeans::KernelKMeans::new(Sigmoid::new(1.0, 0.0)?, 2).fit(&x)?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelKMeans<K> {
    pub(super) kernel: K,
    pub(super) settings: Settings,
    pub(super) lower_bound: bool,
}

impl<K> KernelKMeans<K> {
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    pub fn new(kernel: K, k: usize) -> Self {
        Self { kernel, settings: Settings::new(k), lower_bound: false }
    }

    shared_setters!();

    /// Whether the report has a bound below which no clusters can bring the objective:
    /// Σⱼλⱼ, j > k, over the eigenvalues of W^½KW^½ in descending order. It takes O(n³) on one thread, and two
    /// matrices of n² doubles. Default: false.
    #[must_use]
    pub fn lower_bound(mut self, wanted: bool) -> Self {
        self.lower_bound = wanted;
        self
    }
}
