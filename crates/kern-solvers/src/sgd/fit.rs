//! Fits by SGD: the same in either space.

use super::engine::Outcome;
use super::params::Settings;
use super::problem::{Problem, Progressed};
use super::vector::Vector;
use super::{Loss, Sgd};
use crate::labels::{Encoded, check_targets};
use crate::model::{Classifier, Decision, MultiRegressor, Regressor};
use crate::plan::Way;
use crate::{Error, Label, Observer, Report};
use faer::{Mat, MatRef};
use kern_core::{Points, Scalar};
use kern_gram::parallel;

/// Where the iterate lives: [`OnKernel`](super::OnKernel) or [`OnFeatures`](super::OnFeatures).
///
/// Sealed: its methods take types that cannot be named outside.
pub trait Space<P: Points>: Sized + Send + Sync {
    /// The function that is learned.
    type Model: Decision<P>;
    /// The type of the numbers that steps are added to.
    #[doc(hidden)]
    type Number: Scalar;

    #[doc(hidden)]
    fn learn(
        &self,
        points: &P,
        problem: &Problem<'_, P::Scalar>,
        settings: &Settings,
        known: Option<&Known<P, Self::Number>>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Learned<Self::Number>, Error>;

    #[doc(hidden)]
    fn into_model(
        self,
        points: &P,
        answer: Mat<Self::Number>,
        way: Way,
    ) -> Result<Self::Model, Error>;
}

/// What a run starts from, if not from zero.
#[derive(Clone, Debug)]
pub struct Known<P, N: Scalar> {
    /// The points of a kernel expansion.
    pub(super) points: Option<P>,
    pub(super) vector: Vector<N>,
    /// ‖w‖².
    pub(super) squared_norm: f64,
}

/// What a run ended with. Rows of what was known come first.
#[derive(Debug)]
pub struct Learned<N: Scalar> {
    pub(super) vector: Vector<N>,
    pub(super) outcome: Outcome,
    pub(super) objective: f64,
    pub(super) squared_norm: f64,
    /// The way that was gone, where there was a choice.
    pub(super) way: Way,
}

impl<N: Scalar> Learned<N> {
    pub(super) fn report(&self) -> Report {
        let Outcome { status, iterations, .. } = self.outcome;
        Report { status, iterations, objective: self.objective, gap: None }
    }
}

impl<S> Sgd<S> {
    /// Learns a classifier.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`]; [`Error::Core`] for a bad
    /// parameter or points that are refused; [`Error::Weight`], [`Error::NoWeight`];
    /// [`Error::Gram`] beyond the budget; [`Error::StepSize`], [`Error::Diverged`];
    /// [`Error::SoftmaxLoss`].
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
        let y = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let (model, report) = self.regress(points, y, None)?;
        Ok(Regressor::new(model, report))
    }

    /// [`fit`](Sgd::fit), watched by an observer once per epoch.
    ///
    /// # Errors
    /// As [`fit`](Sgd::fit).
    pub fn fit_observed<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
        observer: &mut dyn Observer,
    ) -> Result<Regressor<S::Model>, Error>
    where
        P: Points,
        S: Space<P>,
    {
        let y = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let (model, report) = self.regress(points, y, Some(observer))?;
        Ok(Regressor::new(model, report))
    }

    /// Learns a function with several outputs, sharing kernel values or features. `targets` is
    /// points × outputs.
    ///
    /// # Errors
    /// As [`fit`](Sgd::fit).
    pub fn fit_outputs<P>(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<MultiRegressor<S::Model>, Error>
    where
        P: Points,
        S: Space<P>,
    {
        let (model, report) = self.regress(points, targets, None)?;
        Ok(MultiRegressor::new(model, report))
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
        let loss = self.settings.class_loss();
        let signs = labels.signs(&self.settings.budget())?;
        let (model, report) = self.learn(points, signs.as_ref(), loss, observer)?;
        Ok(Classifier::new(model, labels.classes, report))
    }

    fn regress<P>(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(S::Model, Report), Error>
    where
        P: Points,
        S: Space<P>,
    {
        let loss = self.settings.regression_loss()?;
        self.learn(points, targets, loss, observer)
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
        check_targets(points.len(), targets)?;
        let problem = Problem::new(targets, loss, &self.settings, Progressed::default())?;
        let run = || self.space.learn(points, &problem, &self.settings, None, observer);
        let learned = parallel::in_pool(run)?;
        let report = learned.report();
        let answer = learned.vector.answer(learned.outcome.averaged);
        Ok((self.space.into_model(points, answer, learned.way)?, report))
    }
}
