//! The error of this crate: what was given, and what is allowed.

use crate::values::{Domain, Setting, Short};
use std::borrow::Cow;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// One letter in this many may differ between a mistyped name and a known one.
const LETTERS: usize = 3;

/// An error in points, kernels or their parameters.
///
/// Errors are detected at a boundary (construction, or [`check`](crate::Kernel::check) before work
/// starts), so that evaluation inside loops cannot fail.
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
        /// The value given.
        given: f64,
        /// The allowed values, in words.
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
    /// A feature map computed a NaN or infinite feature from finite coordinates: a value of its
    /// kernel is not finite, or a sum overflows.
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
    /// A point has no finite norm in the feature space of a normalised kernel.
    #[error(
        "a normalized kernel needs a finite K(x, x) >= 0 of the kernel inside, got {given} at sample {sample}"
    )]
    Norm {
        /// Index of the sample.
        sample: usize,
        /// K(x, x) there.
        given: f64,
    },
    /// A coordinate is negative, but the kernel is defined on histograms.
    #[error("sample {sample}, feature {feature} must be >= 0, got {}", Short(*given))]
    Negative {
        /// Index of the sample (row).
        sample: usize,
        /// Index of the feature (column).
        feature: usize,
        /// The value found there.
        given: f64,
    },
    /// There are too few distinct points to estimate the scale of their distances.
    #[error("the {points} points have no spread to take a bandwidth from")]
    NoSpread {
        /// The number of points.
        points: usize,
    },
    /// A matrix must be symmetric and is not.
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
    /// A matrix must be positive semi-definite and is not.
    #[error("not positive semi-definite: eigenvalue {eigenvalue} (allowed: at least {allowed})")]
    Indefinite {
        /// The most negative eigenvalue.
        eigenvalue: f64,
        /// The negative eigenvalue that rounding can explain.
        allowed: f64,
    },
    /// Two dimensions do not match.
    #[error("{what}: expected dimension {expected}, got {given}")]
    Dimension {
        /// What was compared.
        what: &'static str,
        /// The required dimension.
        expected: usize,
        /// The dimension given.
        given: usize,
    },
    /// An index is out of bounds.
    #[error("index {given} is out of bounds for a collection of {len} points")]
    Index {
        /// The index given.
        given: usize,
        /// The number of points.
        len: usize,
    },
    /// An edge of a graph is given twice with different labels.
    #[error("the edge {edge:?} must have one label, got {} and {}", labels.0, labels.1)]
    EdgeLabels {
        /// The nodes of the edge.
        edge: (usize, usize),
        /// Two of its labels.
        labels: (u64, u64),
    },
    /// A count exceeds a limit.
    #[error("{what}: at most {limit} are allowed, got {given}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The count, or a lower bound of it.
        given: u64,
        /// The largest allowed count.
        limit: u64,
    },
    /// A memory allocation failed.
    #[error("the system refused to allocate {bytes} bytes")]
    Allocation {
        /// The requested size.
        bytes: u64,
    },
    /// An explicit feature map would have too many features.
    #[error("the explicit feature map has more than {limit} features; approximate it")]
    TooManyFeatures {
        /// The largest allowed dimension.
        limit: usize,
    },
    /// A kernel formula cannot be parsed.
    #[error("the kernel formula cannot be read from position {position} on")]
    Syntax {
        /// Byte position in the text.
        position: usize,
    },
    /// A kernel formula writes a power as `**`.
    #[error(
        "a power is written ^, as in linear^2: position {position} of the kernel formula has **"
    )]
    PowerSign {
        /// Byte position in the text.
        position: usize,
    },
    /// A kernel formula or a setting contains an unknown name.
    #[error("unknown {what} `{given}`{}", hint(given, known))]
    UnknownName {
        /// The kind of name.
        what: &'static str,
        /// The name given.
        given: String,
        /// The known names.
        known: Vec<Cow<'static, str>>,
    },
    /// A hyper-parameter is given a value outside its domain.
    #[error("{name} must be {allowed}, got {given}")]
    Setting {
        /// The parameter's name.
        name: Cow<'static, str>,
        /// The value given.
        given: Setting,
        /// The allowed values.
        allowed: Domain,
    },
    /// A kernel formula omits a parameter that has no default.
    #[error("the kernel {family} needs its parameter {name}")]
    MissingParameter {
        /// The family of kernels.
        family: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A kernel formula is not Mercer where a Mercer kernel is required.
    #[error("the kernel {family} is not positive semi-definite; assume_mercer(...) overrides")]
    NotMercer {
        /// The family of kernels.
        family: &'static str,
    },
    /// A kernel formula has too many terms.
    #[error("a kernel formula may name {limit} kernels, got {given}")]
    TooManyTerms {
        /// The number of kernels in the formula.
        given: usize,
        /// The largest allowed number.
        limit: usize,
    },
    /// A kernel formula has no spectral sampler, which random Fourier features require.
    #[error("the kernel {family} has no spectral sampler; Nystrom features do not need one")]
    NoSpectrum {
        /// The family of kernels, or the rule, without a sampler.
        family: &'static str,
    },
    /// A kernel formula contains a family that is defined on other points.
    #[error("the kernel {family} is not defined on these points")]
    OtherPoints {
        /// The family of kernels.
        family: &'static str,
    },
    /// The profile of a shift-invariant kernel has an impossible value.
    #[error("a profile must be {required}, got {given} at {at}")]
    Profile {
        /// The difference δ.
        at: f64,
        /// κ(δ).
        given: f64,
        /// The allowed values, in words.
        required: &'static str,
    },
    /// The profile of a shift-invariant kernel is not even.
    #[error("a profile must be even, got {given} at {at} and {mirrored} at {}", -at)]
    Uneven {
        /// The difference δ.
        at: f64,
        /// κ(δ).
        given: f64,
        /// κ(−δ).
        mirrored: f64,
    },
    /// A kernel that must be shift-invariant is not.
    #[error(
        "the kernel must depend on differences alone, got {given} for ({shift} + {delta}, {shift}) \
         and {expected} for ({delta}, 0)"
    )]
    NotStationary {
        /// The second point.
        shift: f64,
        /// The difference of the points.
        delta: f64,
        /// The kernel value of the two points.
        given: f64,
        /// The kernel value of the difference and 0.
        expected: f64,
    },
    /// The spectral density of a profile cannot be computed.
    #[error("the profile has no spectral density that can be computed: {reason}")]
    NoDensity {
        /// The reason.
        reason: &'static str,
    },
    /// A spectral density is negative, so that its profile is not positive semi-definite (Bochner).
    #[error(
        "the profile is not positive semi-definite: its spectral density is {density} at the frequency {omega}, \
         with a numerical error of {error}"
    )]
    NegativeDensity {
        /// The frequency at which the density is smallest.
        omega: f64,
        /// The density there.
        density: f64,
        /// Its numerical error.
        error: f64,
    },
    /// An error of another crate; [`Error::other`] wraps it.
    #[error(transparent)]
    Other(OtherError),
}

