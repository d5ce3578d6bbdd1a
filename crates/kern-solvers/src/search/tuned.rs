//! The result of a search: the model of the best candidate, and all trials.

use crate::model::Format;
use crate::{Classes, DecisionValues, Error, Model, Probabilities, Report};
use faer::Mat;
use kern_core::parameters::Setting;
use kern_core::{Named, Points, named};
use serde::{Deserialize, Serialize};

/// The model of the best candidate, and all trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<M>",
    bound(serialize = "M: Named + Serialize", deserialize = "M: Named + Deserialize<'de>")
)]
pub struct Tuned<M> {
    format: Format<Self>,
    names: Vec<String>,
    trials: Vec<Trial>,
    best: usize,
    /// The number of training points of the model.
    points: usize,
    model: M,
    report: Report,
}

named! { [M: Named] Tuned<M> = "tuned", of M; }

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Named + Deserialize<'de>"))]
struct Unchecked<M> {
    format: Format<Tuned<M>>,
    names: Vec<String>,
    trials: Vec<Trial>,
    best: usize,
    /// The number of training points of the model.
    points: usize,
    model: M,
    report: Report,
}

impl<M> TryFrom<Unchecked<M>> for Tuned<M> {
    type Error = Error;

    fn try_from(read: Unchecked<M>) -> Result<Self, Error> {
        let Unchecked { format, names, trials, best, points, model, report } = read;
        kern_core::Error::check_indices(&[best], trials.len())?;
        for trial in &trials {
            Error::check_equal("settings of a trial", names.len(), trial.settings.len())?;
        }
        Ok(Self { format, names, trials, best, points, model, report })
    }
}

impl<M> Tuned<M> {
    pub(super) fn new(
        names: Vec<String>,
        trials: Vec<Trial>,
        best: usize,
        model: M,
        points: usize,
        report: Report,
    ) -> Self {
        Self { format: Format::default(), names, trials, best, points, model, report }
    }

    /// The names of the hyper-parameters that were searched, in the order of the axes.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The candidates, in the order in which they were tried.
    #[must_use]
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// The value of this hyper-parameter in the model; `None` if it was not searched.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        let place = self.names.iter().position(|known| known == name)?;
        self.best()?.settings.get(place)
    }

    /// The candidate of the model: the first one with the best mean.
    #[must_use]
    pub fn best(&self) -> Option<&Trial> {
        self.trials.get(self.best)
    }

    /// The index of the best candidate in [`trials`](Tuned::trials).
    #[must_use]
    pub const fn best_index(&self) -> usize {
        self.best
    }

    /// The number of training points of the model: those of one fold if the search ended early
    /// without time for a refit.
    #[must_use]
    pub const fn points(&self) -> usize {
        self.points
    }

    /// The model, fitted to all of the data unless [`points`](Tuned::points) is smaller.
    pub const fn model(&self) -> &M {
        &self.model
    }

    /// The model without the search.
    pub fn into_model(self) -> M {
        self.model
    }

    /// The predictions at points, in order.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<M::Answer, Error>
    where
        M: Model<P>,
    {
        self.model.predict(points)
    }
}

impl<P: Points, M: Model<P>> Model<P> for Tuned<M> {
    type Answer = M::Answer;

    fn predict(&self, points: &P) -> Result<M::Answer, Error> {
        self.model.predict(points)
    }

    /// The report of the fit on all of the data; its status is [`Stopped`](crate::Status::Stopped)
    /// if the search ended early.
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<P: Points, M: DecisionValues<P>> DecisionValues<P> for Tuned<M> {
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.model.decision_values(points)
    }
}

impl<M: Classes> Classes for Tuned<M> {
    type Label = M::Label;

    fn classes(&self) -> &[M::Label] {
        self.model.classes()
    }
}

impl<P: Points, M: Probabilities<P>> Probabilities<P> for Tuned<M> {
    fn predict_proba(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.model.predict_proba(points)
    }
}

/// A candidate of a search, and its scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trial {
    /// The values of the hyper-parameters, in the order of the axes.
    pub settings: Vec<Setting>,
    /// The score on each fold, as far as it was tried.
    pub scores: Vec<f64>,
    /// The fraction of each fold's points used for training: 1, unless successive halving
    /// eliminated the candidate.
    pub fraction: f64,
    /// The reason why it was not tried on all folds, if any: a failed fit, or a NaN score.
    pub failure: Option<String>,
}

impl Trial {
    /// The mean of the scores, if it was tried on all folds.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let mean = self.scores.iter().sum::<f64>() / self.scores.len() as f64;
        (self.failure.is_none() && !self.scores.is_empty()).then_some(mean)
    }
}
