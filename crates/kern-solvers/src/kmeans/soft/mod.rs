//! Soft k-means: every point belongs to every cluster by a share.

mod energy;
mod fit;
mod model;
mod params;

pub use model::{SoftKMeansModel, SoftReport};
pub use params::SoftKernelKMeans;
