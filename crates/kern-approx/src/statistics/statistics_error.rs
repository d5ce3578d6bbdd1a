//! The error type of sums over samples.

use super::Fingerprint;

/// Errors of samples that do not match the sums, and of incompatible sums.
///
/// # Examples
/// ```
/// use kern_approx::statistics::{Error, Fingerprint, NormalEquations};
/// use kern_gram::MemoryBudget;
/// let sums = |map| NormalEquations::new(1, 1, Fingerprint::new(map), &MemoryBudget::mebibytes(1));
/// let error = sums(1)?.merge(&sums(2)?).unwrap_err();
/// let (expected, given) = (Fingerprint::new(1), Fingerprint::new(2));
/// assert_eq!(error, Error::Fingerprint { expected, given });
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Points or features are invalid.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
    /// A matrix is too large, or is not positive definite.
    #[error(transparent)]
    Gram(#[from] kern_gram::Error),
    /// There are no samples.
    #[error("at least one point is needed, got none")]
    Empty,
    /// Labels, targets or weights do not match the points.
    #[error("{what}: expected {expected}, one per point, got {given}")]
    Length {
        /// The name of the argument.
        what: &'static str,
        /// The number of points.
        expected: usize,
        /// The number given.
        given: usize,
    },
    /// A target is NaN or infinite.
    #[error("target {output} of point {point} must be finite, got {given}")]
    NotFinite {
        /// Index of the point.
        point: usize,
        /// Index of the output.
        output: usize,
        /// The value.
        given: f64,
    },
    /// A sample weight is negative, NaN or infinite.
    #[error("the weight of point {point} must be finite and at least 0, got {given}")]
    Weight {
        /// Index of the point.
        point: usize,
        /// The value.
        given: f64,
    },
    /// All sample weights are zero.
    #[error("at least one of the weights of the {points} points must be greater than 0")]
    NoWeight {
        /// The number of points.
        points: usize,
    },
    /// Statistics were gathered with another feature map.
    #[error("the statistics are of the feature map {expected}, not of {given}")]
    Fingerprint {
        /// The map of the statistics.
        expected: Fingerprint,
        /// The map that was given.
        given: Fingerprint,
    },
    /// The numbers of features or outputs of statistics do not match.
    #[error("the statistics are of {expected} {what}, not of {given}")]
    Statistics {
        /// The quantity that does not match.
        what: &'static str,
        /// Their number in the statistics.
        expected: usize,
        /// The number given.
        given: usize,
    },
    /// The statistics of logistic regression belong to other weights.
    #[error("the statistics are at other weights or another intercept")]
    OtherWeights,
    /// A feature weight, or the intercept (after the weights), is not finite.
    #[error("weight {index} must be finite, got {given}")]
    Coefficient {
        /// Its index; that of the intercept is the number of features.
        index: usize,
        /// The value.
        given: f64,
    },
    /// A target of a binary problem is neither −1 nor 1.
    #[error("the target of point {point} must be -1 or 1, got {given}")]
    Sign {
        /// Index of the point.
        point: usize,
        /// The value.
        given: f64,
    },
    /// A feature map cannot be serialised, so it has no fingerprint.
    #[error("the feature map cannot be serialised: {reason}; give a fingerprint of your own")]
    Unserializable {
        /// The message of the serialiser.
        reason: String,
    },
    /// A count parameter lies outside its domain.
    #[error("{name} must be {allowed}, got {given}")]
    Count {
        /// The parameter's name.
        name: &'static str,
        /// The value that was given.
        given: usize,
        /// The allowed values, in words.
        allowed: &'static str,
    },
}
