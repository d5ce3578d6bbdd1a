//! Sums over samples that merge: what a primal solver needs of the data, and nothing more.
//!
//! Statistics of parts of the data, gathered by threads, by reading a file piece by piece, or on several
//! machines, are added with [`NormalEquations::merge`] or [`LogisticStatistics::merge`]. They carry the [`Fingerprint`] of the feature map
//! that they were gathered with, so that sums of different features are not added by mistake.

mod checks;
mod error;
mod fingerprint;
mod logistic;
mod moments;
mod normal_equations;
mod observed;
mod packed;
mod packed_logistic;
mod products;
mod stream;

pub use error::Error;
pub use fingerprint::Fingerprint;
pub use logistic::LogisticStatistics;
pub use normal_equations::NormalEquations;
pub use observed::Observed;

// For the layers above; no part of the interface that is kept stable.
#[doc(hidden)]
pub use checks::{check_batch_weights, check_finite, check_length, check_targets, check_weights};
#[doc(hidden)]
pub use moments::Moments;
#[doc(hidden)]
pub use products::{add_gram, add_products};
#[doc(hidden)]
pub use stream::{Panels, check_features, fill, panel_bytes};
