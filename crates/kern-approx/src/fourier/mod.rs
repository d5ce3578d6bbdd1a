//! Random Fourier features of shift-invariant kernels.
//!
//! By Bochner's theorem K(x, y) = κ(0)·E cos(ωᵀ(x − y)); the mean over m random frequencies is an
//! inner product of features. `random_fourier` samples the frequencies, which are independent,
//! `orthogonal`, or from `quasi_monte_carlo` points, and `fourier_map` turns phases into features.
//! The frequencies of `structured` are never formed, but applied by the transform in `hadamard`.

mod fourier_map;
mod hadamard;
mod orthogonal;
mod quasi_monte_carlo;
mod random_fourier;
mod structured;

pub use fourier_map::FourierMap;
pub use random_fourier::{FourierForm, RandomFourier, Sampling};
pub use structured::{Structure, StructuredMap};
