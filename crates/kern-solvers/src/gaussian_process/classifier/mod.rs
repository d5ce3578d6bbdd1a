//! Classification by Gaussian processes, with Laplace's approximation of the posterior.
//!
//! Notation: f are the values of the latent function at n points, π = σ(f) = 1/(1 + exp(−f)), t ∈ {0, 1} the classes, β weights,
//! ∇ = β(t − π) the gradient of the log likelihood, W = βπ(1 − π), B = I + W^½KW^½ = LLᵀ, F = L⁻¹W^½, R = FᵀF = (K + W⁻¹)⁻¹.
//!
//! # References
//! Williams & Barber (1998), *Bayesian Classification with Gaussian Processes*; Rasmussen & Williams (2006), chapter 3 and
//! section 5.5.1.

mod average;
mod evidence;
mod fit;
mod latent;
mod mode;
mod params;

pub use fit::laplace_likelihood;
pub use latent::LatentPosterior;
pub use params::GaussianProcessClassifier;
