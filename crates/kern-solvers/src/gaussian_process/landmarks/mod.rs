//! Gaussian processes of many points, by what a few landmarks know of them.
//!
//! The Gram matrix K is replaced by Q = K(X, Z)K(Z, Z)⁻¹K(Z, X), and what Q leaves out is charged to the likelihood, which makes
//! it a lower bound: parameters that are learned by it do not overfit to the approximation, and landmarks can only help.
//!
//! # References
//! Titsias (2009), *Variational Learning of Inducing Variables in Sparse Gaussian Processes*.

mod bounds;
mod fit;
mod gradient;
mod map;

pub use bounds::LikelihoodBounds;
pub use fit::{likelihood_bounds, lower_bound};
