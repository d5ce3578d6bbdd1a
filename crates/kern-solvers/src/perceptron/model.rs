//! What a perceptron returns.

use super::PerceptronReport;
use crate::labels::check_length;
use crate::model::{Decision, Format, KernelModel, winner};
use crate::{Error, Label};
use faer::Mat;
use kern_core::{Kernel, Points};
use serde::{Deserialize, Serialize};

/// A classifier that a perceptron has learned.
///
/// # Definition
/// With two classes c₀ < c₁ there is one function: f(x) > 0 is c₁, else c₀. With more there is one per class, and the
/// answer is the class of the greatest; of equals the first.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::perceptron::Perceptron;
/// let x = Samples::from_rows(&[[0.0], [0.1], [4.0], [8.0]])?;
/// let model = Perceptron::new(Rbf::new(1.0)?).fit(&x, &["a", "a", "b", "c"])?;
/// assert_eq!(model.predict(&x)?, ["a", "a", "b", "c"]);
/// assert_eq!(model.decision_values(&x)?.shape(), (4, 3));
/// assert_eq!(model.support(), [0, 2, 3]); // the second point was never a mistake
/// assert_eq!(model.decision().points().len(), 3);
/// assert_eq!(model.accuracy(&x, &["a", "a", "b", "b"])?, 0.75);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, K: Serialize, L: Serialize",
    deserialize = "P: Deserialize<'de>, K: Deserialize<'de>, L: Deserialize<'de>"
))]
pub struct PerceptronClassifier<P: Points, K, L> {
    format: Format,
    decision: KernelModel<P, K>,
    classes: Vec<L>,
    support: Vec<usize>,
    report: PerceptronReport,
}

impl<P: Points, K: Kernel<P>, L: Label> PerceptronClassifier<P, K, L> {
    pub(super) fn new(
        decision: KernelModel<P, K>,
        classes: Vec<L>,
        support: Vec<usize>,
        report: PerceptronReport,
    ) -> Self {
        Self { format: Format, decision, classes, support, report }
    }

    /// The learned functions: support vectors, coefficients (one column per function), and intercepts.
    pub fn decision(&self) -> &KernelModel<P, K> {
        &self.decision
    }

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// When the support vectors were seen: their indices among the points of the fit, followed by those of updates.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &PerceptronReport {
        &self.report
    }

    /// The class of each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict(&self, points: &P) -> Result<Vec<L>, Error> {
        let values = self.decision.decide(points)?;
        Ok((0..points.len()).map(|i| self.classes[winner(values.as_ref(), i)].clone()).collect())
    }

    /// The values of the learned functions: points × functions.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.decision.decide(points)
    }

    /// The share of points whose prediction equals the label.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`Decision::decide`].
    pub fn accuracy(&self, points: &P, labels: &[L]) -> Result<f64, Error> {
        check_length("labels", points.len(), labels.len())?;
        let predicted = self.predict(points)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p == l).count();
        Ok(hits as f64 / labels.len() as f64)
    }
}
