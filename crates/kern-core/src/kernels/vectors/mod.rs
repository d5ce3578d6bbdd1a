//! Kernels on vectors: dense [`Samples`](crate::Samples) and
//! [`SparseSamples`](crate::SparseSamples).

mod additive;
mod arc_cosine;
mod ard_rbf;
mod cauchy;
mod chi_squared;
mod cosine;
mod decay;
mod exponential;
mod frequencies;
mod hellinger;
mod intersection;
mod laplacian;
mod linear;
mod mahalanobis;
mod matern;
mod modified_bessel;
mod periodic;
mod phases;
mod polynomial;
mod radial;
mod rational_quadratic;
mod rbf;
mod sigmoid;
mod wave;

pub use arc_cosine::ArcCosine;
pub use ard_rbf::ArdRbf;
pub use cauchy::Cauchy;
pub use chi_squared::{ChiSquared, ExpChiSquared};
pub use cosine::Cosine;
pub use exponential::Exponential;
pub use hellinger::Hellinger;
pub use intersection::Intersection;
pub use laplacian::Laplacian;
pub use linear::Linear;
pub use mahalanobis::Mahalanobis;
pub use matern::{Matern, Matern32, Matern52};
pub use periodic::Periodic;
pub use polynomial::Polynomial;
pub use rational_quadratic::RationalQuadratic;
pub use rbf::Rbf;
pub use sigmoid::Sigmoid;
pub use wave::Wave;
