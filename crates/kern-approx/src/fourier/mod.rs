//! Random Fourier features of shift-invariant kernels.
//!
//! By Bochner's theorem K(x, y) = κ(0)·E cos(ωᵀ(x − y)); the mean over m random frequencies is an
//! inner product of features. `params` draws the frequencies, `map` applies them.

mod map;
mod params;

pub use map::FourierMap;
pub use params::{FourierForm, RandomFourier};
