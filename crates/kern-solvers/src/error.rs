//! The error of this crate.

use std::time::Duration;

/// An error of a fit or a prediction.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Error, ridge::Ridge};
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// let error = Ridge::on_kernel(Rbf::new(1.0)?).fit(&x, &[1.0_f64]).unwrap_err();
/// assert_eq!(error.to_string(), "targets: expected 2, one per point, got 1");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Points, kernel or a parameter are invalid.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
    /// A Gram matrix is invalid or too large.
    #[error(transparent)]
    Gram(kern_gram::Error),
    /// A feature map is invalid.
    #[error(transparent)]
    Approx(kern_approx::Error),
    /// The training set is empty.
    #[error("at least one point is needed, got none")]
    Empty,
    /// Labels, targets or weights do not match the points.
    #[error("{what}: expected {expected}, one per point, got {given}")]
    Length {
        /// The name of the mismatched input.
        what: &'static str,
        /// The number of points.
        expected: usize,
        /// The given number.
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
    /// A file with neighbours of another search method.
    #[error("the model is one of {expected} as neighbors, the file has one of {given}")]
    Reach {
        /// The neighbours of the model.
        expected: &'static str,
        /// The neighbours of the file.
        given: &'static str,
    },
    /// A weight function returned an invalid weight.
    #[error(
        "the weight of point {point} as a neighbor of query {query} must be finite and at least 0, got {given}"
    )]
    NeighborWeight {
        /// Index of the query.
        query: usize,
        /// Index of the fitted point.
        point: usize,
        /// The value.
        given: f64,
    },
    /// A split is not possible on the data.
    #[error("the split {rule} is not possible: {reason}")]
    Split {
        /// The rule.
        rule: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// A score is undefined for these targets.
    #[error("{score} is not defined: {reason}")]
    Score {
        /// The score.
        score: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// No candidate of a search could be fitted and scored on all folds.
    #[error("none of the {tried} candidates could be tried on all folds; the first one: {first}")]
    Trials {
        /// The number of candidates.
        tried: usize,
        /// The failure of the first one.
        first: String,
    },
    /// All sample weights are zero.
    #[error("at least one of the weights of the {points} points must be greater than 0")]
    NoWeight {
        /// The number of points.
        points: usize,
    },
    /// All points of a class have weight zero.
    #[error("at least one point of class {class} must have a weight greater than 0")]
    NoClassWeight {
        /// The class, in the order of the labels.
        class: usize,
    },
    /// The number of class weights differs from the number of classes.
    #[error("class weights: expected {expected}, one per class, got {given}")]
    ClassWeights {
        /// The number of classes.
        expected: usize,
        /// The given number.
        given: usize,
    },
    /// A class weight is not positive, or not finite.
    #[error("the weight of class {class} must be finite and greater than 0, got {given}")]
    ClassWeight {
        /// The class, in the order of the labels.
        class: usize,
        /// The value.
        given: f64,
    },
    /// A fold holds all points, so that no intercept can be fitted without it.
    #[error("fold {fold} holds all points, and an intercept cannot be learned from none")]
    NothingLeft {
        /// The fold.
        fold: usize,
    },
    /// The eigendecomposition of a matrix failed.
    #[error("the eigendecomposition of the {size} x {size} kernel matrix failed")]
    NoEigenvalues {
        /// The number of its rows.
        size: usize,
    },
    /// A classifier needs at least two classes.
    #[error("at least two classes are needed, got one: all {points} labels are equal")]
    OneClass {
        /// The number of points.
        points: usize,
    },
    /// The classes of a model are not in order, or fewer than two.
    #[error("the classes of a model must be at least two, different, and in order")]
    Classes,
    /// A value of the problem or of the solution overflows.
    #[error(
        "{what} is {given}, beyond the range of its type; scale the kernel, or take a smaller C"
    )]
    Range {
        /// The name of the value that overflows.
        what: &'static str,
        /// The value.
        given: f64,
    },
    /// A point has a different number of labels than the first.
    #[error("point {point} must have {expected} labels, as many as the first, got {given}")]
    LabelCount {
        /// Index of the point.
        point: usize,
        /// The number of labels of the first point.
        expected: usize,
        /// The number of its labels.
        given: usize,
    },
    /// ν requires more support vectors than a class has points.
    #[error("nu must be at most {largest} for these classes, got {given}")]
    Nu {
        /// The value.
        given: f64,
        /// The largest feasible ν: twice the fraction of the rarer of two classes.
        largest: f64,
    },
    /// A label of an incremental fit is not a class of the model.
    #[error("the label of point {point} is none of the classes of the model")]
    UnknownLabel {
        /// Index of the point.
        point: usize,
    },
    /// A model with an intercept cannot be continued by a solver without one.
    #[error("the model has the intercept {given}, and SGD has none to go on with")]
    Intercept {
        /// The first intercept that is not zero.
        given: f64,
    },
    /// K + nλI is not positive definite in floating-point arithmetic.
    #[error(
        "the kernel matrix plus {shift:?} on the diagonal is not positive definite \
         (pivot {pivot}); use a larger lambda, or a kernel that is Mercer on this data"
    )]
    NotPositiveDefinite {
        /// The shift of the diagonal, nλ.
        shift: f64,
        /// The index of the pivot that was not positive.
        pivot: usize,
    },
    /// A loss for classes ±1 was chosen for real-valued targets.
    #[error(
        "the {loss} loss is for classes; regression needs Squared, Huber or EpsilonInsensitive"
    )]
    MarginLoss {
        /// The loss.
        loss: String,
    },
    /// Softmax was chosen together with a loss other than the logistic one.
    #[error("softmax is the logistic loss of several classes and cannot be had with {loss}")]
    SoftmaxLoss {
        /// The loss.
        loss: String,
    },
    /// AdaGrad was chosen for SGD on a kernel, which has no explicit coordinates.
    #[error("AdaGrad has a step size per feature, and SGD on a kernel has none; use on_features")]
    AdaptiveKernel,
    /// The requested method is not supported by the solver or the features.
    #[error(
        "the algorithm \"{algorithm}\" is none of this solver with these features; exact and approximate features have their own"
    )]
    NoSuchAlgorithm {
        /// The method.
        algorithm: &'static str,
    },
    /// A fit is predicted to take longer than its run allows.
    #[error(
        "the fit is predicted to take {predicted:.3?}, more than the time limit of {limit:?}{}",
        if cheaper.is_empty() { String::new() } else { format!("; cheaper: {cheaper}") }
    )]
    TooLong {
        /// The predicted time of the fastest method for this fit.
        predicted: Duration,
        /// The limit of the run.
        limit: Duration,
        /// Alternatives with their predicted times, as text; empty if there is none.
        cheaper: String,
    },
    /// A class has fewer points than there are stratified folds.
    #[error(
        "class {class} in the order of the labels has {points} points, fewer than the {folds} folds: \
         take fewer folds, or allow rare classes"
    )]
    RareClass {
        /// The class, counted from 0 in the order of the labels.
        class: usize,
        /// The number of its points.
        points: usize,
        /// The number of folds.
        folds: usize,
    },
    /// A search ended before any candidate was tried on all folds.
    #[error(
        "the search ended after {done} of {total} fits, before any candidate was scored on all \
         folds; allow more time, or take fewer folds, successive halving or a cheaper learner"
    )]
    NoCandidate {
        /// The number of finished fits.
        done: usize,
        /// The number of fits of the whole search.
        total: usize,
    },
    /// The observer or the deadline ended a test or a direct fit, which has no partial result.
    #[error("stopped after {done} of {total} steps, before there was a result; allow more time")]
    Stopped {
        /// The number of completed steps.
        done: usize,
        /// The number of all steps.
        total: usize,
    },
    /// A schedule returned an invalid step size.
    #[error(
        "the step size of iteration {iteration} must be finite and greater than 0, got {given}"
    )]
    StepSize {
        /// The iteration.
        iteration: usize,
        /// The value.
        given: f64,
    },
    /// The iterates overflowed.
    #[error("diverged at iteration {iteration}; use a smaller step size than {step}")]
    Diverged {
        /// The iteration.
        iteration: usize,
        /// Its step size.
        step: f64,
    },
    /// Statistics were computed with another feature map.
    #[error("the statistics are of the feature map {expected}, not of {given}")]
    Fingerprint {
        /// The map of the statistics.
        expected: kern_approx::statistics::Fingerprint,
        /// The given map.
        given: kern_approx::statistics::Fingerprint,
    },
    /// Statistics have another number of features or outputs.
    #[error("the statistics are of {expected} {what}, not of {given}")]
    Statistics {
        /// The quantity that is counted.
        what: &'static str,
        /// The number in the statistics.
        expected: usize,
        /// The given number.
        given: usize,
    },
    /// Statistics of logistic regression were computed at other weights.
    #[error("the statistics are at other weights or another intercept")]
    OtherWeights,
    /// Sums belong to another query of a fit in rounds, or are inconsistent.
    #[error("the sums answer another query")]
    OtherQuery,
    /// The checkpoint of a fit in rounds is inconsistent.
    #[error("the parts of the fit do not fit together: {what}")]
    OtherParts {
        /// The inconsistent parts.
        what: &'static str,
    },
    /// A feature weight or the intercept is not finite.
    #[error("weight {index} must be finite, got {given}")]
    Coefficient {
        /// The index; that of the intercept is the number of features.
        index: usize,
        /// The value.
        given: f64,
    },
    /// An index, which searches by distance, cannot be used with similarity search.
    #[error("an index finds neighbors by distance; by similarity all points are searched")]
    NoMetric,
    /// A target of a binary problem is neither −1 nor 1.
    #[error("the target of point {point} must be -1 or 1, got {given}")]
    Sign {
        /// Index of the point.
        point: usize,
        /// The value.
        given: f64,
    },
    /// A feature map cannot be serialised and therefore has no fingerprint.
    #[error("the feature map cannot be serialised: {reason}; give a fingerprint of your own")]
    Unserializable {
        /// The message of the serialiser.
        reason: String,
    },
    /// Class weights cannot be balanced in a stream.
    #[error(
        "how many points of each class a stream will have is not known; give ClassWeights::Each"
    )]
    BalancedStream,
    /// Averaging is not available under a budget that removes support vectors.
    #[error(
        "the mean of all functions has the support vectors of each; a budget with an average is one that projects"
    )]
    AveragedRemoval,
    /// The sum of a point's kernel values with all others is not positive.
    #[error(
        "the kernel values of point {point}{} do not add up to more than zero; take a wider kernel or one whose values are not \
         negative, or leave such points out",
        more(*others)
    )]
    Isolated {
        /// The first such point.
        point: usize,
        /// The number of further such points.
        others: usize,
    },
    /// A combination of settings is not supported by a learner.
    #[error("{what} cannot be had; {instead}")]
    Unsupported {
        /// The combination.
        what: &'static str,
        /// A supported alternative.
        instead: &'static str,
    },
    /// A count parameter lies outside its domain.
    #[error("{name} must be {allowed}, got {given}")]
    Count {
        /// The parameter's name.
        name: &'static str,
        /// The given value.
        given: usize,
        /// A description of the allowed values.
        allowed: &'static str,
    },
}

