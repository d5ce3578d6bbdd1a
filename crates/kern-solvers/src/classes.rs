//! Classes: encoded labels, class weights, and multi-class strategies.

use crate::{Error, Label, Labels};
use faer::Mat;
use kern_approx::statistics::check_weights;
use kern_core::parameters::Domain;
use kern_core::{Scalar, named_values};
use kern_gram::{MemoryBudget, zeros};
use serde::{Deserialize, Serialize};

/// Multi-class strategies. Not every learner supports all of them.
///
/// # Definition
/// With outputs m₁ … m_c for c classes and the class y of a point:
///
/// - one-vs-rest: Σₖ ℓ(mₖ; ±1), a binary problem per class; the problems share the sequence of
///   samples, and so kernel values or features;
/// - one-vs-one: a binary problem per pair a < b of classes, fitted to their points only, in the
///   order (0, 1), (0, 2) … (1, 2) …; it votes for b if its output is positive, otherwise for a;
/// - softmax: ln Σₖ exp(mₖ) − m_y, the negative log-likelihood of P(k) = exp(mₖ)/Σ exp; gradient
///   P(k) − \[k = y\].
///
/// With two classes there is one output m, and both are the binary problem: softmax is the logistic
/// loss of m = m₂ − m₁.
///
/// # References
/// Bishop (2006), *Pattern Recognition and Machine Learning*, eq. 4.104–4.109.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MultiClass {
    /// One against the rest, with any classification loss. The largest output wins, ties go to the
    /// first.
    #[doc(alias = "OvR")]
    OneVsRest,
    /// One against one. The class with the most votes wins, ties go to the first, as in LIBSVM.
    #[doc(alias = "OvO")]
    OneVsOne,
    /// All classes jointly, with the logistic loss.
    #[doc(alias = "multinomial")]
    Softmax,
}

named_values!(MultiClass { "one_vs_rest" => OneVsRest, "one_vs_one" => OneVsOne, "softmax" => Softmax });

/// All pairs a < b of classes: (0, 1), (0, 2) … (1, 2) ….
pub(crate) fn pairs_of_classes(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |a| (a + 1..classes).map(move |b| (a, b)))
}

/// The weights of classes.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{ClassWeights, logistic::Logistic};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = ["rare", "common", "common", "common"];
/// let logistic = || Logistic::on_kernel(Rbf::new(1.0).unwrap()).lambda(0.1);
/// let plain = logistic().fit(&x, &y)?.predict_proba(&x)?[(0, 1)];
/// let balanced = logistic().class_weights(ClassWeights::Balanced).fit(&x, &y)?;
/// assert!(balanced.predict_proba(&x)?[(0, 1)] > plain);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "imbalanced classes")]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ClassWeights {
    /// All points have weight 1.
    #[default]
    Equal,
    /// All classes have the same total weight: Σβ/(c·Σ_{its points} β) for each of c classes.
    Balanced,
    /// One weight for each class, in the order of the labels.
    Each(Vec<f64>),
}

named_values!(ClassWeights { "equal" => Equal, "balanced" => Balanced } or Each(Vec<f64>) in Domain::List);

impl ClassWeights {
    /// The weights of the points: `weights`, if any, times those of their classes. `None` if all
    /// are 1.
    pub(crate) fn combine<L>(
        &self,
        labels: &Encoded<L>,
        weights: Option<&[f64]>,
    ) -> Result<Option<Vec<f64>>, Error> {
        let classes = labels.classes.len();
        let weights = match (self, weights) {
            (Self::Equal, None) => return Ok(None),
            (_, None) => vec![1.0; labels.indices.len()],
            (_, Some(weights)) => weights.to_vec(),
        };
        check_weights(labels.indices.len(), &weights)?;
        let mut sums = vec![0.0; classes];
        labels.indices.iter().zip(&weights).for_each(|(&class, weight)| sums[class] += weight);
        if let Some(class) = sums.iter().position(|&sum| sum <= 0.0) {
            return Err(Error::NoClassWeight { class });
        }
        let of_class = match self {
            Self::Equal => vec![1.0; classes],
            Self::Balanced => {
                let total: f64 = sums.iter().sum();
                sums.iter().map(|sum| total / (classes as f64 * sum)).collect()
            }
            Self::Each(given) => checked(given, classes)?,
        };
        let weigh = |(weight, &class): (f64, &usize)| weight * of_class[class];
        Ok(Some(weights.into_iter().zip(&labels.indices).map(weigh).collect()))
    }

    /// The weights of this many classes in a stream, whose points are not known in advance; `None`
    /// if all are 1.
    pub(crate) fn of_stream(&self, classes: usize) -> Result<Option<Vec<f64>>, Error> {
        match self {
            Self::Equal => Ok(None),
            Self::Balanced => Err(Error::BalancedStream),
            Self::Each(given) => checked(given, classes).map(Some),
        }
    }
}

/// One positive weight per class.
fn checked(given: &[f64], classes: usize) -> Result<Vec<f64>, Error> {
    if given.len() != classes {
        let expected = classes;
        return Err(Error::ClassWeights { expected, given: given.len() });
    }
    if let Some(class) = given.iter().position(|&weight| !(weight > 0.0 && weight.is_finite())) {
        return Err(Error::ClassWeight { class, given: given[class] });
    }
    Ok(given.to_vec())
}

/// Labels encoded as integers 0 … c−1, in label order.
pub(crate) struct Encoded<L> {
    /// The distinct labels, in order.
    pub(crate) classes: Vec<L>,
    /// The class of each point.
    pub(crate) indices: Vec<usize>,
}

impl<L: Label> Encoded<L> {
    /// Encodes the labels.
    pub(crate) fn new(labels: &Labels<L>) -> Result<Self, Error> {
        let labels = labels.as_slice();
        let mut classes = labels.to_vec();
        classes.sort();
        classes.dedup();
        classes.shrink_to_fit();
        if classes.len() < 2 {
            return Err(Error::OneClass { points: labels.len() });
        }
        Self::among(classes, labels)
    }

    /// Encodes the labels by these sorted classes.
    pub(crate) fn among(classes: Vec<L>, labels: &[L]) -> Result<Self, Error> {
        let index = |(point, label): (usize, &L)| {
            classes.binary_search(label).map_err(|_| Error::UnknownLabel { point })
        };
        let indices = labels.iter().enumerate().map(index).collect::<Result<_, _>>()?;
        Ok(Self { classes, indices })
    }

    /// The number of binary problems.
    pub(crate) fn problems(&self) -> usize {
        if self.classes.len() == 2 { 1 } else { self.classes.len() }
    }

    /// ±1 targets: one column for two classes (+1 is the second class), else one per class,
    /// each against the rest.
    ///
    /// # Errors
    /// [`Error::Gram`] if the memory that a fit needs for all classes at once exceeds the budget.
    pub(crate) fn signs<T: Scalar>(&self, budget: &MemoryBudget) -> Result<Mat<T>, Error> {
        let (n, classes) = (self.indices.len(), self.classes.len());
        let (outputs, first) = if classes == 2 { (1, 1) } else { (classes, 0) };
        if outputs > 1 {
            // Targets, coefficients, fitted values, and the model's copy.
            let what = "four numbers per point and class";
            budget.check::<T>(what, n, outputs.saturating_mul(4), "take fewer classes")?;
        }
        let mut signs = zeros(n, outputs)?;
        for output in 0..outputs {
            let column = signs.col_as_slice_mut(output).iter_mut();
            for (sign, &class) in column.zip(&self.indices) {
                *sign = if class == first + output { T::ONE } else { -T::ONE };
            }
        }
        Ok(signs)
    }
}
