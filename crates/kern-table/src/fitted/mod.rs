//! Models of rows, of all kinds.

mod column_map;
mod columns;
mod ensemble;
mod leaderboard;
mod link;

pub(crate) use column_map::{ColumnMap, Shape};
pub(crate) use columns::{largest, outputs};
pub(crate) use ensemble::{Ensemble, Member};
pub use leaderboard::{Entry, Leaderboard};
pub(crate) use link::Link;

use crate::map::TableMap;
use crate::{Answers, Formula, Prepared, Probabilities, Rows};
use faer::Mat;
use kern_solvers::components::{Components, KernelPca};
use kern_solvers::kmeans::KMeans;
use kern_solvers::knn::{KNearest, Similarity};
use kern_solvers::logistic::Logistic;
use kern_solvers::model::{
    Classifier, Clusters, FeatureExpansion, ProbabilisticClassifier, Regressor, Vote,
};
use kern_solvers::pipeline::Piped;
use kern_solvers::ridge::Ridge;
use kern_solvers::space::{OnKernel, OnLandmarks};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{Classes, DecisionValues, Error, Labels, Learner, Model, Report, Values};
use serde::{Deserialize, Serialize};

pub(crate) type Exact = OnKernel<Formula>;
pub(crate) type Landmarks = OnLandmarks<Formula>;
pub(crate) type Neighbors = KNearest<Formula, Similarity>;
pub(crate) type Names = Labels<String>;
pub(crate) type Numbers = Values<f64>;

/// The model of a learner, applied after the preparation of its rows.
pub(crate) type Behind<L, Y> = Piped<Prepared, <L as Learner<Rows, Y>>::Model>;

/// A model of rows.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Fitted {
    Machine(Behind<Svc<Exact>, Names>),
    MachineOnLandmarks(Behind<Svc<Landmarks>, Names>),
    Logistic(Behind<Logistic<Exact>, Names>),
    LogisticOnLandmarks(Behind<Logistic<Landmarks>, Names>),
    VotesOfNeighbors(Behind<Neighbors, Names>),
    RidgeOfClasses(Behind<Ridge<Exact>, Names>),
    RidgeOfClassesOnLandmarks(Behind<Ridge<Landmarks>, Names>),
    Ridge(Behind<Ridge<Exact>, Numbers>),
    RidgeOnLandmarks(Behind<Ridge<Landmarks>, Numbers>),
    Tube(Behind<Svr<Exact>, Numbers>),
    MeansOfNeighbors(Behind<Neighbors, Numbers>),
    OneClass(Behind<OneClass<Exact>, ()>),
    Clusters(Behind<KMeans<Exact>, ()>),
    Components(Behind<KernelPca<Exact>, ()>),
    RegressorOfRounds(Piped<Prepared, Regressor<Summed>>),
    ClassifierOfRounds(Piped<Prepared, Classifier<Summed, String>>),
    LogisticOfRounds(Piped<Prepared, ProbabilisticClassifier<Summed, String>>),
    ClustersOfRounds(Piped<Prepared, Clusters<Summed>>),
    ComponentsOfRounds(Piped<Prepared, Components<Summed>>),
    Contest(Ensemble),
}

/// A feature expansion found in rounds, applied after the preparation of its rows.
pub(crate) type Summed = FeatureExpansion<TableMap, f64>;

/// Evaluates the same expression for every kind of model behind a preparation, and another one for
/// the models of a contest.
macro_rules! each {
    ($fitted:expr, $model:ident => $value:expr, contest => $of_contest:expr) => {
        match $fitted {
            Fitted::Contest($model) => $of_contest,
            Fitted::Machine($model) => $value,
            Fitted::MachineOnLandmarks($model) => $value,
            Fitted::Logistic($model) => $value,
            Fitted::LogisticOnLandmarks($model) => $value,
            Fitted::VotesOfNeighbors($model) => $value,
            Fitted::RidgeOfClasses($model) => $value,
            Fitted::RidgeOfClassesOnLandmarks($model) => $value,
            Fitted::Ridge($model) => $value,
            Fitted::RidgeOnLandmarks($model) => $value,
            Fitted::Tube($model) => $value,
            Fitted::MeansOfNeighbors($model) => $value,
            Fitted::OneClass($model) => $value,
            Fitted::Clusters($model) => $value,
            Fitted::Components($model) => $value,
            Fitted::RegressorOfRounds($model) => $value,
            Fitted::ClassifierOfRounds($model) => $value,
            Fitted::LogisticOfRounds($model) => $value,
            Fitted::ClustersOfRounds($model) => $value,
            Fitted::ComponentsOfRounds($model) => $value,
        }
    };
}

impl From<Vec<String>> for Answers {
    fn from(answers: Vec<String>) -> Self {
        Self::Classes(answers)
    }
}

impl From<Vec<f64>> for Answers {
    fn from(answers: Vec<f64>) -> Self {
        Self::Numbers(answers)
    }
}

