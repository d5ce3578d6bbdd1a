//! The traits of models: what everything around a fit may ask of them.

use crate::{Error, Report};
use faer::Mat;
use kern_core::Points;

/// A model: what a fit returns and a prediction needs.
///
/// # Examples
/// See [`Learner`](super::Learner).
pub trait Model<P: Points>: Send + Sync {
    /// The answers for some points: labels, values, a matrix.
    type Answer;

    /// The answers for points, in their order.
    ///
    /// # Errors
    /// If the points do not fit those of the fit, or a value is not finite.
    fn predict(&self, points: &P) -> Result<Self::Answer, Error>;

    /// The evidence of the fit.
    fn report(&self) -> &Report;
}

/// A model with real-valued functions behind its answers.
pub trait DecisionValues<P: Points>: Model<P> {
    /// The values of the functions: points × functions.
    ///
    /// # Errors
    /// As [`Model::predict`].
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error>;
}

/// A classifier, whose answers are among some classes.
pub trait Classes {
    /// The type of the labels.
    type Label;

    /// The classes, in order.
    fn classes(&self) -> &[Self::Label];
}

/// A classifier that knows probabilities.
pub trait Probabilities<P: Points>: Model<P> + Classes {
    /// The probability of each class: points × classes.
    ///
    /// # Errors
    /// As [`Model::predict`].
    fn predict_proba(&self, points: &P) -> Result<Mat<P::Scalar>, Error>;
}
