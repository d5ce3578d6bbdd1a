//! Kernel k-means by small batches, with centres of a bounded number of points.

mod centre;
mod fit;
mod model;
mod params;

pub use model::{MiniBatchKMeansModel, MiniBatchReport};
pub use params::MiniBatchKernelKMeans;
