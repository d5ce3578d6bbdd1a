//! Fit in rounds: the state that goes from query to query, which is the checkpoint, and the outcome, which
//! becomes a model with a feature map.

use super::component_rounds::{ComponentRounds, PrincipalAxes};
use super::descent_rounds::DescentRounds;
use super::k_means_rounds::{Centroids, KMeansRounds};
use super::query::{Query, Sums};
use super::ridge_rounds::RidgeRounds;
use crate::model::{
    Classifier, FeatureExpansion, Link, MultiRegressor, ProbabilisticClassifier, Regressor, Vote,
};
use crate::sgd::Loss;
use crate::{Error, Label, Report, tolerance};
use faer::Mat;
use kern_core::Positive;
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// A fit on its way. See the [module](super) for the law.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Kind", into = "Kind")]
pub struct Rounds(Kind);

impl From<Rounds> for Kind {
    fn from(rounds: Rounds) -> Self {
        rounds.0
    }
}

/// A checkpoint is read from anywhere.
impl TryFrom<Kind> for Rounds {
    type Error = Error;

    fn try_from(kind: Kind) -> Result<Self, Error> {
        match &kind {
            Kind::Ridge(_) => (),
            Kind::Descent(rounds) => rounds.check()?,
            Kind::KMeans(rounds) => rounds.check()?,
            Kind::Components(rounds) => {
                Error::check_most("the number of components", rounds.count, rounds.dim)?;
            }
        }
        Ok(Self(kind))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kind {
    Ridge(RidgeRounds),
    Descent(Box<DescentRounds>),
    KMeans(KMeansRounds),
    Components(ComponentRounds),
}

/// The step after a round.
#[derive(Debug)]
pub enum Next<R> {
    /// Another round.
    Round(R),
    /// The end.
    Done(Box<Outcome>),
}

/// The state of a fit, for those who watch it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// The rounds that are done.
    pub rounds: usize,
    /// The objective, once it is known.
    pub objective: Option<f64>,
    /// A bound on the distance from its minimum, or an estimate of one until the certificate is asked for.
    pub gap: Option<f64>,
}

impl<R> Next<R> {
    fn map<S>(self, f: impl FnOnce(R) -> S) -> Next<S> {
        match self {
            Self::Round(rounds) => Next::Round(f(rounds)),
            Self::Done(outcome) => Next::Done(outcome),
        }
    }
}

impl Rounds {
    /// [Ridge regression](crate::ridge) on D features with so many outputs. Without a λ it is the one from 10⁻⁸ to 10, in half
    /// decades, with the least generalised cross-validation score, which sums give for all λ at once.
    ///
    /// # Errors
    /// [`Error::Core`] unless λ > 0, [`Error::Count`] unless there are features and outputs.
    pub fn ridge(
        dim: usize,
        outputs: usize,
        lambda: impl Into<Option<f64>>,
        intercept: bool,
    ) -> Result<Self, Error> {
        check_shape(dim, outputs)?;
        let lambda = lambda.into().map(positive).transpose()?;
        Ok(Self(Kind::Ridge(RidgeRounds::new(dim, outputs, lambda, intercept))))
    }

    /// J = (1/n)Σβℓ + (λ/2)‖w‖² of a smooth loss for each of the outputs, by L-BFGS in the metric of Σβzzᵀ; without a loss
    /// [softmax regression](crate::logistic) of so many classes.
    ///
    /// The end is a relative duality gap of 10⁻⁴, or 200 rounds; see [`DescentRounds`].
    ///
    /// # Errors
    /// [`Error::Core`] unless λ > 0, [`Error::Count`] unless there are features and outputs, [`Error::Unsupported`] for a loss
    /// with a kink.
    pub fn descent(
        dim: usize,
        outputs: usize,
        loss: Option<Loss>,
        lambda: f64,
        intercept: bool,
    ) -> Result<Self, Error> {
        check_shape(dim, outputs)?;
        let rounds = DescentRounds::new(dim, outputs, loss, positive(lambda)?, intercept)?;
        Ok(Self(Kind::Descent(Box::new(rounds))))
    }

