//! Recursive feature machines: kernel ridge regression in a learned metric.
//!
//! # Definition
//! The kernel K is applied to mapped points Rx, and the metric M = RᵀR is learned iteratively.
//! Starting with M₀ = I, each round
//!
//! 1. scales R so that the root mean square distance of all pairs of points is that of the original
//!    points, times a factor, the `spread`;
//! 2. solves ridge regression on z = Rx, f(x) = b + Σᵢ αᵢK(zᵢ, z), with the λ and the spread of the
//!    smallest exact leave-one-out error;
//! 3. sets the next M to the average gradient outer product at the points, M = Σ_j β_j∇f∇fᵀ/Σβ, or
//!    its diagonal, plus a share of the mean of its diagonal. For a kernel of the distance,
//!    φ(‖z − zᵢ‖²), ∇f(x_j) = 2Rᵀ[z_j Σᵢ W_ij − Σᵢ W_ij zᵢ], W_ij = αᵢφ′(‖zᵢ − z_j‖²) and 0 for
//!    equal points.
//!
//! R is the symmetric root of M unless the kernel is invariant under rotations. Outputs share M,
//! the sum of the matrices of all outputs.
//!
//! The model is that of the round with the smallest cross-validation error. For each fold, the
//! rounds are repeated without it, with the same λ and spread; no validation set is held out. With
//! `folds(0)`, rounds are compared by their leave-one-out errors; but M depends on all targets, so
//! those of later rounds are optimistic, the more so the fewer points there are for each feature.
//!
//! Of several kernels, that of the best round is used. A stacked machine is a weighted mean Σ wₖfₖ
//! of rounds, w ≥ 0, Σw = 1, with the smallest cross-validation error: where several rounds are
//! about equally good, it is better than each of them.
//!
//! Training sets larger than a `leaf` are split at the median, along the leading eigenvector of the
//! M of a random sample; each leaf is a machine of its own.
//!
//! # References
//! Radhakrishnan, Beaglehole, Pandit & Belkin (2024), *Mechanism for feature learning in neural
//! networks and backpropagation-free machine learning models*; Beaglehole, Holzmüller,
//! Radhakrishnan & Belkin (2025), *xRFM: Accurate, scalable, and interpretable feature learning
//! models for tabular data*, for the trees; Breiman (1996), *Stacked Regressions*.

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
