//! Model files of LIBSVM: what `svm-train` writes and `svm-predict` reads.
//!
//! # Definition
//! Lines `name value …` up to the line `SV`, then a support vector per line: its coefficients, and what is not 0 of
//! it as in data files ([`kern_core::libsvm`]). With k classes there are k − 1 coefficients, for the pairs with
//! the other classes, and pairs (i, j) of classes in the order of the file vote for i if Σ coef·K(xᵢ, x) − rho > 0.
//! Labels are integers. Numbers are printed so that nothing is lost.
//!
//! `probA` and `probB` of a classifier are the sigmoids of its pairs: 1/(1 + exp(probA·f + probB)) is the probability of
//! the first class. Those of regression, and `prob_density_marks`, are read over and not written.
//!
//! # References
//! Chang and Lin (2011), *LIBSVM: A library for support vector machines*, and the program itself, version 3.24.

mod convert;
mod error;
mod header;
mod kernel;
mod read;
mod write;

pub use error::ModelFileError;
pub use kernel::FileKernel;
pub use read::FromSparse;

use super::arranged::pairs;
use crate::Error;
use crate::model::{Decision, KernelExpansion, PlattSigmoid, of_pairs, with_intercepts};
use faer::Mat;
use kern_core::{Kernel, Points};
use kern_gram::zeros;

/// The kinds of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Classification with a penalty C.
    CSvc,
    /// Classification with a share ν.
    NuSvc,
    /// The support of a distribution.
    OneClass,
    /// Regression with a penalty C and a tube of width ε.
    EpsilonSvr,
    /// Regression with a share ν.
    NuSvr,
}

/// A model as it stands in a file of LIBSVM.
///
/// It predicts what `svm-predict` does, ties included: of equal numbers of votes wins the class that comes first in the
/// file. Classifiers ([`Classifier`](crate::model::Classifier)), with probabilities
/// ([`ProbabilisticClassifier`](crate::model::ProbabilisticClassifier)) or without, become such a model by `try_from`, a
/// [`Regressor`](crate::model::Regressor) and a [`NoveltyDetector`](crate::model::NoveltyDetector) by `from`, if their functions are
/// expansions in kernel values.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::{Svc, libsvm::LibsvmModel};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [4.0]])?;
/// let y = [-1, -1, 1, 1];
/// let classifier = Svc::on_kernel(Rbf::new(0.5)?).fit(&x, &y)?;
/// let mut file = Vec::new();
/// LibsvmModel::try_from(&classifier)?.write(&mut file)?;
/// let model = LibsvmModel::<Samples<f64>, Rbf>::read(&file[..], Some(1))?;
/// assert_eq!(model.predict(&x)?, [-1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), kern_solvers::svm::libsvm::ModelFileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LibsvmModel<P: Points, K> {
    kind: Kind,
    /// Of each class its support vectors, with their coefficients for the pairs with the other classes: as in the file, since a
    /// column for every pair would be zeros almost everywhere. One part with one column, if there are no classes.
    parts: Vec<KernelExpansion<P, K>>,
    /// −rho.
    intercepts: Vec<P::Scalar>,
    labels: Vec<i64>,
    /// Of each pair, for the first class; none without probabilities.
    sigmoids: Vec<PlattSigmoid>,
}

impl<P: Points, K: Kernel<P>> LibsvmModel<P, K> {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> &K {
        self.parts[0].kernel()
    }

    /// The number of support vectors.
    #[must_use]
    pub fn support_vectors(&self) -> usize {
        self.parts.iter().map(|part| part.points().len()).sum()
    }

    /// The values of the learned functions: points × 1, or × pairs of classes in the order of [`labels`](Self::labels), positive
    /// for the first of the two.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        let mut values = zeros(points.len(), self.intercepts.len())?;
        for (class, part) in self.parts.iter().enumerate() {
            let own = part.decide(points)?;
            for (column, from) in columns(self.parts.len(), class).zip(own.col_iter()) {
                let to = values.col_as_slice_mut(column).iter_mut();
                to.zip(from.iter()).for_each(|(to, &from)| *to += from);
            }
        }
        with_intercepts(values, &self.intercepts)
    }

    /// The functions of the support vectors of each class, one of all for regression and one class.
    #[must_use]
    pub fn parts(&self) -> &[KernelExpansion<P, K>] {
        &self.parts
    }

    /// The classes in the order of the file; none for regression and one class.
    #[must_use]
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// The sigmoids of the pairs, for the probability of the first class; none if the model has no probabilities.
    #[must_use]
    pub fn sigmoids(&self) -> &[PlattSigmoid] {
        &self.sigmoids
    }

    /// The probability of each class, in the order of [`labels`](Self::labels): what `svm-predict -b 1` prints. None if
    /// the model has no probabilities.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict_proba(&self, points: &P) -> Result<Option<Mat<P::Scalar>>, Error> {
        if self.sigmoids.is_empty() {
            return Ok(None);
        }
        let values = self.decision_values(points)?;
        // Those of the second class.
        let turned = |s: &PlattSigmoid| PlattSigmoid { a: -s.a, b: -s.b };
        let sigmoids: Vec<PlattSigmoid> = self.sigmoids.iter().map(turned).collect();
        of_pairs(values.as_ref(), &sigmoids, self.labels.len()).map(Some)
    }

    /// The label of each point, its value, or 1 for points of one class and −1 for others.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict(&self, points: &P) -> Result<Vec<P::Scalar>, Error> {
        let values = self.decision_values(points)?;
        let (zero, number) = (number::<P>(0), number::<P>);
        let answer = |i: usize| match self.kind {
            Kind::EpsilonSvr | Kind::NuSvr => values[(i, 0)],
            Kind::OneClass => number(if values[(i, 0)] > zero { 1 } else { -1 }),
            Kind::CSvc | Kind::NuSvc => {
                let mut votes = vec![0_usize; self.labels.len()];
                for (k, (a, b)) in pairs(votes.len()).enumerate() {
                    votes[if values[(i, k)] > zero { a } else { b }] += 1;
                }
                let better = |best, c| if votes[c] > votes[best] { c } else { best };
                number(self.labels[(1..votes.len()).fold(0, better)])
            }
        };
        Ok((0..points.len()).map(answer).collect())
    }
}

/// An integer in the type of the points.
fn number<P: Points>(integer: i64) -> P::Scalar {
    kern_core::Scalar::from_f64(integer as f64)
}

/// True for the kinds whose models vote.
fn votes(kind: Kind) -> bool {
    matches!(kind, Kind::CSvc | Kind::NuSvc)
}

/// The column of the pair a < b among those of `classes` classes.
fn pair(classes: usize, a: usize, b: usize) -> usize {
    a * (2 * classes - a - 1) / 2 + b - a - 1
}

/// The columns of the functions that the support vectors of a part have coefficients for: of its pairs with the other classes,
/// or the only one.
fn columns(parts: usize, class: usize) -> impl Iterator<Item = usize> {
    let with = move |other: usize| pair(parts, class.min(other), class.max(other));
    let alone = (parts == 1).then_some(0);
    alone.into_iter().chain((0..parts).filter(move |&other| other != class).map(with))
}
