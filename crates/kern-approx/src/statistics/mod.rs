//! Sufficient statistics: mergeable sums over samples, which are all that a primal solver needs of
//! the data.
//!
//! Statistics of parts of the data, gathered by threads, by reading a file piece by piece, or on
//! several machines, are added with [`NormalEquations::merge`] or [`LogisticStatistics::merge`].
//! They contain the [`Fingerprint`] of the feature map, so that sums of different features are not
//! added by mistake.

mod fingerprint;
mod logistic;
mod moments;
mod normal_equations;
mod observed;
mod statistics_error;
mod streaming;

pub use fingerprint::Fingerprint;
pub use logistic::LogisticStatistics;
pub use normal_equations::NormalEquations;
pub use observed::Observed;
pub use statistics_error::Error;

// For the layers above; not part of the stable interface.
pub use moments::Moments;
pub use observed::{check_batch_weights, check_finite, check_length, check_targets, check_weights};
pub use streaming::{Panels, add_gram, add_products, check_features, fill, panel_bytes};
