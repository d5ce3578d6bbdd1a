//! A classifier: a learned function, and the classes of its signs or votes.

use super::{Arity, Decision, Format};
use crate::classes::pairs_of_classes;
use crate::{Classes, DecisionValues, Error, Label, Report};
use faer::{Mat, MatRef};
use kern_approx::statistics::check_length;
use kern_core::{Points, Scalar};
use kern_gram::numerics::arithmetic::argmax;
use serde::{Deserialize, Serialize};

/// A classifier on top of a learned function.
///
/// # Definition
/// Two classes c₀ < c₁ have one output: f(x) > 0 predicts c₁, otherwise c₀. With more classes, the
/// [`Vote`] defines the meaning of the outputs.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let model = Ridge::on_kernel(Rbf::new(1.0)?).lambda(1e-3).fit(&x, &["a", "b", "c"])?;
/// assert_eq!(model.predict(&x)?, ["a", "b", "c"]);
/// assert_eq!(model.classes(), ["a", "b", "c"]);
/// assert_eq!(model.accuracy(&x, &["a", "b", "b"])?, 2.0 / 3.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<D, L>",
    bound(deserialize = "D: Arity + Deserialize<'de>, L: Ord + Deserialize<'de>")
)]
pub struct Classifier<D, L> {
    format: Format<Self>,
    decision: D,
    classes: Vec<L>,
    vote: Vote,
    report: Report,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
struct Unchecked<D, L> {
    format: Format<Classifier<D, L>>,
    decision: D,
    classes: Vec<L>,
    vote: Vote,
    report: Report,
}

impl<D: Arity, L: Ord> TryFrom<Unchecked<D, L>> for Classifier<D, L> {
    type Error = Error;

    fn try_from(read: Unchecked<D, L>) -> Result<Self, Error> {
        let Unchecked { format, decision, classes, vote, report } = read;
        if classes.len() < 2 || !classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::Classes);
        }
        let given = decision.arity();
        if given != vote.functions(classes.len()) {
            let (name, allowed) = ("the number of functions", "what the classes and the vote need");
            return Err(Error::Count { name, given, allowed });
        }
        Ok(Self { format, decision, classes, vote, report })
    }
}

impl<D, L: Label> Classifier<D, L> {
    pub(crate) fn new(decision: D, classes: Vec<L>, vote: Vote, report: Report) -> Self {
        Self { format: Format::default(), decision, classes, vote, report }
    }

    /// The learned function.
    pub fn decision(&self) -> &D {
        &self.decision
    }

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The meaning of the outputs, if there are more than two classes.
    pub fn vote(&self) -> Vote {
        self.vote
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
        let class =
            |i| self.classes[self.vote.winner(values.as_ref(), i, self.classes.len())].clone();
        Ok((0..points.len()).map(class).collect())
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

    /// The fraction of points whose prediction equals the label.
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

impl<D, L: Label> Classes for Classifier<D, L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.classes()
    }
}

impl<P: Points, D: Decision<P>, L: Label> DecisionValues<P> for Classifier<D, L> {
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.decision_values(points)
    }
}

/// The meaning of the decision functions of a classifier. With two classes there is one function,
/// positive for the second class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Vote {
    /// One function per class; the largest value wins, ties go to the first class in label order.
    #[default]
    Argmax,
    /// One function per pair of classes, in the order (0, 1), (0, 2) … (1, 2) …, positive for the
    /// second class of the pair. The class with the most votes wins, ties go to the first class in
    /// label order.
    Pairs,
}

impl Vote {
    /// The number of functions for this many classes.
    pub(crate) fn functions(self, classes: usize) -> usize {
        match (classes, self) {
            (2, _) => 1,
            (_, Self::Argmax) => classes,
            (_, Self::Pairs) => classes.saturating_mul(classes.saturating_sub(1)) / 2,
        }
    }

    /// The class predicted by row `i` of the values.
    fn winner<T: Scalar>(self, values: MatRef<'_, T>, i: usize, classes: usize) -> usize {
        if classes == 2 {
            return usize::from(values[(i, 0)] > T::ZERO);
        }
        match self {
            Self::Argmax => argmax((0..classes).map(|class| values[(i, class)])),
            Self::Pairs => {
                let mut votes = vec![0_usize; classes];
                for (column, (a, b)) in pairs_of_classes(classes).enumerate() {
                    votes[if values[(i, column)] > T::ZERO { b } else { a }] += 1;
                }
                argmax(votes)
            }
        }
    }
}
