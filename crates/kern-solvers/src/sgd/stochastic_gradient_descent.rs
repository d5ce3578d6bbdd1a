//! Stochastic gradient descent: the estimator, and fits that all spaces share.

use super::averaging::Vector;
use super::gradient_step::Outcome;
use super::regularised_risk::{Descent, Progressed};
use super::{Averaging, EarlyStopping, Loss, Schedule};
use crate::classes::Encoded;
use crate::estimator::check;
use crate::model::{Classifier, Regression, Vote, learned};
use crate::space::{Auto, OnFeatures, OnKernel, OnLandmarks, Space, constructors, named_learners};
use crate::{
    ClassWeights, Data, Error, Label, Labels, Learner, MultiClass, Report, Run, fit_sugar,
};
use faer::MatRef;
use kern_approx::statistics::check_targets;
use kern_core::parameters::Domain;
use kern_core::{Points, Positive, Scalar, fields, named_values, settings};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The part of the kernel values or features that is stored; the rest is computed when needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Storage {
    /// All values, computed once: the n × n Gram matrix, or n × D features.
    Cached,
    /// As many values as the memory budget holds: the most recently used columns of the Gram
    /// matrix, or the features of the first points.
    Partial,
    /// The values of a block of upcoming samples at a time.
    OnTheFly,
    /// All values or a block at a time, whichever takes less counted work and fits the budget; see
    /// [`plan`](crate::plan).
    Auto,
}

named_values!(Storage {
    "cached" => Cached,
    "partial" => Partial,
    "on_the_fly" => OnTheFly,
    "auto" => Auto,
});

/// Stochastic gradient descent, on a kernel, on a feature map or on landmarks.
///
/// # Complexity
/// See the [module](super).
///
/// # Examples
/// In u-space with a kernel, and in w-space with features of the same kernel; the steps are the
/// same, so the models agree:
/// ```
/// use kern_core::{Identity, Samples, kernels::Linear};
/// use kern_solvers::sgd::{Loss, Sgd};
/// let x = Samples::from_rows(&[[0.0, 1.0], [1.0, 0.5], [0.2, -1.0], [-1.0, -1.0]])?;
/// let y = [true, true, false, false];
/// let u = Sgd::on_kernel(Linear).loss(Loss::Hinge).seed(7).fit(&x, &y)?;
/// let w = Sgd::on_features(Identity::new(2)).loss(Loss::Hinge).seed(7).fit(&x, &y)?;
/// assert_eq!(u.accuracy(&x, &y)?, 1.0);
/// let difference = u.decision_values(&x)? - w.decision_values(&x)?;
/// assert!(difference.norm_max() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// Regression, here on landmarks chosen in the fit:
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::sgd::{Schedule, Sgd};
/// let x = Samples::from_row_major(1, (0..100).map(|i| f64::from(i) / 25.0).collect())?;
/// let y: Vec<f64> = (0..100).map(|i| (f64::from(i) / 25.0).sin()).collect();
/// let nystrom = Nystrom::new(Rbf::new(1.0)?).landmarks(10);
/// let sgd = Sgd::on_landmarks(nystrom).schedule(Schedule::Constant(0.5)).epochs(100);
/// let model = sgd.fit(&x, &y)?;
/// assert_eq!(model.decision().points().len(), 10);
/// assert!((model.predict(&x)?[50] - y[50]).abs() < 0.05);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "Pegasos")]
#[doc(alias = "NORMA")]
#[doc(alias = "stochastic gradient descent")]
#[doc(alias = "SGDClassifier")]
#[doc(alias = "SGDRegressor")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sgd<S> {
    pub(super) space: S,
    pub(super) rules: Rules,
}

