//! A classifier that knows probabilities.

use super::{Classifier, Decision};
use crate::logistic::{sigmoid, softmax};
use crate::{Error, Label, Report};
use faer::{Mat, MatRef};
use kern_core::{Points, Scalar};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// How decision values become probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Link {
    /// Two classes, one function: P(second) = 1/(1 + exp(−f)).
    Logistic,
    /// One function per class: P(c) = exp f_c/Σ_k exp f_k.
    Softmax,
    /// One function per class, each learned against the rest: P(c) = σ(f_c)/Σ_k σ(f_k), σ(t) = 1/(1 + exp(−t)).
    OneVsRest,
}

/// A classifier with a probability for every class.
///
/// The predicted class is that of the greatest decision value, so it has the greatest probability; where
/// rounding makes probabilities equal, the values may still differ.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::logistic::KernelLogistic;
/// let x = Samples::from_rows(&[[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]])?;
/// let y = ["a", "a", "b", "b", "c", "c"];
/// let model = KernelLogistic::new(Rbf::new(0.5)?).lambda(1e-2).fit(&x, &y)?;
/// let p = model.predict_proba(&x)?; // points × classes, in the order of `classes`
/// assert_eq!((p.shape(), model.classes()), ((6, 3), &["a", "b", "c"][..]));
/// assert!(p[(2, 1)] > 0.5 && p[(2, 1)] > p[(2, 0)]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbabilisticClassifier<D, L> {
    classifier: Classifier<D, L>,
    link: Link,
}

impl<D, L: Label> ProbabilisticClassifier<D, L> {
    pub(crate) fn new(classifier: Classifier<D, L>, link: Link) -> Self {
        Self { classifier, link }
    }

    /// The classifier without its probabilities.
    pub fn classifier(&self) -> &Classifier<D, L> {
        &self.classifier
    }

    /// How decision values become probabilities.
    pub fn link(&self) -> Link {
        self.link
    }

    /// The learned function.
    pub fn decision(&self) -> &D {
        self.classifier.decision()
    }

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        self.classifier.classes()
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &Report {
        self.classifier.report()
    }

    /// The most probable class of each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<L>, Error>
    where
        D: Decision<P>,
    {
        self.classifier.predict(points)
    }

    /// The probability of each class: points × classes, in the order of [`classes`](Self::classes).
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict_proba<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        let values = self.classifier.decision_values(points)?;
        let mut p = zeros(points.len(), self.classes().len())?;
        match self.link {
            Link::Logistic => {
                for (i, f) in values.col(0).iter().enumerate() {
                    let (second, first) = sigmoid(f.to_f64());
                    p[(i, 0)] = P::Scalar::from_f64(first);
                    p[(i, 1)] = P::Scalar::from_f64(second);
                }
            }
            Link::Softmax => softmax(values.as_ref(), p.as_mut()),
            Link::OneVsRest => normalise(values.as_ref(), &mut p),
        }
        Ok(p)
    }

    /// The values of the learned function: points × outputs.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.classifier.decision_values(points)
    }

    /// The share of points whose prediction equals the label.
    ///
    /// # Errors
    /// As [`Classifier::accuracy`].
    pub fn accuracy<P: Points>(&self, points: &P, labels: &[L]) -> Result<f64, Error>
    where
        D: Decision<P>,
    {
        self.classifier.accuracy(points, labels)
    }
}

/// σ(f_c)/Σ_k σ(f_k): relative to the greatest, since all may underflow.
fn normalise<T: Scalar>(f: MatRef<'_, T>, p: &mut Mat<T>) {
    for i in 0..f.nrows() {
        let log = |c: usize| {
            let f = f[(i, c)].to_f64();
            f.min(0.0) - (-f.abs()).exp().ln_1p()
        };
        let greatest = (0..f.ncols()).map(log).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..f.ncols()).map(|c| (log(c) - greatest).exp()).sum();
        for c in 0..f.ncols() {
            p[(i, c)] = T::from_f64((log(c) - greatest).exp() / sum);
        }
    }
}
