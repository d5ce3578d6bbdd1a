//! Multiple kernels: the weights of a sum of kernels, learned from the data.
//!
//! K = Σ ηₖKₖ is a kernel with weights that are [parameters](kern_core::Parameters) like any
//! others. Learning them requires only derivatives with respect to their logarithms, tile by tile.
//!
//! | task | function |
//! |---|---|
//! | optimal weights for ridge regression, logistic regression or a support vector machine | [`MultipleKernels`] around the learner |
//! | the optimality gap of the weights of any model | [`weight_gap`] |
//! | weights by the alignment with the targets, without a fit | [`align_weights`] |
//! | the alignment of a kernel with targets | [`centred_alignment`] |
//!
//! Weights are comparable only if the kernels are. [`Normalized`](kern_core::closure::Normalized)
//! makes kernels comparable.
//!
//! # References
//! Gönen & Alpaydın (2011), *Multiple Kernel Learning Algorithms*, for a survey.

mod gap_of_weights;
mod kernel_alignment;
mod lp_norm_learning;

pub use gap_of_weights::{Expanded, weight_gap};
pub use kernel_alignment::{align_weights, centred_alignment};
pub use lp_norm_learning::MultipleKernels;