settings! {
    /// The parameters that do not depend on the space.
    pub(super) struct Rules in rules;

    Sgd {
        /// The loss. Default: logistic for a classifier, squared for a regressor.
        loss: Loss;
        /// The treatment of several classes. Default: one-vs-rest.
        multi_class: MultiClass = MultiClass::OneVsRest;
        /// The step sizes. Default: constant, 0.1.
        #[doc(alias = "learning rate")]
        schedule: Schedule = Schedule::Constant(0.1);
        /// The batch size b ≥ 1: a step follows the mean gradient of b samples. Default: 1.
        #[doc(alias = "mini-batch")]
        batch: usize = 1, Domain::count(1);
        /// The iterates whose average is the model. Default: the last iterate only.
        averaging: Averaging = Averaging::Last;
        /// Ends the fit when the loss of held-out points no longer falls. Default: disabled.
        early_stopping: EarlyStopping;
        /// The penalty λ ≥ 0 of ½‖w‖². Default: 0.
        #[doc(alias = "alpha")]
        #[doc(alias = "regularization")]
        lambda: f64 = 0.0, Domain::non_negative().log();
        /// Adds an unpenalised intercept to each output; not supported for streams. Default: false.
        intercept: bool = false;
        /// Scales w back into the ball ‖w‖ ≤ √(L₀/λ), which contains the optimum, after each step.
        /// Requires λ > 0; not supported for streams or AdaGrad. Default: false.
        project: bool = false;
        /// The class weights, which multiply the sample weights. Samples are drawn uniformly, and
        /// their steps are β times as long. Default: [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The seed of the sequence of samples. Default: 0.
        seed: u64 = 0;
        /// The part of the kernel values or features that is stored; [`Auto`] chooses it itself.
        /// Default: [`Storage::Cached`].
        storage: Storage = Storage::Cached;
    }
    Sgd by hand {
        length: Length = Length::Epochs(20);
    }
}

named_learners! { Sgd: rules; }

constructors! {
    Sgd;
    /// SGD on the coefficients u of Σᵢ uᵢK(·, xᵢ).
    on_kernel;
    /// SGD on the weights w of wᵀψ(·).
    on_features;
    /// SGD on the weights of Nyström features, whose landmarks are chosen in the fit by these
    /// parameters. The model is an expansion in kernel values with the landmarks.
    on_landmarks;
    /// SGD in the space that the planner chooses for this kernel. To add a feature map, or to fix
    /// the algorithm, pass an [`Auto`] to [`Sgd::on`].
    auto;
}

impl<S> Sgd<S> {
    /// SGD in this space.
    pub fn on(space: S) -> Self {
        Self { space, rules: Rules::default() }
    }

    /// Runs as many steps as draw `epochs`·n samples. Default: 20 epochs.
    #[must_use]
    pub fn epochs(mut self, epochs: usize) -> Self {
        self.rules.length = Length::Epochs(epochs);
        self
    }

    /// Runs this number of steps T.
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.rules.length = Length::Iterations(iterations);
        self
    }

    fit_sugar!(supervised);
}

/// The number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Length {
    Epochs(usize),
    Iterations(usize),
}

fields!(Length {
    Self::Epochs(count) => { "epochs": count in Domain::count(1) }
    Self::Iterations(count) => { "iterations": count in Domain::count(1) }
});

impl Rules {
    /// Checks the parameters, as far as that needs no data.
    pub(super) fn check(&self) -> Result<(), Error> {
        Error::check_positive("the batch size", self.batch)?;
        check(self)?;
        self.schedule.check(self.lambda)?;
        self.check_projection()?;
        self.averaging.check()?;
        if let Some(rule) = &self.early_stopping {
            rule.check()?;
        }
        let (Length::Epochs(count) | Length::Iterations(count)) = self.length;
        Error::check_positive("the number of steps", count)
    }

    fn check_projection(&self) -> Result<(), Error> {
        if !self.project {
            return Ok(());
        }
        Positive::new("lambda (for the projection)", self.lambda)?;
        match self.schedule.is_adaptive() {
            true => Err(Error::Unsupported {
                what: "a projection with AdaGrad",
                instead: "use another schedule, or do not project",
            }),
            false => Ok(()),
        }
    }

