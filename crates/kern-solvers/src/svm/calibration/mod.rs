//! Probabilities of support vector machines: sigmoids fitted to held-out scores, coupled over pairs of classes.
//!
//! # Definition
//! P(b | a or b) = 1/(1 + exp(A f + B)) for the function f of the pair a < b, with A and B of greatest likelihood
//! on scores of points that the function was not learned from. With more than two classes the probabilities p
//! minimise Σ_{i≠j} (r_ji pᵢ − r_ij pⱼ)² with Σp = 1, where r_ij is that of i among i and j.
//!
//! # References
//! Platt (2000), *Probabilities for SV Machines*; Lin, Lin & Weng (2007), *A note on Platt's probabilistic outputs*,
//! Algorithm 1; Wu, Lin & Weng (2004), *Probability estimates for multi-class classification by pairwise
//! coupling*, eq. 20 and Algorithm 2.

mod coupling;
mod fit;
mod pairs;
mod sigmoid;
mod stored;

pub use coupling::couple;
pub use sigmoid::PlattSigmoid;

pub(super) use pairs::of_pairs;

use super::{Decomposition, SvmClassifier};
use crate::model::{Decision, Format};
use crate::{Error, Label};
use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};
use stored::Stored;

/// A classifier by support vectors with a probability for every class.
///
/// It predicts as the classifier does, which is not always the most probable class: the sigmoids are fitted to other
/// machines' scores, and votes are not probabilities. [`disagreement`](Self::disagreement) tells how often.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::Svc;
/// let x = Samples::from_rows(&[[0.0], [0.5], [1.0], [1.5], [4.0], [4.5], [5.0], [5.5]])?;
/// let y = ["low", "low", "low", "low", "top", "top", "top", "top"];
/// let model = Svc::new(Rbf::new(0.5)?).fit_calibrated(&x, &y, 4, 0)?;
/// let p = model.predict_proba(&x)?; // points × classes, in the order of `classes`
/// assert!(p[(0, 0)] > 0.6 && p[(7, 1)] > 0.6);
/// assert_eq!(model.disagreement(&x)?, 0.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<P, K, L>",
    bound(
        serialize = "P: Serialize, K: Serialize, L: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>, \
                       L: Label + Deserialize<'de>"
    )
)]
pub struct CalibratedSvm<P: Points, K, L> {
    format: Format,
    classifier: SvmClassifier<P, K, L>,
    sigmoids: Vec<PlattSigmoid>,
}

impl<P: Points, K: Kernel<P>, L: Label> CalibratedSvm<P, K, L> {
    fn new(classifier: SvmClassifier<P, K, L>, sigmoids: Vec<PlattSigmoid>) -> Self {
        Self { format: Format, classifier, sigmoids }
    }

    /// The classifier without its probabilities.
    pub fn classifier(&self) -> &SvmClassifier<P, K, L> {
        &self.classifier
    }

    /// One sigmoid for each function of the classifier.
    pub fn sigmoids(&self) -> &[PlattSigmoid] {
        &self.sigmoids
    }

    /// The class of each point: that of the classifier.
    ///
    /// # Errors
    /// As [`SvmClassifier::predict`].
    pub fn predict(&self, points: &P) -> Result<Vec<L>, Error> {
        self.classifier.predict(points)
    }

    /// The probability of each class: points × classes, in the order of the classes.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict_proba(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        let values = self.classifier.decision().decide(points)?;
        let classes = self.classifier.classes().len();
        let rest = classes > 2 && self.classifier.decomposition() == Decomposition::OneVsRest;
        if !rest {
            return of_pairs(values.as_ref(), &self.sigmoids, classes);
        }
        let mut p = zeros(points.len(), classes)?;
        for i in 0..points.len() {
            let one = |c: usize| self.sigmoids[c].probability(values[(i, c)].to_f64());
            let sum: f64 = (0..classes).map(one).sum();
            (0..classes).for_each(|c| p[(i, c)] = P::Scalar::from_f64(one(c) / sum));
        }
        Ok(p)
    }

    /// The share of points whose most probable class is not the predicted one; of equal probabilities either is.
    ///
    /// # Errors
    /// [`Error::Empty`]; as [`Decision::decide`].
    pub fn disagreement(&self, points: &P) -> Result<f64, Error> {
        let n = points.len();
        if n == 0 {
            return Err(Error::Empty);
        }
        let (predicted, p) = (self.predict(points)?, self.predict_proba(points)?);
        let classes = self.classifier.classes();
        let differs = |&i: &usize| {
            let mine = classes.binary_search(&predicted[i]).unwrap_or(0);
            (0..classes.len()).any(|c| p[(i, c)] > p[(i, mine)])
        };
        Ok((0..n).filter(differs).count() as f64 / n as f64)
    }
}
