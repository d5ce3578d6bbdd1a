//! k-means through a feature map.

mod centres;
mod fit;
mod model;
mod params;
mod source;
mod state;

pub use model::FeatureKMeansModel;
pub use params::FeatureKMeans;
