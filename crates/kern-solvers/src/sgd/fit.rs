//! Fits by SGD: the same in either space.

use super::engine::{Outcome, Problem};
use super::params::Settings;
use super::{Loss, Sgd};
use crate::labels::{Encoded, check_targets};
use crate::model::{Classifier, Decision, Regressor};
use crate::{Error, Label, Observer, Report};
use faer::MatRef;
use kern_core::Points;

/// Where the iterate lives: [`OnKernel`](super::OnKernel) or [`OnFeatures`](super::OnFeatures).
///
/// Sealed: its method takes types that cannot be named outside.
pub trait Space<P: Points> {
    /// The function that is learned.
    type Model: Decision<P>;

    #[doc(hidden)]
    fn learn(
        self,
        points: &P,
        problem: &Problem<'_, P::Scalar>,
        settings: &Settings,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Learned<Self::Model>, Error>;
}

/// A learned function and its evidence.
#[derive(Debug)]
pub struct Learned<D> {
    pub(super) model: D,
    pub(super) outcome: Outcome,
    pub(super) objective: f64,
}

impl<D> Learned<D> {
    fn into_parts(self) -> (D, Report) {
        let Outcome { status, iterations } = self.outcome;
        let report = Report { status, iterations, objective: self.objective, gap: None };
        (self.model, report)
    }
}

impl<S> Sgd<S> {
    /// Learns a classifier; several classes each against the rest, sharing kernel values or
    /// features.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`]; [`Error::Core`] for a bad
    /// parameter or points that are refused; [`Error::Gram`] beyond the budget;
    /// [`Error::Diverged`].
    pub fn fit_classifier<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<Classifier<S::Model, L>, Error>
    where
        P: Points,
        S: Space<P>,
        L: Label,
    {
        self.classify(points, labels, None)
    }

    /// [`fit_classifier`](Sgd::fit_classifier), watched by an observer once per epoch.
    ///
    /// # Errors
    /// As [`fit_classifier`](Sgd::fit_classifier).
    pub fn fit_classifier_observed<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<Classifier<S::Model, L>, Error>
    where
        P: Points,
        S: Space<P>,
        L: Label,
    {
        self.classify(points, labels, Some(observer))
    }

    /// Learns a function with one output.
    ///
    /// # Errors
    /// As [`fit_classifier`](Sgd::fit_classifier); [`Error::NotFinite`] for a target and
    /// [`Error::MarginLoss`] for a loss that is for classes.
    pub fn fit<P>(self, points: &P, targets: &[P::Scalar]) -> Result<Regressor<S::Model>, Error>
    where
        P: Points,
        S: Space<P>,
    {
        let loss = self.settings.loss.unwrap_or(Loss::Squared);
        if loss.is_margin() {
            return Err(Error::MarginLoss { loss });
        }
        let y = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let (model, report) = self.learn(points, y, loss, None)?;
        Ok(Regressor::new(model, report))
    }

    fn classify<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: Option<&mut dyn Observer>,
    ) -> Result<Classifier<S::Model, L>, Error>
    where
        P: Points,
        S: Space<P>,
        L: Label,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let loss = self.settings.loss.unwrap_or(Loss::Logistic);
        let signs = labels.signs(&self.settings.budget())?;
        let (model, report) = self.learn(points, signs.as_ref(), loss, observer)?;
        Ok(Classifier::new(model, labels.classes, report))
    }

    fn learn<P>(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
        loss: Loss,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(S::Model, Report), Error>
    where
        P: Points,
        S: Space<P>,
    {
        self.settings.check()?;
        loss.check()?;
        check_targets(points.len(), targets)?;
        let problem = Problem::new(targets, loss, &self.settings);
        Ok(self.space.learn(points, &problem, &self.settings, observer)?.into_parts())
    }
}
