//! Weights of classes.

use crate::Error;
use crate::labels::Encoded;
use kern_approx::statistics::check_weights;
use kern_core::named_values;
use kern_core::parameters::Domain;
use serde::{Deserialize, Serialize};

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
pub enum ClassWeights {
    /// All points count alike.
    #[default]
    Equal,
    /// Every class counts alike: Σβ/(c·Σ_{its points} β) for each of c classes.
    Balanced,
    /// One weight for each class, in the order of the labels.
    Each(Vec<f64>),
}

named_values!(ClassWeights { "equal" => Equal, "balanced" => Balanced } or Each(Vec<f64>) in Domain::List);

impl ClassWeights {
    /// The weights of the points: `weights`, if there are any, times those of their classes. None if
    /// all are 1.
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

    /// The weights of so many classes in a stream, whose points are not known; none if all are 1.
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
