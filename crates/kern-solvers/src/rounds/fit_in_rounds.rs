//! Fit in rounds: its state between queries, which is the checkpoint, and its outcome, which
//! becomes a model when combined with a feature map.

use super::component_rounds::{ComponentRounds, PrincipalAxes};
use super::descent_rounds::DescentRounds;
use super::k_means_rounds::{Centroids, KMeansRounds};
use super::query::{Query, Sums};
use super::ridge_rounds::RidgeRounds;
use crate::model::{
    Classifier, FeatureExpansion, Link, MultiRegressor, ProbabilisticClassifier, Regressor, Vote,
};
use crate::sgd::Loss;
use crate::{Error, Label, Report};
use faer::Mat;
use kern_core::Positive;
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// Default relative decrease at which k-means in rounds ends, and the most rounds.
const ROUNDS_DECREASE: f64 = 1e-6;
const ROUNDS_OF_MEANS: usize = 300;

/// State of a fit in rounds. See the [module](super) for the protocol.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Kind", into = "Kind")]
pub struct Rounds(Kind);

impl From<Rounds> for Kind {
    fn from(rounds: Rounds) -> Self {
        rounds.0
    }
}

/// Validates a checkpoint, which may come from anywhere.
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

/// The result of a round.
#[derive(Debug)]
pub enum Next<R> {
    /// Another round is needed.
    Round(R),
    /// The fit has ended.
    Done(Box<Outcome>),
}

/// The progress of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// The number of completed rounds.
    pub rounds: usize,
    /// The objective, once it has been computed.
    pub objective: Option<f64>,
    /// A bound on the distance of the objective from its minimum; an estimate until the certificate
    /// is computed.
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
    /// Starts [ridge regression](crate::ridge) on `dim` features with `outputs` outputs. If λ is
    /// not given, it minimises the generalised cross-validation score over half decades from 10⁻⁸
    /// to 10, which takes no further round.
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

    /// Starts the minimisation of J = (1/n)Σβℓ + (λ/2)‖w‖² for each output, with a smooth loss, by
    /// L-BFGS in the metric of Σβzzᵀ; without a loss, [softmax regression](crate::logistic) with
    /// `outputs` classes.
    ///
    /// The fit ends at a relative duality gap of 10⁻⁴, or after 200 rounds; see [`DescentRounds`].
    ///
    /// # Errors
    /// [`Error::Core`] unless λ > 0, [`Error::Count`] unless there are features and outputs,
    /// [`Error::Unsupported`] for a loss with a kink.
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

    /// Starts [k-means](crate::kmeans) from these centres, D × k; for data larger than memory, use
    /// those of a sample.
    ///
    /// The fit ends at a relative decrease of 10⁻⁶, or after 300 rounds.
    ///
    /// # Errors
    /// [`Error::Count`] without centres, [`Error::Coefficient`] for non-finite values.
    pub fn k_means(centres: Mat<f64>) -> Result<Self, Error> {
        let (tolerance, most) = (ROUNDS_DECREASE, ROUNDS_OF_MEANS);
        Ok(Self(Kind::KMeans(KMeansRounds::new(centres, tolerance, most)?)))
    }

    /// Starts [principal components](crate::components) of `dim` features.
    ///
    /// # Errors
    /// [`Error::Count`] unless there are features and components, at most `dim`.
    pub fn components(dim: usize, count: usize) -> Result<Self, Error> {
        check_shape(dim, count)?;
        Error::check_most("the number of components", count, dim)?;
        Ok(Self(Kind::Components(ComponentRounds { dim, count })))
    }

    /// Sets the tolerance of the duality gap relative to the objective, or for k-means of the
    /// relative decrease of the objective. Fits of a single round ignore it.
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

    /// Sets the maximum number of rounds. Fits of a single round ignore it.
    ///
    /// # Errors
    /// [`Error::Count`] for 0.
    pub fn max_rounds(mut self, rounds: usize) -> Result<Self, Error> {
        Error::check_positive("max_rounds", rounds)?;
        match &mut self.0 {
            Kind::Descent(descent) => descent.set_max_rounds(rounds),
            Kind::KMeans(k_means) => k_means.set_max_rounds(rounds),
            Kind::Ridge(_) | Kind::Components(_) => (),
        }
        Ok(self)
    }

    /// The query of the current round.
    #[must_use]
    pub fn query(&self) -> Query {
        match &self.0 {
            Kind::Ridge(rounds) => rounds.query(),
            Kind::Descent(rounds) => rounds.query(),
            Kind::KMeans(rounds) => rounds.query(),
            Kind::Components(rounds) => rounds.query(),
        }
    }

    /// Continues with the sums that answer the query of the current round.
    ///
    /// # Complexity
    /// D³/3 flops and memory for D² values after the round of the moments, for a factor; O(D²)
    /// flops after other rounds.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] for sums of another query, [`Error::Empty`] and [`Error::NoWeight`]
    /// for sums without samples or weight, [`Error::Gram`] if the memory is exceeded,
    /// [`Error::NotPositiveDefinite`], [`Error::Range`] if sums overflow.
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

    /// The progress of the fit.
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
    Error::check_positive("the number of features", dim)?;
    Error::check_positive("the number of outputs", outputs)
}

