//! A model in the representation of LIBSVM's files: prediction, and conversion from fitted models.

use crate::classes::pairs_of_classes;
use crate::model::{
    Classifier, Decision, KernelExpansion, Link, NoveltyDetector, PlattSigmoid,
    ProbabilisticClassifier, Regressor, Vote, of_pairs, with_intercepts,
};
use crate::{Error, Label};
use faer::{Mat, MatRef};
use kern_core::libsvm::FileError;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::argmax;
use kern_gram::zeros;
use std::io;

/// The kind of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// C-SVC: classification with penalty C.
    CSvc,
    /// ν-SVC: classification with fraction ν.
    NuSvc,
    /// One-class SVM: the support of a distribution.
    OneClass,
    /// ε-SVR: regression with penalty C and tube half-width ε.
    EpsilonSvr,
    /// ν-SVR: regression with fraction ν.
    NuSvr,
}

/// A model in the representation of LIBSVM's files.
///
/// It predicts as `svm-predict` does, including ties: with equal votes, the class that comes first
/// in the file wins. [`Classifier`](crate::model::Classifier) and
/// [`ProbabilisticClassifier`](crate::model::ProbabilisticClassifier) convert by `try_from`,
/// [`Regressor`](crate::model::Regressor) and [`NoveltyDetector`](crate::model::NoveltyDetector) by
/// `from`, if their functions are kernel expansions.
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
    pub(super) kind: Kind,
    /// The support vectors of each class, with their coefficients for the pairs with the other
    /// classes, as in the file: a column per pair would be nearly all zeros. Without classes, one
    /// part with one column.
    pub(super) parts: Vec<KernelExpansion<P, K>>,
    /// −rho.
    pub(super) intercepts: Vec<P::Scalar>,
    pub(super) labels: Vec<i64>,
    /// One sigmoid per pair, for the first class; empty without probabilities.
    pub(super) sigmoids: Vec<PlattSigmoid>,
}

impl<P: Points, K: Kernel<P>> LibsvmModel<P, K> {
    /// The kind of the model.
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

    /// The decision values: points × 1, or points × pairs of classes in the order of
    /// [`labels`](Self::labels), positive for the first class of a pair.
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

    /// The expansion of the support vectors of each class; a single one for regression and
    /// one-class models.
    #[must_use]
    pub fn parts(&self) -> &[KernelExpansion<P, K>] {
        &self.parts
    }

    /// The classes in the order of the file; empty for regression and one-class models.
    #[must_use]
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// The sigmoids of the pairs, for the probability of the first class; empty without
    /// probabilities.
    #[must_use]
    pub fn sigmoids(&self) -> &[PlattSigmoid] {
        &self.sigmoids
    }

    /// The probability of each class, in the order of [`labels`](Self::labels), as
    /// `svm-predict -b 1` prints it; `None` without probabilities.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict_proba(&self, points: &P) -> Result<Option<Mat<P::Scalar>>, Error> {
        if self.sigmoids.is_empty() {
            return Ok(None);
        }
        let values = self.decision_values(points)?;
        // For the second class.
        let turned = |s: &PlattSigmoid| PlattSigmoid { a: -s.a, b: -s.b };
        let sigmoids: Vec<PlattSigmoid> = self.sigmoids.iter().map(turned).collect();
        of_pairs(values.as_ref(), &sigmoids, self.labels.len()).map(Some)
    }

    /// The predictions: labels, values of regression, or for one-class models 1 inside and −1
    /// outside.
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
                for (k, (a, b)) in pairs_of_classes(votes.len()).enumerate() {
                    votes[if values[(i, k)] > zero { a } else { b }] += 1;
                }
                number(self.labels[argmax(votes)])
            }
        };
        Ok((0..points.len()).map(answer).collect())
    }
}