    /// [k-means](crate::kmeans) from these centres, D × k; for a fit beyond the memory those of a sample.
    ///
    /// The end is a relative decrease of 10⁻⁶, or 300 rounds.
    ///
    /// # Errors
    /// [`Error::Count`] without centres, [`Error::Coefficient`] for numbers that are none.
    pub fn k_means(centres: Mat<f64>) -> Result<Self, Error> {
        let (tolerance, most) = (tolerance::ROUNDS_DECREASE, tolerance::ROUNDS_OF_MEANS);
        Ok(Self(Kind::KMeans(KMeansRounds::new(centres, tolerance, most)?)))
    }

    /// [Principal components](crate::components) of D features.
    ///
    /// # Errors
    /// [`Error::Count`] unless there are features and components, at most D.
    pub fn components(dim: usize, count: usize) -> Result<Self, Error> {
        check_shape(dim, count)?;
        Error::check_most("the number of components", count, dim)?;
        Ok(Self(Kind::Components(ComponentRounds { dim, count })))
    }

    /// The same with this tolerance: of the duality gap relative to the objective, or for k-means of its decrease.
    ///
    /// # Errors
    /// [`Error::Core`] unless it is positive.
    pub fn tolerance(mut self, tolerance: f64) -> Result<Self, Error> {
        let tolerance = Positive::new("tolerance", tolerance)?.get();
        match &mut self.0 {
            Kind::Descent(rounds) => rounds.set_tolerance(tolerance),
            Kind::KMeans(rounds) => rounds.set_tolerance(tolerance),
            Kind::Ridge(_) | Kind::Components(_) => (),
        }
        Ok(self)
    }

    /// The same with at most so many rounds.
    ///
    /// # Errors
    /// [`Error::Count`] for none.
    pub fn max_rounds(mut self, rounds: usize) -> Result<Self, Error> {
        if rounds == 0 {
            return Err(Error::Count { name: "max_rounds", given: 0, allowed: "at least 1" });
        }
        match &mut self.0 {
            Kind::Descent(descent) => descent.set_max_rounds(rounds),
            Kind::KMeans(k_means) => k_means.set_max_rounds(rounds),
            Kind::Ridge(_) | Kind::Components(_) => (),
        }
        Ok(self)
    }

    /// The question of this round.
    #[must_use]
    pub fn query(&self) -> Query {
        match &self.0 {
            Kind::Ridge(rounds) => rounds.query(),
            Kind::Descent(rounds) => rounds.query(),
            Kind::KMeans(rounds) => rounds.query(),
            Kind::Components(rounds) => rounds.query(),
        }
    }

    /// Goes on with the answer.
    ///
    /// # Complexity
    /// A factor of D × D numbers where moments are known: D³/3 flops; D² numbers and flops in other rounds.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] for the answer to another query, [`Error::Empty`] and [`Error::NoWeight`] for sums of nothing,
    /// [`Error::Gram`] beyond the memory, [`Error::NotPositiveDefinite`], [`Error::Range`] for sums that overflow.
    pub fn next(self, sums: Sums, memory: &MemoryBudget) -> Result<Next<Self>, Error> {
        if sums.count() == 0 {
            return Err(Error::Empty);
        }
        Ok(match self.0 {
            Kind::Ridge(rounds) => rounds.next(sums, memory)?.map(|r| Self(Kind::Ridge(r))),
            Kind::Descent(rounds) => {
                rounds.next(sums, memory)?.map(|r| Self(Kind::Descent(Box::new(r))))
            }
            Kind::KMeans(rounds) => rounds.next(&sums)?.map(|r| Self(Kind::KMeans(r))),
            Kind::Components(rounds) => {
                rounds.next(sums, memory)?.map(|r| Self(Kind::Components(r)))
            }
        })
    }

