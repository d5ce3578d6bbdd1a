//! What support vector classification returns.

use super::{Decomposition, SvmReport};
use crate::labels::check_length;
use crate::model::{Decision, Format, KernelModel};
use crate::{Error, Label};
use faer::Mat;
use kern_core::{Kernel, Points};
use serde::{Deserialize, Serialize};

/// A classifier by support vectors: the functions of all binary problems on the union of their support vectors.
///
/// # Definition
/// With two classes there is one function: f(x) > 0 is the second, else the first. With more, see
/// [`Decomposition`].
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::Svc;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let model = Svc::new(Rbf::new(1.0)?).fit(&x, &["a", "b", "c"])?;
/// assert_eq!(model.predict(&x)?, ["a", "b", "c"]);
/// assert_eq!(model.classes(), ["a", "b", "c"]);
/// assert_eq!(model.decision_values(&x)?.shape(), (3, 3)); // a or b, a or c, b or c
/// assert_eq!(model.accuracy(&x, &["a", "b", "b"])?, 2.0 / 3.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, K: Serialize, L: Serialize",
    deserialize = "P: Deserialize<'de>, K: Deserialize<'de>, L: Deserialize<'de>"
))]
pub struct SvmClassifier<P: Points, K, L> {
    format: Format,
    decision: KernelModel<P, K>,
    classes: Vec<L>,
    decomposition: Decomposition,
    support: Vec<usize>,
    report: SvmReport,
}

impl<P: Points, K: Kernel<P>, L: Label> SvmClassifier<P, K, L> {
    pub(crate) fn new(
        decision: KernelModel<P, K>,
        (classes, decomposition): (Vec<L>, Decomposition),
        support: Vec<usize>,
        report: SvmReport,
    ) -> Self {
        let report = SvmReport { support_vectors: support.len(), ..report };
        Self { format: Format, decision, classes, decomposition, support, report }
    }

    /// The learned functions: support vectors, coefficients (one column per function) and biases.
    pub fn decision(&self) -> &KernelModel<P, K> {
        &self.decision
    }

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// What the functions stand for, if there are more than two classes.
    pub fn decomposition(&self) -> Decomposition {
        self.decomposition
    }

    /// The indices of the support vectors among the points of the fit: by classes, in each in their order.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &SvmReport {
        &self.report
    }

    /// The class of each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict(&self, points: &P) -> Result<Vec<L>, Error> {
        let values = self.decision.decide(points)?;
        let winner = |i| self.decomposition.winner(values.as_ref(), i, self.classes.len());
        let class = |i| self.classes[winner(i)].clone();
        Ok((0..points.len()).map(class).collect())
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