impl From<Vec<bool>> for Answers {
    fn from(answers: Vec<bool>) -> Self {
        Self::Known(answers)
    }
}

impl From<Vec<usize>> for Answers {
    fn from(answers: Vec<usize>) -> Self {
        Self::Clusters(answers)
    }
}

impl From<Mat<f64>> for Answers {
    fn from(answers: Mat<f64>) -> Self {
        Self::Coordinates(answers.row_iter().map(|row| row.iter().copied().collect()).collect())
    }
}

fn answers<M: Model<Rows, Answer: Into<Answers>>>(
    model: &M,
    rows: &Rows,
) -> Result<Answers, Error> {
    Ok(model.predict(rows)?.into())
}

impl Fitted {
    pub(crate) fn predict(&self, rows: &Rows) -> Result<Answers, Error> {
        each!(self, model => answers(model, rows), contest => answers(model, rows))
    }

    pub(crate) fn report(&self) -> &Report {
        each!(self, model => Model::<Rows>::report(model), contest => Model::<Rows>::report(model))
    }

    /// The probabilities of classes, if the model has them.
    pub(crate) fn probabilities(&self, rows: &Rows) -> Option<Result<Probabilities, Error>> {
        match self {
            Self::Contest(model) => model.probabilities(rows),
            _ => self.probabilistic().map(|model| probabilities(model, rows)),
        }
    }

    /// The model, if it has probabilities of its own.
    fn probabilistic(&self) -> Option<&Probabilistic> {
        match self {
            Self::Logistic(model) => Some(model),
            Self::LogisticOnLandmarks(model) => Some(model),
            Self::LogisticOfRounds(model) => Some(model),
            Self::VotesOfNeighbors(model) => Some(model),
            _ => None,
        }
    }

    /// The classes, decision values and vote of a classifier without probabilities.
    pub(crate) fn decision_values(&self, rows: &Rows) -> Option<Functions<'_>> {
        let (model, vote): (&Deciding, Vote) = match self {
            Self::Machine(model) => (model, model.model().vote()),
            Self::MachineOnLandmarks(model) => (model, model.model().vote()),
            Self::RidgeOfClasses(model) => (model, model.model().vote()),
            Self::RidgeOfClassesOnLandmarks(model) => (model, model.model().vote()),
            _ => return None,
        };
        Some((model.classes(), model.decision_values(rows), vote))
    }

    /// The number of numeric columns.
    pub(crate) fn width(&self) -> usize {
        each!(self, model => model.map().width(), contest => model.width())
    }

    /// The kind of the model in words.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Machine(_) => "support vector machine",
            Self::MachineOnLandmarks(_) => "support vector machine on landmarks",
            Self::Logistic(_) => "logistic regression",
            Self::LogisticOnLandmarks(_) => "logistic regression on landmarks",
            Self::VotesOfNeighbors(_) => "votes of the nearest neighbours",
            Self::RidgeOfClasses(_) => "ridge regression on the classes",
            Self::RidgeOfClassesOnLandmarks(_) => "ridge regression on the classes, on landmarks",
            Self::Ridge(_) => "ridge regression",
            Self::RidgeOnLandmarks(_) => "ridge regression on landmarks",
            Self::Tube(_) => "support vector regression",
            Self::MeansOfNeighbors(_) => "means of the nearest neighbours",
            Self::OneClass(_) => "one-class support vector machine",
            Self::Clusters(_) => "k-means",
            Self::Components(_) => "principal components",
            Self::RegressorOfRounds(_) => "regression on features, in rounds",
            Self::ClassifierOfRounds(_) => "classification on features, in rounds",
            Self::LogisticOfRounds(_) => "logistic regression on features, in rounds",
            Self::ClustersOfRounds(_) => "k-means on features, in rounds",
            Self::ComponentsOfRounds(_) => "principal components of features, in rounds",
            Self::Contest(_) => "the best of a contest",
        }
    }
}

/// Classes, the values of the functions that decide between them, and what these mean.
type Functions<'m> = (&'m [String], Result<Mat<f64>, Error>, Vote);

/// A classifier with decision values.
trait Decides: DecisionValues<Rows> + Classes<Label = String> {}

impl<M: DecisionValues<Rows> + Classes<Label = String>> Decides for M {}

type Deciding = dyn Decides<Answer = Vec<String>>;

/// A model with probabilities of classes.
type Probabilistic = dyn kern_solvers::Probabilities<Rows, Answer = Vec<String>, Label = String>;

fn probabilities(model: &Probabilistic, rows: &Rows) -> Result<Probabilities, Error> {
    let values = model.predict_proba(rows)?;
    let row = |i: usize| (0..values.ncols()).map(|k| values[(i, k)]).collect();
    let rows = (0..rows.len()).map(row).collect();
    Ok(Probabilities { classes: model.classes().to_vec(), rows })
}
