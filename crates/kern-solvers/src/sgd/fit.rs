//! Fits by SGD: the same in every space.

use super::descent::{Descent, Progressed};
use super::engine::Outcome;
use super::params::Rules;
use super::vector::Vector;
use super::{Loss, Sgd};
use crate::labels::Encoded;
use crate::model::{Classifier, Regression, Vote, learned};
use crate::space::Space;
use crate::{ClassWeights, Data, Error, Label, Labels, Learner, Report, Run};
use faer::MatRef;
use kern_approx::statistics::check_targets;
use kern_core::{Points, Scalar};
use std::borrow::Cow;

/// A space in which SGD runs. Sealed: its method takes types that cannot be named outside.
pub trait SgdSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn descend(
        &self,
        points: &P,
        descent: &Descent<'_, P::Scalar>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;
}

/// The start of a descent, if not zero.
#[derive(Clone, Debug)]
pub struct Known<P, N: Scalar> {
    /// The points of a kernel expansion.
    pub(super) points: Option<P>,
    pub(super) vector: Vector<N>,
    /// ‖w‖².
    pub(super) squared_norm: f64,
}

/// The end of a descent. Rows of what was known come first.
#[derive(Debug)]
pub struct Reached<N: Scalar> {
    pub(super) vector: Vector<N>,
    pub(super) outcome: Outcome,
    pub(super) objective: f64,
    pub(super) squared_norm: f64,
}

impl<N: Scalar> Reached<N> {
    pub(super) fn report(&self) -> Report {
        let Outcome { status, iterations, .. } = self.outcome;
        Report::new(status, iterations, self.objective, None)
    }

    /// The intercepts of so many outputs.
    pub(super) fn intercepts<T: Scalar>(&self, outputs: usize) -> Vec<T> {
        let known = self.outcome.intercepts.iter().copied();
        known.chain(std::iter::repeat(0.0)).take(outputs).map(T::from_f64).collect()
    }

    /// The rows that the model is made of.
    pub(super) fn answer(&self) -> faer::Mat<N> {
        self.vector.answer(self.outcome.averaged)
    }
}

impl Rules {
    /// The weights of labelled points: a class may have none of its own, unless classes have weights.
    pub(super) fn weigh<'w, L>(
        &self,
        labels: &Encoded<L>,
        weights: Option<&'w [f64]>,
    ) -> Result<Option<Cow<'w, [f64]>>, Error> {
        match &self.class_weights {
            ClassWeights::Equal => Ok(weights.map(Cow::Borrowed)),
            others => Ok(others.combine(labels, weights)?.map(Cow::Owned)),
        }
    }
}

impl<S> Sgd<S> {
    fn descend<P>(
        &self,
        points: &P,
        (targets, weights): (MatRef<'_, P::Scalar>, Option<&[f64]>),
        loss: Loss,
        run: &mut Run<'_>,
    ) -> Result<(S::Function, Report), Error>
    where
        P: Points,
        S: SgdSpace<P>,
    {
        check_targets(points.len(), targets)?;
        let descent = Descent::new((targets, weights), loss, &self.rules, Progressed::default())?;
        learned(self.space.descend(points, &descent, run)?)
    }
}

/// # Errors
/// [`Error::Core`] for a parameter outside its domain or points that are refused; [`Error::Gram`] beyond the memory of the
/// run; [`Error::TooLong`] beyond its time; [`Error::StepSize`], [`Error::Diverged`]; [`Error::AdaptiveKernel`];
/// [`Error::MarginLoss`] for a loss that is for classes.
impl<P, Y, S> Learner<P, Y> for Sgd<S>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    S: SgdSpace<P>,
{
    type Model = Y::Model<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let known = (data.targets().matrix(), data.sample_weights());
        let loss = self.rules.regression_loss()?;
        let (function, report) = self.descend(data.points(), known, loss, run)?;
        Ok(Y::model(function, report))
    }
}

/// # Errors
/// As for numbers; [`Error::OneClass`]; [`Error::SoftmaxLoss`].
impl<P: Points, L: Label, S: SgdSpace<P>> Learner<P, Labels<L>> for Sgd<S> {
    type Model = Classifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let labels = Encoded::new(data.targets())?;
        let weights = self.rules.weigh(&labels, data.sample_weights())?;
        let signs = labels.signs(&run.budget())?;
        let known = (signs.as_ref(), weights.as_deref());
        let (function, report) =
            self.descend(data.points(), known, self.rules.class_loss(), run)?;
        Ok(Classifier::new(function, (labels.classes, Vote::Greatest), report))
    }
}
