//! Parameters of k-means by batches.

use crate::kmeans::params::{Settings, shared_setters};
use crate::{Error, tolerance};
use kern_core::NonNegative;

/// What k-means by batches has to be told beside what all ways of k-means have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    pub(super) batch_size: usize,
    pub(super) truncation: usize,
    pub(super) patience: usize,
    pub(super) tolerance: f64,
}

impl Rules {
    pub(super) fn check(&self) -> Result<(), Error> {
        let counts = [
            ("batch_size", self.batch_size),
            ("truncation", self.truncation),
            ("patience", self.patience),
        ];
        match counts.into_iter().find(|&(_, given)| given == 0) {
            Some((name, given)) => Err(Error::Count { name, given, allowed: "at least 1" }),
            None => Ok(NonNegative::new("tolerance", self.tolerance).map(|_| ())?),
        }
    }
}

/// k-means in the feature space of a kernel by batches of b points, with centres of at most τ points each: no
/// iteration looks at all n points.
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
/// [`KernelKMeans`](crate::kmeans::KernelKMeans) to go on from there, start it from the labels.
///
/// # Complexity
/// n·k·(2 + ⌊ln k⌋) kernel values for the seeds; k·τ·(b + τ) for an iteration; n·k·τ for the labels. k·τ points and
/// numbers, a batch, and O(n) numbers: there is no Gram matrix.
///
/// # Numerics
/// Inner products are in the precision of the points.
///
/// # References
/// Sculley (2010), *Web-scale k-means clustering*; Schwartzman (2023), *Mini-batch k-means terminates within O(d/ε)
/// iterations* (the rate α); Jourdan & Schwartzman (2024), *Mini-Batch Kernel k-means* (centres of the last points).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::kmeans::MiniBatchKernelKMeans;
/// let ring = |radius: f64| (0..50).map(move |i| f64::from(i).sin_cos()).map(move |(s, c)| [radius * c, radius * s]);
/// let rows: Vec<[f64; 2]> = ring(0.2).chain(ring(3.0)).collect();
/// let x = Samples::from_rows(&rows)?;
/// let machine = MiniBatchKernelKMeans::new(Rbf::new(0.3)?, 2).batch_size(40).truncation(80).restarts(5);
/// let model = machine.fit(&x)?;
/// assert!(model.labels()[..50].iter().all(|&label| label == model.labels()[0]));
/// assert!(model.labels()[50..].iter().all(|&label| label != model.labels()[0]));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MiniBatchKernelKMeans<K> {
    pub(super) kernel: K,
    pub(super) settings: Settings,
    pub(super) rules: Rules,
}

impl<K> MiniBatchKernelKMeans<K> {
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    pub fn new(kernel: K, k: usize) -> Self {
        let rules = Rules {
            batch_size: 1024,
            truncation: 256,
            patience: 5,
            tolerance: tolerance::MINI_BATCH_KMEANS,
        };
        Self { kernel, settings: Settings::new(k), rules }
    }

    shared_setters!();

    /// The number b ≥ 1 of points of a batch. Default: 1024.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.rules.batch_size = batch_size;
        self
    }

    /// The greatest number τ ≥ 1 of points of a centre. Default: 256.
    #[must_use]
    pub fn truncation(mut self, truncation: usize) -> Self {
        self.rules.truncation = truncation;
        self
    }

    /// How many batches are compared with as many before them. Default: 5.
    #[must_use]
    pub fn patience(mut self, patience: usize) -> Self {
        self.rules.patience = patience;
        self
    }

    /// A fit has converged if the mean objective of the last batches is less than that of the batches before by no
    /// more than this part of the mean of K(x, x) over them all. Default: 1e-3.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.rules.tolerance = tolerance;
        self
    }
}