fn more(points: usize) -> String {
    match points {
        0 => String::new(),
        more => format!(", and those of {more} more,"),
    }
}

impl Error {
    /// Wraps an error of your own, for example one of your estimator or transformer, as
    /// [`kern_core::Error::other`] does. It is the [`source`](std::error::Error::source) of the
    /// result.
    ///
    /// # Examples
    /// ```
    /// use std::num::ParseIntError;
    /// let own = "seven".parse::<u32>().unwrap_err();
    /// let error = kern_solvers::Error::other(own.clone());
    /// assert_eq!(error.to_string(), own.to_string());
    /// let source = std::error::Error::source(&error).ok_or("it has one")?;
    /// assert_eq!(source.downcast_ref::<ParseIntError>(), Some(&own));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Core(kern_core::Error::other(error))
    }

    /// [`Error::Length`] unless the numbers are equal.
    pub(crate) fn check_equal(
        what: &'static str,
        expected: usize,
        given: usize,
    ) -> Result<(), Self> {
        if given == expected { Ok(()) } else { Err(Self::Length { what, expected, given }) }
    }

    /// [`Error::Count`] for 0.
    pub(crate) fn check_positive(name: &'static str, given: usize) -> Result<(), Self> {
        if given > 0 { Ok(()) } else { Err(Self::Count { name, given, allowed: "at least 1" }) }
    }

    /// [`Error::Count`] unless a function has one output.
    pub(crate) fn check_one_output(given: usize) -> Result<(), Self> {
        let (name, allowed) = ("the number of outputs", "1");
        if given == 1 { Ok(()) } else { Err(Self::Count { name, given, allowed }) }
    }

    /// Rejects more components or clusters than points or features allow.
    pub(crate) fn check_most(name: &'static str, given: usize, most: usize) -> Result<(), Self> {
        let allowed = "at most that of points or features";
        if given <= most { Ok(()) } else { Err(Self::Count { name, given, allowed }) }
    }
}

