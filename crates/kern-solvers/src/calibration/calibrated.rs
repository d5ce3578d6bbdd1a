//! A calibrated classifier: held-out scores from cross-validation, and Platt sigmoids on them.

use super::PlattSigmoid;
use crate::classes::{Encoded, pairs_of_classes};
use crate::model::{Classifier, Decision, Link, ProbabilisticClassifier, Vote};
use crate::{Data, Error, Label, Labels, Learner, Run, fit_sugar};
use faer::Mat;
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Points, Scalar, named_parameters};
use kern_gram::zeros;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A classifier with calibrated probabilities: Platt sigmoids on cross-validated decision values.
///
/// The sigmoids are fitted to the scores of each fold from the classifier fitted on the other
/// folds. Sample weights apply to these fits, not to the sigmoids. Folds are stratified by class in
/// a random order determined by the seed. The final classifier is fitted on all points, and equals
/// that of the learner alone.
///
/// # Complexity
/// The cost of one fit per fold, plus one.
///
/// # References
/// See the [module](super).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{calibration::Calibrated, svm::Svc};
/// let x = Samples::from_rows(&[[0.0], [0.5], [1.0], [1.5], [4.0], [4.5], [5.0], [5.5]])?;
/// let y = ["low", "low", "low", "low", "top", "top", "top", "top"];
/// let model = Calibrated::new(Svc::on_kernel(Rbf::new(0.5)?)).folds(4).fit(&x, &y)?;
/// let p = model.predict_proba(&x)?; // points × classes, in the order of `classes`
/// assert!(p[(0, 0)] > 0.6 && p[(7, 1)] > 0.6);
/// assert_eq!(model.disagreement(&x)?, 0.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "Platt scaling")]
#[doc(alias = "CalibratedClassifierCV")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibrated<A> {
    learner: A,
    folds: usize,
    seed: u64,
}

/// As in LIBSVM.
const FOLDS: usize = 5;

impl<A> Calibrated<A> {
    /// Calibrates the classifiers of this learner.
    pub const fn new(learner: A) -> Self {
        Self { learner, folds: FOLDS, seed: 0 }
    }

    /// The number of cross-validation folds, at least 2. Default: 5.
    #[must_use]
    pub fn folds(mut self, folds: usize) -> Self {
        self.folds = folds;
        self
    }

    /// The random seed of the assignment of points to folds. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The learner of the classifiers.
    pub const fn learner(&self) -> &A {
        &self.learner
    }

    fit_sugar!(supervised);
}

named_parameters! {
    /// `calibration.folds` and `calibration.seed`, followed by the parameters of the learner under
    /// their own names.
    [A: Parameters] Calibrated<A> {
        folds("calibration.folds", const { Some(&Domain::count(2)) }),
        seed("calibration.seed", None),
    }
    with learner
}

/// # Errors
/// As the learner; [`Error::Count`] for fewer than two folds, or fewer than two points in a class.
impl<P, L, A, D> Learner<P, Labels<L>> for Calibrated<A>
where
    P: Points,
    L: Label,
    D: Decision<P>,
    A: Learner<P, Labels<L>, Model = Classifier<D, L>>,
{
    type Model = ProbabilisticClassifier<D, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let encoded = Encoded::new(data.targets())?;
        let classes = encoded.classes.len();
        let fold_of = deal(&encoded.indices, classes, self.folds, self.seed)?;
        let classifier = self.learner.learn(data, run)?;
        let scores = self.held_out(data, &fold_of, classifier.decision().outputs(), run)?;
        let sigmoid = |k: usize, first: Option<usize>, second: usize| {
            let is_in = |&i: &usize| {
                let class = encoded.indices[i];
                class == second || first.is_none_or(|first| class == first)
            };
            let (f, y): (Vec<f64>, Vec<bool>) = (0..data.len())
                .filter(is_in)
                .map(|i| (scores[(i, k)].to_f64(), encoded.indices[i] == second))
                .unzip();
            PlattSigmoid::fit(&f, &y)
        };
        let sigmoids = match (classes, classifier.vote()) {
            (2, _) => vec![sigmoid(0, None, 1)],
            (_, Vote::Pairs) => {
                let pairs = pairs_of_classes(classes).enumerate();
                pairs.map(|(k, (a, b))| sigmoid(k, Some(a), b)).collect()
            }
            (_, Vote::Argmax) => (0..classes).map(|c| sigmoid(c, None, c)).collect(),
        };
        Ok(ProbabilisticClassifier::new(classifier, Link::Sigmoids(sigmoids)))
    }
}

impl<A> Calibrated<A> {
    /// The held-out scores, points × functions: each fold is scored by a classifier fitted on the
    /// others.
    fn held_out<P, L, D>(
        &self,
        data: &Data<'_, P, Labels<L>>,
        fold_of: &[usize],
        functions: usize,
        run: &mut Run<'_>,
    ) -> Result<Mat<P::Scalar>, Error>
    where
        P: Points,
        L: Label,
        D: Decision<P>,
        A: Learner<P, Labels<L>, Model = Classifier<D, L>>,
    {
        let mut scores = zeros(data.len(), functions)?;
        // Folds are empty if there are more folds than points; those are skipped.
        let folds = fold_of.iter().max().map_or(0, |fold| fold + 1);
        for fold in 0..folds {
            let (out, kept): (Vec<usize>, Vec<usize>) =
                (0..data.len()).partition(|&i| fold_of[i] == fold);
            if out.is_empty() {
                continue;
            }
            let budget = run.budget();
            let model = self.learner.learn(&data.select(&kept)?, &mut run.part(budget))?;
            let values = model.decision_values(&data.points().select(&out)?)?;
            for (row, &i) in out.iter().enumerate() {
                scores.row_mut(i).copy_from(values.row(row));
            }
        }
        Ok(scores)
    }
}

/// The fold of each point, stratified: the points of a class are dealt to the folds in turn, in
/// random order.
fn deal(indices: &[usize], classes: usize, folds: usize, seed: u64) -> Result<Vec<usize>, Error> {
    if folds < 2 {
        return Err(Error::Count { name: "folds", given: folds, allowed: "at least 2" });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut fold_of = vec![0; indices.len()];
    for class in 0..classes {
        let mut members: Vec<usize> = (0..indices.len()).filter(|&i| indices[i] == class).collect();
        if members.len() < 2 {
            let (name, allowed) = ("the number of points in each class", "at least 2");
            return Err(Error::Count { name, given: members.len(), allowed });
        }
        members.shuffle(&mut rng);
        members.iter().enumerate().for_each(|(turn, &i)| fold_of[i] = turn % folds);
    }
    Ok(fold_of)
}
