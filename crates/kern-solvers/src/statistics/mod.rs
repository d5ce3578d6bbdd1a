//! Sums over samples that merge: what a primal solver needs of the data, and nothing more.
//!
//! Statistics of parts of the data, gathered by threads, by reading a file piece by piece, or on several
//! machines, are added with [`NormalEquations::merge`] or [`LogisticStatistics::merge`]. They carry the [`Fingerprint`] of the feature map
//! that they were gathered with, so that sums of different features are not added by mistake.

mod fingerprint;
mod logistic;
mod moments;
mod normal_equations;
mod observed;
mod packed;
mod packed_logistic;
mod products;
mod stream;

pub use fingerprint::Fingerprint;
pub use logistic::LogisticStatistics;
pub use normal_equations::NormalEquations;
pub use observed::Observed;

pub(crate) use moments::Moments;
pub(crate) use products::{add_gram, add_products};
pub(crate) use stream::{Panels, fill};