impl From<kern_gram::Error> for Error {
    /// Maps an error of a Gram matrix to the same error of this crate.
    fn from(error: kern_gram::Error) -> Self {
        match error {
            kern_gram::Error::NotPositiveDefinite { shift, pivot } => {
                Self::NotPositiveDefinite { shift, pivot }
            }
            error => Self::Gram(error),
        }
    }
}

impl From<kern_approx::Error> for Error {
    /// Maps an error of a feature map to the same error of this crate.
    fn from(error: kern_approx::Error) -> Self {
        match error {
            kern_approx::Error::Core(error) => error.into(),
            kern_approx::Error::Gram(error) => error.into(),
            error => Self::Approx(error),
        }
    }
}

impl From<kern_approx::statistics::Error> for Error {
    /// Maps an error of statistics to the same error of this crate.
    fn from(error: kern_approx::statistics::Error) -> Self {
        use kern_approx::statistics::Error as E;
        match error {
            E::Core(error) => error.into(),
            E::Gram(error) => error.into(),
            E::Empty => Self::Empty,
            E::Length { what, expected, given } => Self::Length { what, expected, given },
            E::NotFinite { point, output, given } => Self::NotFinite { point, output, given },
            E::Weight { point, given } => Self::Weight { point, given },
            E::NoWeight { points } => Self::NoWeight { points },
            E::Fingerprint { expected, given } => Self::Fingerprint { expected, given },
            E::Statistics { what, expected, given } => Self::Statistics { what, expected, given },
            E::OtherWeights => Self::OtherWeights,
            E::Coefficient { index, given } => Self::Coefficient { index, given },
            E::Sign { point, given } => Self::Sign { point, given },
            E::Unserializable { reason } => Self::Unserializable { reason },
            E::Count { name, given, allowed } => Self::Count { name, given, allowed },
        }
    }
}