    /// Refuses parameters that streams do not support.
    pub(super) fn check_stream(&self) -> Result<(), Error> {
        let instead = "learn from all points at once, or do without";
        match (self.intercept, self.project) {
            (true, _) => Err(Error::Unsupported { what: "an intercept of a stream", instead }),
            (_, true) => Err(Error::Unsupported { what: "a projection in a stream", instead }),
            _ => Ok(()),
        }
    }

    /// The number of steps for n points.
    pub(super) fn steps(&self, n: usize) -> usize {
        match self.length {
            Length::Epochs(epochs) => epochs.saturating_mul(n).div_ceil(self.batch),
            Length::Iterations(iterations) => iterations,
        }
    }

    /// The loss of a classifier.
    pub(super) fn class_loss(&self) -> Loss {
        self.loss.unwrap_or(Loss::Logistic)
    }

    /// The loss of a regressor.
    pub(super) fn regression_loss(&self) -> Result<Loss, Error> {
        let loss = self.loss.unwrap_or(Loss::Squared);
        if loss.is_margin() {
            return Err(Error::MarginLoss { loss: format!("{loss:?}") });
        }
        Ok(loss)
    }
}

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

/// The state that a descent starts from, if it is not zero.
#[derive(Clone, Debug)]
pub struct Known<P, N: Scalar> {
    /// The points of a kernel expansion.
    pub(super) points: Option<P>,
    pub(super) vector: Vector<N>,
    /// ‖w‖².
    pub(super) squared_norm: f64,
}

/// The end of a descent. The rows of the starting state come first.
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

    /// The intercepts of `outputs` outputs; 0 without intercepts.
    pub(super) fn intercepts<T: Scalar>(&self, outputs: usize) -> Vec<T> {
        let known = self.outcome.intercepts.iter().copied();
        known.chain(std::iter::repeat(0.0)).take(outputs).map(T::from_f64).collect()
    }

    /// The coefficients of the model.
    pub(super) fn answer(&self) -> faer::Mat<N> {
        self.vector.answer(self.outcome.averaged)
    }
}

impl Rules {
    /// The weights of labelled points. A class may be without points, unless classes have weights.
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
        targets: MatRef<'_, P::Scalar>,
        weights: Option<&[f64]>,
        loss: Loss,
        run: &mut Run<'_>,
    ) -> Result<(S::Function, Report), Error>
    where
        P: Points,
        S: SgdSpace<P>,
    {
        check_targets(points.len(), targets)?;
        let descent = Descent::new(targets, weights, loss, &self.rules, Progressed::default())?;
        learned(self.space.descend(points, &descent, run)?)
    }
}

/// # Errors
/// [`Error::Core`] for a parameter outside its domain or points that the kernel or the map refuses;
/// [`Error::Gram`] beyond the memory of the run; [`Error::TooLong`] beyond its time limit;
/// [`Error::StepSize`], [`Error::Diverged`]; [`Error::AdaptiveKernel`]; [`Error::MarginLoss`] for a
/// loss that is for classes.
impl<P, Y, S> Learner<P, Y> for Sgd<S>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    S: SgdSpace<P>,
{
    type Model = Y::Model<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let (targets, weights) = (data.targets().matrix(), data.sample_weights());
        let loss = self.rules.regression_loss()?;
        let (function, report) = self.descend(data.points(), targets, weights, loss, run)?;
        Ok(Y::model(function, report))
    }
}

/// # Errors
/// As for regression; [`Error::OneClass`]; [`Error::SoftmaxLoss`].
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
        let (targets, weights) = (signs.as_ref(), weights.as_deref());
        let loss = self.rules.class_loss();
        let (function, report) = self.descend(data.points(), targets, weights, loss, run)?;
        Ok(Classifier::new(function, labels.classes, Vote::Argmax, report))
    }
}
