//! Deterministic features of additive homogeneous kernels on histograms.
//!
//! Such a kernel is Σⱼ √(x_j·y_j)·s(ln(y_j/x_j)): shift-invariant in ln x, so that it has a spectrum,
//! which is sampled at regular steps. `kernel` has the spectra, `map` the features.

mod kernel;
mod map;

pub use kernel::AdditiveKernel;
pub use map::{AdditiveMap, SampledAdditive};