impl<P, K, L> TryFrom<&Classifier<KernelExpansion<P, K>, L>> for LibsvmModel<P, K>
where
    P: Points,
    K: Kernel<P> + Clone,
    L: Label + Into<i64>,
{
    type Error = ModelFileError;

    /// Converts the functions, as a C-SVC, whichever learner fitted them. Two classes are written
    /// in descending order, and more in ascending order, so that ties are broken as in
    /// [`Classifier`], except if functions of several classes are exactly 0.
    fn try_from(model: &Classifier<KernelExpansion<P, K>, L>) -> Result<Self, ModelFileError> {
        let classes = model.classes().len();
        if classes > 2 && model.vote() != Vote::Pairs {
            return Err(ModelFileError::OneVsRest);
        }
        let order: Vec<usize> = if classes == 2 { vec![1, 0] } else { (0..classes).collect() };
        let decision = model.decision();
        let beta = decision.coefficients();
        // The column of our function for a pair p < q of the file, and a value of it with the sign
        // of the file. Ours is positive for the larger class, that of the file for the first.
        let from = |p: usize, q: usize| {
            let (a, b) = (order[p], order[q]);
            pair(classes, a.min(b), a.max(b))
        };
        let signed = |p: usize, q: usize, value| match order[p] > order[q] {
            true => value,
            false => P::Scalar::ZERO - value,
        };
        let part = |p: usize| {
            let rows = (0..beta.nrows()).filter(|&row| class_of(beta, row, classes) == order[p]);
            let rows: Vec<usize> = rows.collect();
            let mut own = zeros(rows.len(), classes - 1)?;
            for (to, q) in (0..classes).filter(|&q| q != p).enumerate() {
                let (first, second) = (p.min(q), p.max(q));
                for (i, &row) in rows.iter().enumerate() {
                    own[(i, to)] = signed(first, second, beta[(row, from(first, second))]);
                }
            }
            let points = decision.points().select(&rows)?;
            KernelExpansion::new(decision.kernel().clone(), &points, own.as_ref())
        };
        let parts = (0..classes).map(part).collect::<Result<_, Error>>()?;
        let known = decision.kernel_intercepts();
        let intercept = |(p, q)| signed(p, q, known[from(p, q)]);
        let intercepts = pairs_of_classes(classes).map(intercept).collect();
        let label = |&class: &usize| model.classes()[class].clone().into();
        let labels = order.iter().map(label).collect();
        Ok(Self { kind: Kind::CSvc, parts, intercepts, labels, sigmoids: Vec::new() })
    }
}

impl<P, K, L> TryFrom<&ProbabilisticClassifier<KernelExpansion<P, K>, L>> for LibsvmModel<P, K>
where
    P: Points,
    K: Kernel<P> + Clone,
    L: Label + Into<i64>,
{
    type Error = ModelFileError;

    /// Converts the functions and sigmoids; a logistic link is a sigmoid, too.
    fn try_from(
        model: &ProbabilisticClassifier<KernelExpansion<P, K>, L>,
    ) -> Result<Self, ModelFileError> {
        let plain = Self::try_from(model.classifier())?;
        let sigmoids = match model.link() {
            Link::Sigmoids(sigmoids) => sigmoids.clone(),
            Link::Logistic => vec![PlattSigmoid { a: -1.0, b: 0.0 }],
            Link::Softmax | Link::OneVsRest => return Err(ModelFileError::OneVsRest),
        };
        // Two classes are written in descending order, so their function and its sign are
        // unchanged. With more classes the functions have the opposite sign, and the sigmoids give
        // the other class.
        let several = model.classes().len() > 2;
        let turned = |s: PlattSigmoid| PlattSigmoid { a: s.a, b: if several { -s.b } else { s.b } };
        Ok(Self { sigmoids: sigmoids.into_iter().map(turned).collect(), ..plain })
    }
}

impl<P, K> From<&Regressor<KernelExpansion<P, K>>> for LibsvmModel<P, K>
where
    P: Points + Clone,
    K: Kernel<P> + Clone,
{
    fn from(model: &Regressor<KernelExpansion<P, K>>) -> Self {
        Self::alone(Kind::EpsilonSvr, model.decision())
    }
}