/// The result of a fit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Affine functions of features.
    Functions(Functions),
    /// Cluster means.
    Centroids(Centroids),
    /// Principal axes.
    Components(PrincipalAxes),
}

impl Outcome {
    /// The functions, or `None` for another outcome.
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
#[non_exhaustive]
pub struct Functions {
    /// w: D × functions.
    pub weights: Mat<f64>,
    /// b.
    pub intercepts: Vec<f64>,
    /// The unexplained share of the variance of the targets by generalised cross-validation,
    /// 1 − R², if it has chosen λ.
    pub left: Option<f64>,
    /// The report of the fit.
    pub report: Report,
}

impl Functions {
    fn expansion<M>(self, map: M) -> (FeatureExpansion<M, f64>, Report) {
        let Self { weights, intercepts, report, .. } = self;
        (FeatureExpansion::new(map, weights).with_intercepts(intercepts), report)
    }

    /// Combines the functions with their feature map.
    pub fn regressors<M>(self, map: M) -> MultiRegressor<FeatureExpansion<M, f64>> {
        let (decision, report) = self.expansion(map);
        MultiRegressor::new(decision, report)
    }

    /// Combines the only function with its feature map.
    ///
    /// # Errors
    /// [`Error::Count`] if there are several functions.
    pub fn regressor<M>(self, map: M) -> Result<Regressor<FeatureExpansion<M, f64>>, Error> {
        Error::check_one_output(self.intercepts.len())?;
        let (decision, report) = self.expansion(map);
        Ok(Regressor::new(decision, report))
    }

    /// The classifier of these sorted classes: by the sign of one function for two classes,
    /// otherwise by the largest of one function for each class.
    ///
    /// # Errors
    /// [`Error::Count`] for another number of functions, [`Error::Classes`] unless there are at
    /// least two classes, distinct and sorted.
    pub fn classifier<M, L: Label>(
        self,
        map: M,
        classes: Vec<L>,
    ) -> Result<Classifier<FeatureExpansion<M, f64>, L>, Error> {
        if classes.len() < 2 || !classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::Classes);
        }
        let given = self.intercepts.len();
        if given != Vote::Argmax.functions(classes.len()) {
            let (name, allowed) = ("the number of functions", "one, or one for each class");
            return Err(Error::Count { name, given, allowed });
        }
        let (decision, report) = self.expansion(map);
        Ok(Classifier::new(decision, classes, Vote::Argmax, report))
    }

    /// The classifier with probabilities: σ(f) for the second of two classes, otherwise softmax.
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
