//! Random Fourier features of shift-invariant kernels.
//!
//! By Bochner's theorem K(x, y) = κ(0)·E cos(ωᵀ(x − y)); the mean over m random frequencies is an
//! inner product of features. `params` draws the frequencies, `map` applies them, `trig` has the
//! cosine and sine in vector registers.

mod map;
mod params;
mod trig;

pub use map::FourierMap;
pub use params::{FourierForm, RandomFourier};
