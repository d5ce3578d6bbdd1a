//! What support vector machines on features return.

use super::super::{Decomposition, SvmReport};
use crate::labels::check_length;
use crate::model::{Decision, FeatureModel, Format};
use crate::{Error, Label};
use faer::Mat;
use kern_core::{FeatureMap, Points, Scalar};
use serde::{Deserialize, Serialize};

/// A classifier of support vectors whose sums w = Σβᵢφ(xᵢ) are what is kept.
///
/// # Definition
/// With two classes there is one function: f(x) > 0 is the second, else the first. With more, see
/// [`Decomposition`].
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::svm::FeatureSvc;
/// let x = Samples::from_rows(&[[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])?;
/// let model = FeatureSvc::new(Identity::new(2)).fit(&x, &["a", "b", "c"])?;
/// assert_eq!(model.predict(&x)?, ["a", "b", "c"]);
/// assert_eq!(model.decision_values(&x)?.shape(), (3, 3));
/// assert_eq!(model.accuracy(&x, &["a", "b", "b"])?, 2.0 / 3.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "M: Serialize, L: Serialize",
    deserialize = "M: Deserialize<'de>, L: Deserialize<'de>"
))]
pub struct FeatureSvmClassifier<M, T: Scalar, L> {
    format: Format,
    decision: FeatureModel<M, T>,
    classes: Vec<L>,
    decomposition: Decomposition,
    report: SvmReport,
}

impl<M, T: Scalar, L: Label> FeatureSvmClassifier<M, T, L> {
    pub(super) fn new(
        decision: FeatureModel<M, T>,
        (classes, decomposition): (Vec<L>, Decomposition),
        report: SvmReport,
    ) -> Self {
        Self { format: Format, decision, classes, decomposition, report }
    }

    /// The learned functions: weights, one column per function, and biases.
    pub fn decision(&self) -> &FeatureModel<M, T> {
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

    /// The evidence of the fit: that of the weights in double precision. A step is a visit of one coefficient, a
    /// round a pass over those that are still visited; the primal objective is that of the bias of the model.
    pub fn report(&self) -> &SvmReport {
        &self.report
    }

    /// The class of each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points<Scalar = T>>(&self, points: &P) -> Result<Vec<L>, Error>
    where
        M: FeatureMap<P>,
    {
        let values = self.decision.decide(points)?;
        let winner = |i| self.decomposition.winner(values.as_ref(), i, self.classes.len());
        Ok((0..points.len()).map(|i| self.classes[winner(i)].clone()).collect())
    }

    /// The values of the learned functions: points × functions.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values<P: Points<Scalar = T>>(&self, points: &P) -> Result<Mat<T>, Error>
    where
        M: FeatureMap<P>,
    {
        self.decision.decide(points)
    }

    /// The share of points whose prediction equals the label.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`Decision::decide`].
    pub fn accuracy<P: Points<Scalar = T>>(&self, points: &P, labels: &[L]) -> Result<f64, Error>
    where
        M: FeatureMap<P>,
    {
        check_length("labels", points.len(), labels.len())?;
        let predicted = self.predict(points)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p == l).count();
        Ok(hits as f64 / labels.len() as f64)
    }
}

/// A regressor of support vectors whose sum w = Σβᵢφ(xᵢ) is what is kept.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::svm::FeatureSvr;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let model = FeatureSvr::new(Identity::new(1)).c(100.0).fit(&x, &[0.0, 1.0, 2.0])?;
/// assert!((model.predict(&x)?[2] - 2.0_f64).abs() < 0.102);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub struct FeatureSvmRegressor<M, T: Scalar> {
    format: Format,
    decision: FeatureModel<M, T>,
    epsilon: f64,
    report: SvmReport,
}

impl<M, T: Scalar> FeatureSvmRegressor<M, T> {
    pub(super) fn new(decision: FeatureModel<M, T>, epsilon: f64, report: SvmReport) -> Self {
        Self { format: Format, decision, epsilon, report }
    }

    /// The learned function: weights and bias.
    pub fn decision(&self) -> &FeatureModel<M, T> {
        &self.decision
    }

    /// ε: residuals up to it cost nothing.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The evidence of the fit, as that of [`FeatureSvmClassifier::report`].
    pub fn report(&self) -> &SvmReport {
        &self.report
    }

    /// The value at each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points<Scalar = T>>(&self, points: &P) -> Result<Vec<T>, Error>
    where
        M: FeatureMap<P>,
    {
        Ok(self.decision.decide(points)?.col_as_slice(0).to_vec())
    }
}