impl Error {
    /// Wraps an error of your own, for example one that [`check`](crate::Kernel::check) of your
    /// kernel returns. It is the [`source`](std::error::Error::source) of the result, and passes
    /// unchanged through the errors of the layers above. A text is an error, too.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Error, Kernel};
    /// use std::fmt;
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct EmptyWord {
    ///     index: usize,
    /// }
    ///
    /// impl fmt::Display for EmptyWord {
    ///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    ///         write!(f, "word {} is empty", self.index)
    ///     }
    /// }
    ///
    /// impl std::error::Error for EmptyWord {}
    ///
    /// /// 1 for words with the same first letter.
    /// struct FirstLetter;
    ///
    /// impl Kernel<Vec<String>> for FirstLetter {
    ///     fn eval(&self, x: &String, y: &String) -> f64 {
    ///         f64::from(u8::from(x.chars().next() == y.chars().next()))
    ///     }
    ///
    ///     fn check(&self, words: &Vec<String>) -> Result<(), Error> {
    ///         match words.iter().position(String::is_empty) {
    ///             Some(index) => Err(Error::other(EmptyWord { index })),
    ///             None => Ok(()),
    ///         }
    ///     }
    /// }
    ///
    /// let error = FirstLetter.check(&vec!["gram".to_string(), String::new()]).unwrap_err();
    /// assert_eq!(error.to_string(), "word 1 is empty");
    /// let source = std::error::Error::source(&error).ok_or("it has one")?;
    /// assert_eq!(source.downcast_ref::<EmptyWord>(), Some(&EmptyWord { index: 1 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let error: Box<dyn std::error::Error + Send + Sync> = error.into();
        Self::Other(OtherError(Arc::from(error)))
    }

    /// [`Error::Index`] unless all indices are below `len`.
    ///
    /// # Errors
    /// [`Error::Index`] for the first of them.
    pub fn check_indices(indices: &[usize], len: usize) -> Result<(), Self> {
        match indices.iter().find(|&&index| index >= len) {
            Some(&given) => Err(Self::Index { given, len }),
            None => Ok(()),
        }
    }

    /// [`Error::Dimension`] unless the dimensions are equal.
    ///
    /// # Errors
    /// [`Error::Dimension`].
    pub fn check_dimension(what: &'static str, expected: usize, given: usize) -> Result<(), Self> {
        if given == expected { Ok(()) } else { Err(Self::Dimension { what, expected, given }) }
    }
}

/// An error of another crate, shared by all clones; [`Error::other`] wraps it.
///
/// It has the message of that error, which is its [`source`](std::error::Error::source). Two are
/// equal if they share one error, that is, if one is a clone of the other.
///
/// # Examples
/// ```
/// use kern_core::Error;
/// let error = Error::other("the words must be sorted");
/// assert_eq!(error.to_string(), "the words must be sorted");
/// assert_eq!(error, error.clone());
/// assert_ne!(error, Error::other("the words must be sorted"));
/// ```
#[derive(Clone, Debug)]
pub struct OtherError(Arc<dyn std::error::Error + Send + Sync>);

impl fmt::Display for OtherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for OtherError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

impl PartialEq for OtherError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The error is only read, so a panic leaves it as it is.
impl UnwindSafe for OtherError {}
impl RefUnwindSafe for OtherError {}

/// The end of a message about an unknown name: the closest known name, and all of them.
fn hint(given: &str, known: &[Cow<'static, str>]) -> String {
    if known.is_empty() {
        return ", there are none".to_string();
    }
    let meant = nearest(given, known).map(|name| format!("; did you mean `{name}`?"));
    format!("{} expected one of {}", meant.unwrap_or_else(|| ",".to_string()), known.join(", "))
}

/// The closest known name, if there is one: it ends with a dot and the given name, or differs in
/// few letters.
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
