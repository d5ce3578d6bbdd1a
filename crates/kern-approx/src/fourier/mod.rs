//! Random Fourier features of shift-invariant kernels.
//!
//! By Bochner's theorem K(x, y) = κ(0)·E cos(ωᵀ(x − y)); the mean over m random frequencies is an
//! inner product of features. `params` chooses the frequencies, which are independent, `orthogonal`
//! or `quasi`-random, `map` applies them, and `wave` makes features of phases. `structured` has
//! frequencies that are never written down, only applied, by the transform in `hadamard`.

mod hadamard;
mod map;
mod orthogonal;
mod params;
mod quasi;
mod structured;
mod wave;

pub use map::FourierMap;
pub use params::{FourierForm, RandomFourier, Sampling};
pub use structured::{Structure, StructuredMap};
