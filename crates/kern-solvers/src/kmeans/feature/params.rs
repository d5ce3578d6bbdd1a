//! Parameters of k-means on features.

use crate::kmeans::params::{Settings, shared_setters};

/// k-means on features ψ(x), for as many points as there are: ordinary k-means with
/// [`Identity`](kern_core::Identity), an approximation of [`KernelKMeans`](crate::kmeans::KernelKMeans) with Nyström or
/// random Fourier features.
///
/// # Definition
/// minimise J = Σᵢ wᵢ‖ψ(xᵢ) − μ_{z(i)}‖², μ_c = Σ_{z(i)=c} wᵢψ(xᵢ)/W_c, by Lloyd's algorithm. With Nyström features of
/// Ω(k/ε) landmarks the best clusters are within 1 + ε of the best ones of the kernel (Wang, Gittens & Mahoney 2019).
///
/// # Complexity
/// 2n·k·D flops for distances, as matrix products; n·D for the centres. With bounds, points whose nearest centre cannot
/// have changed are left out (Hamerly 2010). n × D features are stored if they fit the budget, else computed anew in
/// every iteration, but for blocks of points that are left out.
///
/// # Numerics
/// The mean of the features is subtracted. Sums are in double precision; distances have the rounding error of
/// ‖ψ(x) − mean‖² in the precision of the points. Bounds allow for it, so they do not change the clusters.
///
/// # References
/// Hamerly (2010), *Making k-means even faster*; Wang, Gittens & Mahoney (2019), *Scalable Kernel K-Means Clustering with
/// Nyström Approximation: Relative-Error Bounds*.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::kmeans::FeatureKMeans;
/// let x = Samples::from_rows(&[[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]])?;
/// let model = FeatureKMeans::new(Identity::new(2), 2).fit(&x)?;
/// assert!((model.report().objective - 1.0).abs() < 1e-12);
/// let query = Samples::from_rows(&[[4.0, 4.0]])?;
/// assert_eq!(model.assign(&query)?, [model.labels()[2]]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureKMeans<M> {
    pub(super) map: M,
    pub(super) settings: Settings,
    pub(super) bounds: bool,
}

impl<M> FeatureKMeans<M> {
    /// k clusters, 1 ≤ k ≤ n, by the features of this map.
    pub fn new(map: M, k: usize) -> Self {
        Self { map, settings: Settings::new(k), bounds: true }
    }

    shared_setters!();

    /// Whether bounds on distances save their computation; the clusters are the same. Default: true.
    #[must_use]
    pub fn bounds(mut self, bounds: bool) -> Self {
        self.bounds = bounds;
        self
    }
}