    /// The state, for those who watch.
    #[must_use]
    pub fn state(&self) -> State {
        match &self.0 {
            Kind::Ridge(_) | Kind::Components(_) => State { rounds: 0, objective: None, gap: None },
            Kind::Descent(rounds) => rounds.state(),
            Kind::KMeans(rounds) => {
                State { rounds: rounds.done(), objective: rounds.objective(), gap: None }
            }
        }
    }
}

fn positive(lambda: f64) -> Result<f64, Error> {
    Ok(Positive::new("lambda", lambda)?.get())
}

fn check_shape(dim: usize, outputs: usize) -> Result<(), Error> {
    for (name, given) in [("the number of features", dim), ("the number of outputs", outputs)] {
        if given == 0 {
            return Err(Error::Count { name, given, allowed: "at least 1" });
        }
    }
    Ok(())
}

/// The result of a fit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Affine functions of features.
    Functions(Functions),
    /// Means of clusters.
    Centroids(Centroids),
    /// Principal axes.
    Components(PrincipalAxes),
}

impl Outcome {
    /// The functions, if that is what was found.
    #[must_use]
    pub fn functions(self) -> Option<Functions> {
        match self {
            Self::Functions(functions) => Some(functions),
            _ => None,
        }
    }
}

/// Affine functions f_c(x) = w_cᵀψ(x) + b_c.
#[derive(Clone, Debug)]
pub struct Functions {
    /// w: D × functions.
    pub weights: Mat<f64>,
    /// b.
    pub intercepts: Vec<f64>,
    /// The share of the variance of the targets that is left by generalised cross-validation, 1 − R², where this has chosen λ.
    pub left: Option<f64>,
    /// The evidence of the fit.
    pub report: Report,
}

impl Functions {
    fn expansion<M>(self, map: M) -> (FeatureExpansion<M, f64>, Report) {
        let Self { weights, intercepts, report, .. } = self;
        (FeatureExpansion::new(map, weights).with_intercepts(intercepts), report)
    }

    /// The functions of this map's features.
    pub fn regressors<M>(self, map: M) -> MultiRegressor<FeatureExpansion<M, f64>> {
        let (decision, report) = self.expansion(map);
        MultiRegressor::new(decision, report)
    }

    /// The function of this map's features.
    ///
    /// # Errors
    /// [`Error::Count`] if there are several.
    pub fn regressor<M>(self, map: M) -> Result<Regressor<FeatureExpansion<M, f64>>, Error> {
        match self.intercepts.len() {
            1 => {
                let (decision, report) = self.expansion(map);
                Ok(Regressor::new(decision, report))
            }
            given => Err(Error::Count { name: "the number of outputs", given, allowed: "1" }),
        }
    }

    /// The classifier of these classes, in order: of two by the sign of one function, of others by the greatest of one
    /// function for each.
    ///
    /// # Errors
    /// [`Error::Count`] for another number of functions, [`Error::Classes`] unless there are two, different and in order.
    pub fn classifier<M, L: Label>(
        self,
        map: M,
        classes: Vec<L>,
    ) -> Result<Classifier<FeatureExpansion<M, f64>, L>, Error> {
        if classes.len() < 2 || !classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::Classes);
        }
        let given = self.intercepts.len();
        if given != Vote::Greatest.functions(classes.len()) {
            let (name, allowed) = ("the number of functions", "one, or one for each class");
            return Err(Error::Count { name, given, allowed });
        }
        let (decision, report) = self.expansion(map);
        Ok(Classifier::new(decision, (classes, Vote::Greatest), report))
    }

    /// The classifier with probabilities: σ(f) of the second of two classes, softmax of others.
    ///
    /// # Errors
    /// As [`classifier`](Self::classifier).
    pub fn probabilistic<M, L: Label>(
        self,
        map: M,
        classes: Vec<L>,
    ) -> Result<ProbabilisticClassifier<FeatureExpansion<M, f64>, L>, Error> {
        let link = if self.intercepts.len() == 1 { Link::Logistic } else { Link::Softmax };
        Ok(ProbabilisticClassifier::new(self.classifier(map, classes)?, link))
    }
}
