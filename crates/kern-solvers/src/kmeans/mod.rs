//! k-means in feature space: Lloyd's algorithm on a Gram matrix or on features, mini-batches, and
//! soft clusters.
//!
//! # Definition
//! The objective of clusters z(i) < k of points with weights wᵢ is J = Σᵢ wᵢ‖φ(xᵢ) − μ_{z(i)}‖²,
//! where μ_c = Σ_{z(i)=c} wᵢφ(xᵢ)/W_c is the centre and W_c the weight of cluster c. A centre need
//! not be φ(x) of a point x, but distances from it are computed from kernel values:
//!
//! ‖φ(x) − μ_c‖² = K(x, x) − 2Σ_{z(j)=c} wⱼK(x, xⱼ)/W_c + T_c/W_c²,
//!
//! with T_c = Σ wᵢwⱼK(xᵢ, xⱼ) over the pairs of c. Lloyd's algorithm assigns every point to the
//! nearest centre, the first in a tie, until no assignment changes. J never increases.
//!
//! # Algorithm
//! On a kernel, [`KMeans`] stores the sums S = KWZ, n × k in double precision. When M points change
//! their cluster, their columns are subtracted from one sum and added to another: 2nM additions
//! instead of n². The sums are recomputed every twenty iterations, when half of the points have
//! moved, and before the fit reports convergence.
//!
//! **Bounds** on distances (Hamerly 2010) would save nothing on a kernel: a point that moves has
//! failed its bounds, so at least as many points need their distances, at n kernel values each, as
//! points need their columns added. On features there are no such sums, and the bounds are used.
//!
//! With [mini-batches](KMeans::batch) no sums are stored. A centre is a weighted mean of a bounded
//! number of points, the last ones assigned to it: memory does not grow with n², nor the cost of an
//! iteration with n.
//!
//! **Choice.** Exact kernel k-means takes time and memory proportional to n², and suits any kernel
//! on up to some thousands of points. Beyond that, mini-batches support any kernel, and features
//! suit kernels that have a feature map. Measured for ten clusters in R¹⁰, an RBF kernel, 512
//! Fourier features and two threads, in seconds for exact / features / mini-batches: n = 5000
//! 0.16/0.02/0.02, n = 20 000 2.7/0.07/0.04, n = 100 000 –/0.63/0.14. The clusters depend more on
//! the start than on the method (`cargo run --release -p kern-gallery --bin many_clusters --
//! --exact 20000`).
//!
//! **Empty clusters** are re-seeded with the point farthest from its centre, unless all distances
//! are 0; the report counts them.
//!
//! **Report.** `Converged` if no point is nearer to the centre of another cluster, by recomputed
//! sums; with mini-batches, if the last ones cost no less than those before; for soft clusters, if
//! F stops decreasing. `Stalled` if rounding, or a kernel that is not Mercer, would increase the
//! objective. The objective is J from recomputed sums (with mini-batches, from the centres of the
//! model), or F; [`KMeansDetails`](crate::KMeansDetails) records its course.
//!
//! # References
//! Lloyd (1982), *Least Squares Quantization in PCM*; Schölkopf, Smola & Müller (1998), *Nonlinear
//! Component Analysis as a Kernel Eigenvalue Problem*, section 5; Arthur & Vassilvitskii (2007),
//! *k-means++: The Advantages of Careful Seeding*; Dhillon, Guan & Kulis (2004), *Kernel k-means,
//! Spectral Clustering and Normalized Cuts* (weights); Ding & He (2004), *K-means Clustering via
//! Principal Component Analysis*, theorem 3.1 (the lower bound); Hamerly (2010), *Making k-means
//! even faster*.

mod centred_features;
mod feature_k_means;
mod hamerly;
mod k_means;
mod kernel_k_means;
mod kernel_sums;
mod lloyd;
mod mini_batch;
mod plus_plus;
mod restarts;
mod soft_k_means;
mod spectral_bound;
mod weighted_gram;

pub(crate) use centred_features::stored_bytes;
pub use k_means::{KMeans, KMeansSpace};
pub use plus_plus::Seeding;
pub use soft_k_means::SoftKMeans;
