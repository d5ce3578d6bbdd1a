//! Gaussian processes: the likelihood of a kernel and of the noise, with its gradient.
//!
//! f has the prior covariance K, and yᵢ is f(xᵢ) plus noise of variance σ²/βᵢ. The posterior mean is kernel ridge
//! regression with nλ = σ², and its variance [`FactoredRidge::variance`](crate::ridge::FactoredRidge::variance).
//!
//! # References
//! Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, sections 2.2 and 5.4.1.

mod likelihood;

pub use likelihood::{LogLikelihood, log_likelihood};
