//! The error of this crate: what was given, and what is allowed.

use crate::values::{Domain, Setting, Short};
use std::borrow::Cow;

/// Letters of a name of which one may be wrong.
const LETTERS: usize = 3;

/// An error in points, kernels or their parameters.
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
    #[error("{name} must be {allowed}, got {}", Short(*given))]
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
    /// A feature that a map computes from finite coordinates is NaN or infinite: so is a value of its kernel, or a
    /// sum overflows.
    #[error(
        "feature {feature} of the map must be finite at sample {sample}, got {given}; see the values of its kernel"
    )]
    FeatureNotFinite {
        /// Index of the sample.
        sample: usize,
        /// Index of the feature in the map.
        feature: usize,
        /// The value found there.
        given: f64,
    },
    /// A point has no norm in the feature space that a normalised kernel could divide by.
    #[error(
        "a normalized kernel needs a finite K(x, x) >= 0 of the kernel inside, got {given} at sample {sample}"
    )]
    Norm {
        /// Index of the sample.
        sample: usize,
        /// K(x, x) there.
        given: f64,
    },
    /// A coordinate is negative, and the kernel is one on histograms.
    #[error("sample {sample}, feature {feature} must be >= 0, got {}", Short(*given))]
    Negative {
        /// Index of the sample (row).
        sample: usize,
        /// Index of the feature (column).
        feature: usize,
        /// The value found there.
        given: f64,
    },
    /// There are too few points, or they are all equal, to tell the scale of their distances.
    #[error("the {points} points have no spread to take a bandwidth from")]
    NoSpread {
        /// The number of points.
        points: usize,
    },
    /// A matrix that has to be symmetric is not.
    #[error("not symmetric: entry ({row}, {col}) is {given}, entry ({col}, {row}) is {mirrored}")]
    Asymmetric {
        /// Index of the row.
        row: usize,
        /// Index of the column.
        col: usize,
        /// The entry at (row, col).
        given: f64,
        /// The entry at (col, row).
        mirrored: f64,
    },
    /// A matrix that has to be positive semi-definite is not.
    #[error("not positive semi-definite: eigenvalue {eigenvalue} (allowed: at least {allowed})")]
    Indefinite {
        /// The most negative eigenvalue.
        eigenvalue: f64,
        /// The negative eigenvalue that rounding explains.
        allowed: f64,
    },
    /// Two things that have to be of one dimension are not.
    #[error("{what}: expected dimension {expected}, got {given}")]
    Dimension {
        /// The things that were compared.
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
    /// An edge of a graph is given twice, with different labels.
    #[error("the edge {edge:?} must have one label, got {} and {}", labels.0, labels.1)]
    EdgeLabels {
        /// The nodes that it joins.
        edge: (usize, usize),
        /// Two of its labels.
        labels: (u64, u64),
    },
    /// There are more of something than can be computed with.
    #[error("{what}: at most {limit} are allowed, got {given}")]
    TooMany {
        /// The things that are too many.
        what: &'static str,
        /// Their number, or a bound that it reaches.
        given: u64,
        /// The greatest number that is allowed.
        limit: u64,
    },
    /// The system refused memory.
    #[error("the system refused to allocate {bytes} bytes")]
    Allocation {
        /// The size that was asked for.
        bytes: u64,
    },
    /// An explicit feature map would have more features than anybody can hold.
    #[error("the explicit feature map has more than {limit} features; approximate it")]
    TooManyFeatures {
        /// The greatest dimension that is allowed.
        limit: usize,
    },
    /// A kernel formula cannot be read.
    #[error("the kernel formula cannot be read from position {position} on")]
    Syntax {
        /// Byte position in the text.
        position: usize,
    },
    /// A power in a kernel formula is written `**`.
    #[error(
        "a power is written ^, as in linear^2: position {position} of the kernel formula has **"
    )]
    PowerSign {
        /// Byte position in the text.
        position: usize,
    },
    /// A kernel formula or a setting names something that does not exist.
    #[error("unknown {what} `{given}`{}", hint(given, known))]
    UnknownName {
        /// The kind of thing that the name stands for.
        what: &'static str,
        /// The name that was given.
        given: String,
        /// The names that exist.
        known: Vec<Cow<'static, str>>,
    },
    /// A hyper-parameter is given a value that is not allowed.
    #[error("{name} must be {allowed}, got {given}")]
    Setting {
        /// The parameter's name.
        name: Cow<'static, str>,
        /// The value that was given.
        given: Setting,
        /// The values that are allowed.
        allowed: Domain,
    },
    /// A kernel formula leaves out a parameter that has no default.
    #[error("the kernel {family} needs its parameter {name}")]
    MissingParameter {
        /// The family of kernels.
        family: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A kernel formula is not Mercer where it has to be.
    #[error("the kernel {family} is not positive semi-definite; assume_mercer(...) overrides")]
    NotMercer {
        /// The family of kernels.
        family: &'static str,
    },
    /// A kernel formula has too many kernels.
    #[error("a kernel formula may name {limit} kernels, got {given}")]
    TooManyTerms {
        /// The number of kernels in the formula.
        given: usize,
        /// The greatest number that is allowed.
        limit: usize,
    },
    /// A kernel formula has no spectral sampler, which random Fourier features need.
    #[error("the kernel {family} has no spectral sampler; Nystrom features do not need one")]
    NoSpectrum {
        /// The family of kernels, or the rule, that has none.
        family: &'static str,
    },
    /// A kernel formula names a family that is for other points.
    #[error("the kernel {family} is not defined on these points")]
    OtherPoints {
        /// The family of kernels.
        family: &'static str,
    },
    /// A profile has a value that no kernel of differences has.
    #[error("a profile must be {required}, got {given} at {at}")]
    Profile {
        /// The difference δ.
        at: f64,
        /// κ(δ).
        given: f64,
        /// The values that are allowed, in words.
        required: &'static str,
    },
    /// A profile is not even, so that it is no kernel of differences.
    #[error("a profile must be even, got {given} at {at} and {mirrored} at {}", -at)]
    Uneven {
        /// The difference δ.
        at: f64,
        /// κ(δ).
        given: f64,
        /// κ(−δ).
        mirrored: f64,
    },
    /// A kernel that has to depend on differences alone does not.
    #[error(
        "the kernel must depend on differences alone, got {given} for ({shift} + {delta}, {shift}) \
         and {expected} for ({delta}, 0)"
    )]
    NotStationary {
        /// The second point.
        shift: f64,
        /// The difference of the points.
        delta: f64,
        /// The kernel of the two points.
        given: f64,
        /// The kernel of the difference and 0.
        expected: f64,
    },
    /// A profile has no spectral density that can be computed.
    #[error("the profile has no spectral density that can be computed: {reason}")]
    NoDensity {
        /// Its fault.
        reason: &'static str,
    },
    /// A spectral density is negative, so that its profile is not positive semi-definite (Bochner).
    #[error(
        "the profile is not positive semi-definite: its spectral density is {density} at the frequency {omega}, \
         with a numerical error of {error}"
    )]
    NegativeDensity {
        /// The frequency at which the density is least.
        omega: f64,
        /// The density there.
        density: f64,
        /// Its numerical error.
        error: f64,
    },
}

/// The end of a message on an unknown name: the nearest known one, and all of them.
fn hint(given: &str, known: &[Cow<'static, str>]) -> String {
    if known.is_empty() {
        return ", there are none".to_string();
    }
    let meant = nearest(given, known).map(|name| format!("; did you mean `{name}`?"));
    format!("{} expected one of {}", meant.unwrap_or_else(|| ",".to_string()), known.join(", "))
}

/// The known name that was meant, if one is near: it ends with the given one behind a point, or few letters differ.
fn nearest<'a>(given: &str, known: &'a [Cow<'static, str>]) -> Option<&'a str> {
    let mut names = known.iter().map(Cow::as_ref);
    let ends = |name: &&str| name.rsplit('.').next() == Some(given);
    if let Some(name) = names.clone().find(ends) {
        return Some(name);
    }
    let given = given.to_lowercase();
    let most = given.chars().count().div_ceil(LETTERS);
    let far = |name: &str| strsim::damerau_levenshtein(&given, name);
    let nearest = names.by_ref().min_by_key(|name| far(name));
    nearest.filter(|name| far(name) <= most && far(name) < name.chars().count())
}
