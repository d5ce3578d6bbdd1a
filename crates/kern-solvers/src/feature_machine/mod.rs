//! Recursive feature machines: kernel ridge regression in a metric that it learns.
//!
//! # Definition
//! A kernel K is seen through a linear map R, M = RᵀR, and M is learned in rounds. From M₀ = I, each round
//!
//! 1. scales R so that the points are as far from one another, in the root mean square over all pairs, as they were at first,
//!    times a factor, the `spread`;
//! 2. solves ridge regression on z = Rx, f(x) = b + Σᵢ αᵢK(zᵢ, z), with the λ and the spread of the least exact
//!    leave-one-out error;
//! 3. takes for the next M the average outer product of gradients at the points, M = Σ_j β_j∇f∇fᵀ/Σβ, or its diagonal, plus a
//!    share of the mean of its diagonal. For a kernel of the distance, φ(‖z − zᵢ‖²),
//!    ∇f(x_j) = 2Rᵀ[z_j Σᵢ W_ij − Σᵢ W_ij zᵢ], W_ij = αᵢφ′(‖zᵢ − z_j‖²) and 0 for equal points.
//!
//! R is the symmetric root of M where the kernel sees rotations. Outputs share M, which is the sum of theirs.
//!
//! The model is that of the round with the least error of cross-validation, in which the rounds are repeated without each fold,
//! with the λ and the spread that they have. There is no validation set. Leave-one-out errors judge rounds with `folds(0)`; but
//! M has seen all targets, so those of later rounds are optimistic, the more so the fewer points there are for each feature.
//!
//! Of several kernels, that of the best round is taken. A stacked machine is a mean Σ wₖfₖ of rounds, w ≥ 0, Σw = 1, of the least
//! error in cross-validation: where several are about as good, it is better than each of them.
//!
//! More points than a `leaf` may have are halved, along the direction of the greatest eigenvalue of the M of some of them, at
//! the median; each leaf is a machine of its own.
//!
//! # References
//! Radhakrishnan, Beaglehole, Pandit & Belkin (2024), *Mechanism for feature learning in neural networks and backpropagation-free
//! machine learning models*; Beaglehole, Holzmüller, Radhakrishnan & Belkin (2025), *xRFM: Accurate, scalable, and interpretable
//! feature learning models for tabular data*, for the trees; Breiman (1996), *Stacked Regressions*.

mod average_gradient_outer_product;
mod cross_validated_rounds;
mod learned_metric;
mod leave_one_out_search;
mod metric_tree;
mod recursion;
mod recursive_feature_machine;
mod stacking;

pub use average_gradient_outer_product::{MetricQuery, OuterSums};
pub use learned_metric::LearnedMetric;
pub use metric_tree::MetricExpansion;
pub use recursive_feature_machine::{FeatureMachine, FeatureMetric, Kernels, OnKernels};
