//! Novelty detectors.

use super::{Arity, Decision, Format, KernelExpansion};
use crate::{DecisionValues, Error, Report};
use faer::Mat;
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// A novelty detector: a region of inliers, inside which the learned function is positive.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::OneClass;
/// let x = Samples::from_rows(&[[0.0], [0.5], [1.0], [1.5], [2.0]])?;
/// let model = OneClass::on_kernel(Rbf::new(0.5)?).nu(0.2).fit(&x)?;
/// let inside = model.predict(&Samples::from_rows(&[[1.0], [9.0]])?)?;
/// assert_eq!(inside, [true, false]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct NoveltyDetector<D> {
    format: Format<Self>,
    decision: D,
    report: Report,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
struct Unchecked<D> {
    format: Format<NoveltyDetector<D>>,
    decision: D,
    report: Report,
}

impl<D: Arity> TryFrom<Unchecked<D>> for NoveltyDetector<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        let Unchecked { format, decision, report } = read;
        Error::check_one_output(decision.arity())?;
        Ok(Self { format, decision, report })
    }
}

impl<D> NoveltyDetector<D> {
    pub(crate) fn new(decision: D, report: Report) -> Self {
        Self { format: Format::default(), decision, report }
    }

    /// The learned function, positive for inliers: f − ρ, whose intercept is −ρ, or that of a
    /// [`Ball`](super::Ball).
    pub fn decision(&self) -> &D {
        &self.decision
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// True for each inlier.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<bool>, Error>
    where
        D: Decision<P>,
    {
        let values = self.decision.decide(points)?;
        Ok(values.col(0).iter().map(|&value| value > P::Scalar::ZERO).collect())
    }

    /// The values of the learned function, positive for inliers: points × 1.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.decision.decide(points)
    }
}

impl<P: Points, K> NoveltyDetector<KernelExpansion<P, K>> {
    /// Changes the threshold: inliers are the points whose present decision values exceed it.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::svm::OneClass;
    /// let x = Samples::from_rows(&[[0.0], [0.5], [1.0], [1.5], [2.0]])?;
    /// let model = OneClass::on_kernel(Rbf::new(0.5)?).nu(0.2).fit(&x)?;
    /// let values = model.decision_values(&x)?;
    /// let smallest = values.col(0).iter().copied().fold(f64::INFINITY, f64::min);
    /// assert_eq!(model.with_threshold(smallest - 1e-9).predict(&x)?, [true; 5]);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        let shifted = |b: &P::Scalar| P::Scalar::from_f64(b.to_f64() - threshold);
        let intercepts = self.decision.intercepts().iter().map(shifted).collect();
        Self { decision: self.decision.with_intercepts(intercepts), ..self }
    }
}

impl<P: Points, D: Decision<P>> DecisionValues<P> for NoveltyDetector<D> {
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.decision_values(points)
    }
}
