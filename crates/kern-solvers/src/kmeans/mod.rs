//! k-means in feature space: Lloyd's algorithm on a Gram matrix or on features, batches, and soft clusters.
//!
//! # Definition
//! Clusters z(i) < k of points of weight wᵢ, with the objective J = Σᵢ wᵢ‖φ(xᵢ) − μ_{z(i)}‖², where
//! μ_c = Σ_{z(i)=c} wᵢφ(xᵢ)/W_c and W_c is the weight of the cluster. A centre need not be a point of the set that
//! the kernel is on, but distances from it are kernel values:
//! ‖φ(x) − μ_c‖² = K(x, x) − 2Σ_{z(j)=c} wⱼK(x, xⱼ)/W_c + T_c/W_c², T_c = Σ wᵢwⱼK(xᵢ, xⱼ) over the pairs of c. Lloyd's
//! algorithm gives every point to the nearest centre, the first of equals, until no point moves. J never rises.
//!
//! # Algorithm
//! On a kernel [`KMeans`] keeps the sums S = KWZ, n × k in double precision. When M points have moved, their columns are
//! added to one sum and subtracted from another, 2nM additions in the place of n²; sums are computed afresh every
//! twenty iterations, when half of the points have moved, and before the fit calls itself converged.
//!
//! **Bounds** on distances (Hamerly 2010) save nothing here: a point that moves must have failed its bounds, so
//! points whose distances would be computed, n kernel values each, are never fewer than points whose columns are.
//! On features there are no such sums, and bounds are used.
//!
//! By [batches](KMeans::batch) no sums are kept at all, but for each centre some of the points that it was last moved by:
//! memory does not grow with n², nor does an iteration with n.
//!
//! **Which way.** The exact one takes time and memory as n², and is the one for kernels on anything up to some thousands of
//! points. Beyond, mini-batches take any kernel, and features are for those that have a map. Seen for ten clusters in R¹⁰,
//! an RBF and 512 Fourier features, two threads, seconds of exact / features / mini-batches: n = 5000 0.16/0.02/0.02,
//! n = 20 000 2.7/0.07/0.04, n = 100 000 –/0.63/0.14; the clusters differ more by the start than by the way
//! (`cargo run --release -p kern-gallery --bin many_clusters -- --exact 20000`).
//!
//! **Empty clusters** get the point that is farthest from its centre, unless all are at distance 0; the report
//! counts them.
//!
//! **Report.** `Converged` if no point is nearer to the centre of another cluster, by sums that were computed afresh; by batches
//! if the last ones cost no less than those before; of soft clusters if F falls no more. `Stalled` if rounding, or a kernel
//! that is not Mercer, would let the objective rise. The objective is J, from sums that were computed afresh (by batches with
//! the centres of the model), or F; [`KMeansDetails`](crate::KMeansDetails) tells its course.
//!
//! # References
//! Lloyd (1982), *Least Squares Quantization in PCM*; Schölkopf, Smola & Müller (1998), *Nonlinear Component Analysis
//! as a Kernel Eigenvalue Problem*, section 5; Arthur & Vassilvitskii (2007), *k-means++: The Advantages of Careful
//! Seeding*; Dhillon, Guan & Kulis (2004), *Kernel k-means, Spectral Clustering and Normalized Cuts* (weights);
//! Ding & He (2004), *K-means Clustering via Principal Component Analysis*, theorem 3.1 (the lower bound);
//! Hamerly (2010), *Making k-means even faster*.

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
