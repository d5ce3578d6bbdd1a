//! Soft k-means: every point belongs to every cluster by a share.

mod energy;
mod fit;
mod params;

pub use params::SoftKMeans;

pub(super) use fit::{on_features, on_kernel};
pub(super) use params::Softness;
