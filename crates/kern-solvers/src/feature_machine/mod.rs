//! Recursive feature machines: kernel ridge regression in a metric that it learns.
//!
//! # Definition
//! A kernel K(x, y) = φ(‖x − y‖²) of the distance is seen through a linear map R, M = RᵀR, and M is learned in rounds. From
//! M₀ = I, each round
//!
//! 1. scales R so that the points are as far from one another, in the root mean square over all pairs, as they were at first,
//!    times a factor, the `spread`;
//! 2. solves ridge regression on z = Rx, f(x) = b + Σᵢ αᵢφ(‖z − zᵢ‖²), with the λ and the spread of the least exact
//!    leave-one-out error;
//! 3. takes for the next M the average outer product of gradients at the points,
//!    ∇f(x_j) = 2Rᵀ[z_j Σᵢ W_ij − Σᵢ W_ij zᵢ], W_ij = αᵢφ′(‖zᵢ − z_j‖²) and 0 for equal points, M = Σ_j β_j∇f∇fᵀ/Σβ,
//!    plus a share of the mean of its diagonal.
//!
//! Outputs share M, which is the sum of theirs. The model is that of the round with the least leave-one-out error. There is no
//! validation set; but M has seen all targets, so the errors of later rounds are optimistic, the more so the fewer points there
//! are for each feature.
//!
//! More points than a `leaf` may have are halved, along the direction of the greatest eigenvalue of the M of some of them, at
//! the median; each leaf is a machine of its own.
//!
//! # References
//! Radhakrishnan, Beaglehole, Pandit & Belkin (2024), *Mechanism for feature learning in neural networks and backpropagation-free
//! machine learning models*; Beaglehole, Holzmüller, Radhakrishnan & Belkin (2025), *xRFM: Accurate, scalable, and interpretable
//! feature learning models for tabular data*, for the trees.

mod fit;
mod function;
mod gradients;
mod metric;
mod params;
mod rounds;
mod tree;

pub use function::MetricExpansion;
pub use params::FeatureMachine;
