//! The error of this crate.

/// An error in a feature map, or in the points it is fitted to.
///
/// # Examples
/// ```
/// use kern_approx::{Error, RandomFourier};
/// use kern_core::kernels::Rbf;
/// let error = RandomFourier::new(Rbf::new(1.0)?).dim(7).sample(2).unwrap_err();
/// assert_eq!(error, Error::OddDim { given: 7 });
/// assert_eq!(
///     error.to_string(),
///     "paired Fourier features come as cosine and sine: the dimension must be even, got 7"
/// );
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Points, kernel or parameters are invalid.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
    /// Memory, shape, or a kernel value that is not finite.
    #[error(transparent)]
    Gram(kern_gram::Error),
    /// A number that has to be at least 1 is 0.
    #[error("{what} must be at least 1, got 0")]
    Zero {
        /// The number that was 0.
        what: &'static str,
    },
    /// The paired form needs an even number of features.
    #[error(
        "paired Fourier features come as cosine and sine: the dimension must be even, got {given}"
    )]
    OddDim {
        /// The dimension that was given.
        given: usize,
    },
    /// A random frequency is NaN or infinite: the kernel's parameters are too extreme.
    #[error("frequency {index} is not finite: the kernel's length scale is too small")]
    Frequency {
        /// The index of the frequency.
        index: usize,
    },
    /// The spectrum of the kernel has preferred directions.
    #[error(
        "{what} features need an isotropic spectrum, that is a kernel of the Euclidean distance"
    )]
    Anisotropic {
        /// The features that need it.
        what: &'static str,
    },
    /// Frequencies of the kernel are not a known function of uniform numbers.
    #[error("quasi-random features need a quantile transform, and this kernel's is not known")]
    NoQuantile,
    /// The quasi-random sequence is too short, or has too few dimensions.
    #[error("quasi-random features allow at most {allowed} {what}, got {given}")]
    QuasiRandom {
        /// The things that are too many.
        what: &'static str,
        /// The number that is wanted.
        given: usize,
        /// The number that there may be.
        allowed: usize,
    },
    /// A coefficient of the power series of a dot-product kernel is negative, NaN or infinite.
    #[error("the coefficient of degree {degree} must be finite and >= 0, got {given}")]
    Coefficient {
        /// The power of ⟨x, y⟩.
        degree: usize,
        /// The coefficient.
        given: f64,
    },
    /// No number of features gives the guarantee.
    #[error("no dimension that fits in memory has a failure probability below {failure}")]
    Unattainable {
        /// The failure probability that was wanted.
        failure: f64,
    },
    /// No number of columns that can be counted has so small an error.
    #[error("no number of columns below 2^52 has the error {error}")]
    TooManyColumns {
        /// The error that was wanted.
        error: f64,
    },
    /// There are no points.
    #[error("{what} needs at least one point, got an empty collection")]
    EmptyPoints {
        /// The thing that needs them.
        what: &'static str,
    },
    /// More landmarks are wanted than there are points.
    #[error("at most {points} landmarks can be drawn from {points} points, got {given}")]
    TooManyLandmarks {
        /// The number that was wanted.
        given: usize,
        /// The number of points.
        points: usize,
    },
    /// A greater rank is wanted than there are landmarks.
    #[error("the rank must be at most the number of landmarks, {landmarks}, got {given}")]
    Rank {
        /// The rank that was wanted.
        given: usize,
        /// The number of landmarks.
        landmarks: usize,
    },
    /// The Gram matrix of the landmarks is zero.
    #[error("the Gram matrix of the landmarks has no positive eigenvalue (greatest: {greatest})")]
    NoPositiveEigenvalue {
        /// The greatest eigenvalue.
        greatest: f64,
    },
    /// The Gram matrix of the landmarks has a negative eigenvalue: the kernel is not Mercer.
    #[error(
        "the kernel is not positive semi-definite on the landmarks: eigenvalue {eigenvalue}, \
         rounding explains {allowed}"
    )]
    NotPsd {
        /// The smallest eigenvalue.
        eigenvalue: f64,
        /// The most negative eigenvalue that rounding explains.
        allowed: f64,
    },
    /// The eigenvalue computation failed.
    #[error("the eigenvalues of the landmarks' {size} x {size} Gram matrix did not converge")]
    NoConvergence {
        /// The number of landmarks.
        size: usize,
    },
    /// K(x, x) = 0 for all points, so that a relative error has no meaning.
    #[error("the trace of the Gram matrix is {trace}: a relative error needs a positive one")]
    ZeroTrace {
        /// Σᵢ K(xᵢ, xᵢ).
        trace: f64,
    },
    /// A stored feature map is damaged.
    #[error("not a valid feature map: {what}")]
    Invalid {
        /// The fault.
        what: &'static str,
    },
}

impl From<kern_gram::Error> for Error {
    /// An error of kern-core that the layer below passes on is the same error here.
    fn from(error: kern_gram::Error) -> Self {
        match error {
            kern_gram::Error::Core(error) => Self::Core(error),
            error => Self::Gram(error),
        }
    }
}
