//! The error of this crate: what was given, and what is allowed.

/// What can be wrong with points, kernels and their parameters.
///
/// Every error is found once, at a boundary (construction, or [`check`](crate::Kernel::check)
/// before work starts), so that evaluation inside loops cannot fail.
///
/// # Examples
/// ```
/// use kern_core::{Error, kernels::Rbf};
/// let error = Rbf::new(-1.0).unwrap_err();
/// assert_eq!(error, Error::Parameter { name: "gamma", given: -1.0, allowed: "a finite number > 0" });
/// assert_eq!(error.to_string(), "gamma must be a finite number > 0, got -1");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside its domain.
    #[error("{name} must be {allowed}, got {given}")]
    Parameter {
        /// The parameter's name, as in the documentation.
        name: &'static str,
        /// The value that was given.
        given: f64,
        /// The values that are allowed, in words.
        allowed: &'static str,
    },
    /// A coordinate is NaN or infinite.
    #[error("sample {sample}, feature {feature} must be finite, got {given}")]
    NotFinite {
        /// Index of the sample (row).
        sample: usize,
        /// Index of the feature (column).
        feature: usize,
        /// The value found there.
        given: f64,
    },
    /// Two things that have to be of one dimension are not.
    #[error("{what}: expected dimension {expected}, got {given}")]
    Dimension {
        /// What was compared.
        what: &'static str,
        /// The dimension that is required.
        expected: usize,
        /// The dimension that was given.
        given: usize,
    },
    /// An index points beyond the end of a collection.
    #[error("index {given} is out of bounds for a collection of {len} points")]
    Index {
        /// The index that was given.
        given: usize,
        /// The number of points.
        len: usize,
    },
}
