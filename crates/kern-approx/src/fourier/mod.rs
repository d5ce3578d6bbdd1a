//! Random Fourier features of shift-invariant kernels.
//!
//! By Bochner's theorem K(x, y) = κ(0)·E cos(ωᵀ(x − y)); the mean over m random frequencies is an
//! inner product of features. `random_fourier` chooses the frequencies, which are independent, `orthogonal`
//! or of `quasi_monte_carlo` points, and `fourier_map` applies them and makes features of phases. `structured` has
//! frequencies that are never written down, only applied, by the transform in `hadamard`.

mod fourier_map;
mod hadamard;
mod orthogonal;
mod quasi_monte_carlo;
mod random_fourier;
mod structured;

pub use fourier_map::FourierMap;
pub use random_fourier::{FourierForm, RandomFourier, Sampling};
pub use structured::{Structure, StructuredMap};
