//! The error type of this crate.

/// An error of a feature map, or of the points it is fitted to.
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
    /// Insufficient memory, a wrong shape, or a non-finite kernel value.
    #[error(transparent)]
    Gram(kern_gram::Error),
    /// A count that must be at least 1 is 0.
    #[error("{what} must be at least 1, got 0")]
    Zero {
        /// The count that is 0.
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
    /// The spectrum of the kernel is not isotropic.
    #[error(
        "{what} features need an isotropic spectrum, that is a kernel of the Euclidean distance"
    )]
    Anisotropic {
        /// The features that require it.
        what: &'static str,
    },
    /// The kernel has no quantile transform for its frequencies.
    #[error("quasi-random features need a quantile transform, and this kernel's is not known")]
    NoQuantile,
    /// The quasi-random sequence is too short, or has too few dimensions.
    #[error("quasi-random features allow at most {allowed} {what}, got {given}")]
    QuasiRandom {
        /// The quantity that is too large.
        what: &'static str,
        /// The requested number.
        given: usize,
        /// The largest allowed number.
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
    /// No number of features satisfies the guarantee.
    #[error("no dimension that fits in memory has a failure probability below {failure}")]
    Unattainable {
        /// The requested failure probability.
        failure: f64,
    },
    /// The required number of columns is too large to be represented.
    #[error("no number of columns below 2^52 has the error {error}")]
    TooManyColumns {
        /// The requested error.
        error: f64,
    },
    /// There are no points.
    #[error("{what} needs at least one point, got an empty collection")]
    EmptyPoints {
        /// The operation that needs points.
        what: &'static str,
    },
    /// More landmarks are requested than there are points.
    #[error("at most {points} landmarks can be drawn from {points} points, got {given}")]
    TooManyLandmarks {
        /// The requested number.
        given: usize,
        /// The number of points.
        points: usize,
    },
    /// The requested rank is larger than the number of landmarks.
    #[error("the rank must be at most the number of landmarks, {landmarks}, got {given}")]
    Rank {
        /// The requested rank.
        given: usize,
        /// The number of landmarks.
        landmarks: usize,
    },
    /// The Gram matrix of the landmarks is zero.
    #[error("the Gram matrix of the landmarks has no positive eigenvalue (greatest: {largest})")]
    NoPositiveEigenvalue {
        /// The largest eigenvalue.
        largest: f64,
    },
    /// The Gram matrix of the landmarks has a negative eigenvalue: the kernel is not Mercer.
    #[error(
        "the kernel is not positive semi-definite on the landmarks: eigenvalue {eigenvalue}, \
         rounding explains {allowed}"
    )]
    NotPsd {
        /// The smallest eigenvalue.
        eigenvalue: f64,
        /// The most negative eigenvalue that rounding can explain.
        allowed: f64,
    },
    /// The eigenvalue computation failed.
    #[error("the eigenvalues of the landmarks' {size} x {size} Gram matrix did not converge")]
    NoConvergence {
        /// The number of landmarks.
        size: usize,
    },
    /// K(x, x) = 0 for all points, so that a relative error is undefined.
    #[error("the trace of the Gram matrix is {trace}: a relative error needs a positive one")]
    ZeroTrace {
        /// Σᵢ K(xᵢ, xᵢ).
        trace: f64,
    },
    /// A stored feature map is invalid.
    #[error("not a valid feature map: {what}")]
    Invalid {
        /// The reason.
        what: &'static str,
    },
}

impl From<kern_gram::Error> for Error {
    /// An error of kern-core that kern-gram passes on becomes the same variant here.
    fn from(error: kern_gram::Error) -> Self {
        match error {
            kern_gram::Error::Core(error) => Self::Core(error),
            error => Self::Gram(error),
        }
    }
}
