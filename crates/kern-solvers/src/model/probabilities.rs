//! A classifier with class probabilities.

use super::{Arity, Classifier, Decision, Format, PlattSigmoid, Vote, of_classes, of_pairs};
use crate::{Classes, DecisionValues, Error, Label, Probabilities, Report};
use faer::{Mat, MatRef};
use kern_core::{Points, Scalar};
use kern_gram::numerics::sigmoid::{sigmoid, softmax};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// The conversion of decision values to probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Link {
    /// Two classes, one function: P(second) = 1/(1 + exp(−f)).
    Logistic,
    /// One function per class: P(c) = exp f_c/Σ_k exp f_k.
    Softmax,
    /// One function per class, each fitted one-vs-rest: P(c) = σ(f_c)/Σ_k σ(f_k), σ(t) = 1/(1 +
    /// exp(−t)).
    OneVsRest,
    /// A sigmoid for each function: one-vs-one probabilities are coupled, one-vs-rest ones divided
    /// by their sum, see [`calibration`](crate::calibration).
    Sigmoids(Vec<PlattSigmoid>),
}

/// A classifier with a probability for every class.
///
/// The predicted class has the largest decision value and so the largest probability; where
/// rounding makes probabilities equal, the values may still differ. With [`Link::Sigmoids`] the
/// prediction is that of the classifier, which is not always the most probable class: the sigmoids
/// are fitted to scores of other classifiers, and votes are not probabilities.
/// [`disagreement`](Self::disagreement) returns how often they differ.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::logistic::Logistic;
/// let x = Samples::from_rows(&[[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]])?;
/// let y = ["a", "a", "b", "b", "c", "c"];
/// let model = Logistic::on_kernel(Rbf::new(0.5)?).lambda(1e-2).fit(&x, &y)?;
/// let p = model.predict_proba(&x)?; // points × classes, in the order of `classes`
/// assert_eq!((p.shape(), model.classes()), ((6, 3), &["a", "b", "c"][..]));
/// assert!(p[(2, 1)] > 0.5 && p[(2, 1)] > p[(2, 0)]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<D, L>",
    bound(deserialize = "D: Arity + Deserialize<'de>, L: Label + Deserialize<'de>")
)]
pub struct ProbabilisticClassifier<D, L> {
    format: Format<Self>,
    classifier: Classifier<D, L>,
    link: Link,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "D: Arity + Deserialize<'de>, L: Label + Deserialize<'de>"))]
struct Unchecked<D, L> {
    format: Format<ProbabilisticClassifier<D, L>>,
    classifier: Classifier<D, L>,
    link: Link,
}

impl<D: Arity, L: Label> TryFrom<Unchecked<D, L>> for ProbabilisticClassifier<D, L> {
    type Error = Error;

    fn try_from(read: Unchecked<D, L>) -> Result<Self, Error> {
        let Unchecked { format, classifier, link } = read;
        let (classes, functions) = (classifier.classes().len(), classifier.decision().arity());
        match &link {
            Link::Sigmoids(sigmoids) => check_sigmoids(sigmoids, functions)?,
            Link::Logistic if functions == 1 => (),
            Link::Softmax | Link::OneVsRest if functions == classes => (),
            _ => {
                let (name, allowed) = ("the number of functions", "what the link needs");
                return Err(Error::Count { name, given: functions, allowed });
            }
        }
        Ok(Self { format, classifier, link })
    }
}

/// Rejects anything but one sigmoid with finite parameters per function.
fn check_sigmoids(sigmoids: &[PlattSigmoid], functions: usize) -> Result<(), Error> {
    if sigmoids.len() != functions {
        let (name, allowed) = ("the number of sigmoids", "that of the functions of the classifier");
        return Err(Error::Count { name, given: sigmoids.len(), allowed });
    }
    let numbers = sigmoids.iter().flat_map(|sigmoid| [sigmoid.a, sigmoid.b]);
    match numbers.enumerate().find(|(_, given)| !given.is_finite()) {
        Some((index, given)) => Err(Error::Coefficient { index, given }),
        None => Ok(()),
    }
}

impl<D, L: Label> ProbabilisticClassifier<D, L> {
    pub(crate) fn new(classifier: Classifier<D, L>, link: Link) -> Self {
        Self { format: Format::default(), classifier, link }
    }

    /// The classifier without its probabilities.
    pub fn classifier(&self) -> &Classifier<D, L> {
        &self.classifier
    }

    /// The conversion of decision values to probabilities.
    pub fn link(&self) -> &Link {
        &self.link
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
        let classes = self.classes().len();
        if let Link::Sigmoids(sigmoids) = &self.link {
            let pairs = classes == 2 || self.classifier.vote() == Vote::Pairs;
            return match pairs {
                true => of_pairs(values.as_ref(), sigmoids, classes),
                false => of_classes(values.as_ref(), sigmoids),
            };
        }
        let mut p = zeros(points.len(), classes)?;
        match self.link {
            Link::Logistic => {
                for (i, f) in values.col(0).iter().enumerate() {
                    let (second, first) = sigmoid(f.to_f64());
                    p[(i, 0)] = P::Scalar::from_f64(first);
                    p[(i, 1)] = P::Scalar::from_f64(second);
                }
            }
            Link::Softmax => softmax(values.as_ref(), p.as_mut()),
            Link::OneVsRest | Link::Sigmoids(_) => normalise(values.as_ref(), &mut p),
        }
        Ok(p)
    }

    /// The fraction of points whose most probable class differs from the predicted one; ties count
    /// as agreement.
    ///
    /// # Errors
    /// [`Error::Empty`]; as [`Decision::decide`].
    pub fn disagreement<P: Points>(&self, points: &P) -> Result<f64, Error>
    where
        D: Decision<P>,
    {
        let n = points.len();
        if n == 0 {
            return Err(Error::Empty);
        }
        let (predicted, p) = (self.predict(points)?, self.predict_proba(points)?);
        let classes = self.classes();
        let differs = |&i: &usize| {
            let mine = classes.binary_search(&predicted[i]).unwrap_or(0);
            (0..classes.len()).any(|c| p[(i, c)] > p[(i, mine)])
        };
        Ok((0..n).filter(differs).count() as f64 / n as f64)
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

    /// The fraction of points whose prediction equals the label.
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

impl<P: Points, D: Decision<P>, L: Label> DecisionValues<P> for ProbabilisticClassifier<D, L> {
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.decision_values(points)
    }
}

impl<D, L: Label> Classes for ProbabilisticClassifier<D, L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.classes()
    }
}

impl<P: Points, D: Decision<P>, L: Label> Probabilities<P> for ProbabilisticClassifier<D, L> {
    fn predict_proba(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.predict_proba(points)
    }
}

/// σ(f_c)/Σ_k σ(f_k), computed relative to the largest term, since all may underflow.
fn normalise<T: Scalar>(f: MatRef<'_, T>, p: &mut Mat<T>) {
    for i in 0..f.nrows() {
        let log = |c: usize| {
            let f = f[(i, c)].to_f64();
            f.min(0.0) - (-f.abs()).exp().ln_1p()
        };
        let largest = (0..f.ncols()).map(log).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..f.ncols()).map(|c| (log(c) - largest).exp()).sum();
        for c in 0..f.ncols() {
            p[(i, c)] = T::from_f64((log(c) - largest).exp() / sum);
        }
    }
}
