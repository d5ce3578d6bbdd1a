//! From the models of fits.

use super::super::arranged::pairs;
use super::{Kind, LibsvmModel, ModelFileError, pair};
use crate::Label;
use crate::model::{
    Classifier, KernelExpansion, Link, NoveltyDetector, PlattSigmoid, ProbabilisticClassifier,
    Regressor, Vote,
};
use faer::MatRef;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::zeros;

impl<P, K, L> TryFrom<&Classifier<KernelExpansion<P, K>, L>> for LibsvmModel<P, K>
where
    P: Points,
    K: Kernel<P> + Clone,
    L: Label + Into<i64>,
{
    type Error = ModelFileError;

    /// The same functions, as a C-SVC, whatever they were learned by. Two classes come in descending order and more in ascending order, so that ties are
    /// broken as [`Classifier`] does, but for functions of several classes that are exactly 0.
    fn try_from(model: &Classifier<KernelExpansion<P, K>, L>) -> Result<Self, ModelFileError> {
        let classes = model.classes().len();
        if classes > 2 && model.vote() != Vote::Pairs {
            return Err(ModelFileError::OneVsRest);
        }
        let order: Vec<usize> = if classes == 2 { vec![1, 0] } else { (0..classes).collect() };
        let decision = model.decision();
        let beta = decision.coefficients();
        // The column of our function of a pair p < q of the file, and a value of it with the sign of the file: ours is positive
        // for the greater class, that of the file for the first.
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
        let parts = (0..classes).map(part).collect::<Result<_, crate::Error>>()?;
        let known = decision.intercepts_of_values();
        let intercept = |(p, q)| signed(p, q, known[from(p, q)]);
        let intercepts = pairs(classes).map(intercept).collect();
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

    /// The functions of the classifier, with their sigmoids; a logistic link is a sigmoid, too.
    fn try_from(
        model: &ProbabilisticClassifier<KernelExpansion<P, K>, L>,
    ) -> Result<Self, ModelFileError> {
        let plain = Self::try_from(model.classifier())?;
        let sigmoids = match model.link() {
            Link::Sigmoids(sigmoids) => sigmoids.clone(),
            Link::Logistic => vec![PlattSigmoid { a: -1.0, b: 0.0 }],
            Link::Softmax | Link::OneVsRest => return Err(ModelFileError::OneVsRest),
        };
        // Two classes come in descending order, so their function and what it is positive for are ours; of more,
        // functions have the opposite sign, and sigmoids are of the other class.
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
    /// A model of one function and no classes.
    fn alone(kind: Kind, function: &KernelExpansion<P, K>) -> Self {
        let (labels, sigmoids) = (Vec::new(), Vec::new());
        let intercepts = function.intercepts_of_values();
        let zeros = vec![P::Scalar::ZERO; intercepts.len()];
        let parts = vec![function.clone().with_intercepts(zeros)];
        Self { kind, parts, intercepts, labels, sigmoids }
    }
}

/// The class of a support vector: its coefficients are positive where the class is the second of a pair.
fn class_of<T: Scalar>(beta: MatRef<'_, T>, row: usize, classes: usize) -> usize {
    let mut pairs = pairs(classes).enumerate();
    let found = pairs.find(|&(k, _)| beta[(row, k)] != T::ZERO);
    found.map_or(0, |(k, (a, b))| if beta[(row, k)] > T::ZERO { b } else { a })
}
