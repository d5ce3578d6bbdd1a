//! A classifier: a learned function and the classes that its signs stand for.

use super::{Decision, Format};
use crate::{Error, Label, Report, labels::check_length};
use faer::{Mat, MatRef};
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// A classifier on top of a learned function.
///
/// # Definition
/// With two classes c₀ < c₁ there is one output: f(x) > 0 is c₁, else c₀. With more there is one
/// output per class, each learned against the rest, and the answer is the class of the greatest;
/// of equals the first in the order of the labels.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::KernelRidge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let model = KernelRidge::new(Rbf::new(1.0)?).lambda(1e-3).fit_classifier(&x, &["a", "b", "c"])?;
/// assert_eq!(model.predict(&x)?, ["a", "b", "c"]);
/// assert_eq!(model.classes(), ["a", "b", "c"]);
/// assert_eq!(model.accuracy(&x, &["a", "b", "b"])?, 2.0 / 3.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classifier<D, L> {
    format: Format,
    decision: D,
    classes: Vec<L>,
    report: Report,
}

impl<D, L: Label> Classifier<D, L> {
    pub(crate) fn new(decision: D, classes: Vec<L>, report: Report) -> Self {
        Self { format: Format, decision, classes, report }
    }

    /// The learned function.
    pub fn decision(&self) -> &D {
        &self.decision
    }

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The class of each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<L>, Error>
    where
        D: Decision<P>,
    {
        let values = self.decision.decide(points)?;
        Ok((0..points.len()).map(|i| self.classes[winner(values.as_ref(), i)].clone()).collect())
    }

    /// The values of the learned function: points × outputs.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.decision.decide(points)
    }

    /// The share of points whose prediction equals the label.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`Decision::decide`].
    pub fn accuracy<P: Points>(&self, points: &P, labels: &[L]) -> Result<f64, Error>
    where
        D: Decision<P>,
    {
        check_length("labels", points.len(), labels.len())?;
        let predicted = self.predict(points)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p == l).count();
        Ok(hits as f64 / labels.len() as f64)
    }
}

/// The class that row `i` of the decision values stands for.
pub(crate) fn winner<T: Scalar>(values: MatRef<'_, T>, i: usize) -> usize {
    if values.ncols() == 1 {
        return usize::from(values[(i, 0)] > T::ZERO);
    }
    let mut best = 0;
    for k in 1..values.ncols() {
        if values[(i, k)] > values[(i, best)] {
            best = k;
        }
    }
    best
}