impl<P, K> From<&NoveltyDetector<KernelExpansion<P, K>>> for LibsvmModel<P, K>
where
    P: Points + Clone,
    K: Kernel<P> + Clone,
{
    fn from(model: &NoveltyDetector<KernelExpansion<P, K>>) -> Self {
        Self::alone(Kind::OneClass, model.decision())
    }
}

impl<P: Points + Clone, K: Kernel<P> + Clone> LibsvmModel<P, K> {
    /// A model with one function and no classes.
    fn alone(kind: Kind, function: &KernelExpansion<P, K>) -> Self {
        let (labels, sigmoids) = (Vec::new(), Vec::new());
        let intercepts = function.kernel_intercepts();
        let zeros = vec![P::Scalar::ZERO; intercepts.len()];
        let parts = vec![function.clone().with_intercepts(zeros)];
        Self { kind, parts, intercepts, labels, sigmoids }
    }
}

/// An integer in the type of the points.
fn number<P: Points>(integer: i64) -> P::Scalar {
    Scalar::from_f64(integer as f64)
}

/// True for kinds that predict by voting.
pub(super) fn votes(kind: Kind) -> bool {
    matches!(kind, Kind::CSvc | Kind::NuSvc)
}

/// The column of the pair a < b among the pairs of `classes` classes.
fn pair(classes: usize, a: usize, b: usize) -> usize {
    a * (2 * classes - a - 1) / 2 + b - a - 1
}

/// The columns for which the support vectors of a part have coefficients: the pairs of its class,
/// or the only column.
fn columns(parts: usize, class: usize) -> impl Iterator<Item = usize> {
    let with = move |other: usize| pair(parts, class.min(other), class.max(other));
    let alone = (parts == 1).then_some(0);
    alone.into_iter().chain((0..parts).filter(move |&other| other != class).map(with))
}

/// The class of a support vector: its coefficients are positive if its class is the second of a
/// pair.
fn class_of<T: Scalar>(beta: MatRef<'_, T>, row: usize, classes: usize) -> usize {
    let mut pairs = pairs_of_classes(classes).enumerate();
    let found = pairs.find(|&(k, _)| beta[(row, k)] != T::ZERO);
    found.map_or(0, |(k, (a, b))| if beta[(row, k)] > T::ZERO { b } else { a })
}

/// Errors of reading, writing or converting a model.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::libsvm::LibsvmModel;
/// let file = "svm_type c_svc\nkernel_type linear\n";
/// let error = LibsvmModel::<Samples<f64>, Rbf>::read(file.as_bytes(), None).unwrap_err();
/// assert_eq!(error.to_string(), "the kernel must be rbf, the file has `linear`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// Reading or writing failed.
    #[error("reading or writing failed: {0}")]
    Io(#[from] io::Error),
    /// A line does not follow the format.
    #[error("line {line}: expected {expected}")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// The expected text.
        expected: &'static str,
    },
    /// A line of the header is missing, or has the wrong number of values.
    #[error("`{name}` must have {expected}")]
    Header {
        /// The name at the beginning of the line.
        name: &'static str,
        /// The expected values.
        expected: &'static str,
    },
    /// The model has another kernel.
    #[error("the kernel must be {expected}, the file has `{given}`")]
    Kernel {
        /// The requested kernel.
        expected: &'static str,
        /// The kernel of the file.
        given: String,
    },
    /// The format cannot represent one-versus-rest classifiers.
    #[error("the format has one function per pair of classes, not one per class against the rest")]
    OneVsRest,
    /// A support vector is invalid.
    #[error(transparent)]
    Vector(#[from] FileError),
    /// The file does not contain a valid model.
    #[error(transparent)]
    Model(#[from] Error),
    /// A kernel parameter or the support vectors are invalid.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
}
