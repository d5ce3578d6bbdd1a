//! Fits of support vector machines: the same in every space.

use super::goal::{Formulation, Goal, Tube, check_weights};
use super::solver::WHOLE;
use super::stopping::Stopping;
use super::{OneClass, Svc, Svdd, Svr};
use crate::estimator::check;
use crate::labels::Encoded;
use crate::model::{
    Arity, Ball, Classifier, FeatureExpansion, KernelExpansion, NoveltyDetector, Regression, Vote,
    learned,
};
use crate::space::{OnFeatures, OnKernel, Space};
use crate::{Data, Error, Label, Labels, Learner, MultiClass, Report, Run};
use kern_core::parameters::Setting;
use kern_core::{FeatureMap, Mercer, Points};

/// Problems of up to so many points are solved side by side, a thread each; larger ones one after the other, by
/// all threads.
pub(super) const SIDE_BY_SIDE: usize = 4 * WHOLE;

/// A space in which support vector machines are trained. Sealed: its method takes types that cannot be named outside.
pub trait SvmSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;

    /// Tells whether machines of several penalties or levels share work.
    #[doc(hidden)]
    const HAS_PATH: bool = false;

    /// The machines of several goals on the same points, which differ in their penalties or their levels.
    #[doc(hidden)]
    fn train_path(
        &self,
        _path: &[Training<'_, P>],
        _run: &mut Run<'_>,
    ) -> Result<Vec<(Self::Function, Report)>, Error> {
        let (what, instead) = ("a path of machines in this space", "use OnKernel");
        Err(Error::Unsupported { what, instead })
    }
}

/// The points that a machine learns from, and what it is to learn of them.
#[derive(Debug)]
pub struct Training<'t, P: Points> {
    pub(super) points: &'t P,
    /// The weights of points times those of classes, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
    pub(super) goal: Goal<'t, P::Scalar>,
    pub(super) stopping: &'t Stopping,
}

/// Checks what needs no space, and trains.
fn train<P: Points, S: SvmSpace<P>>(
    space: &S,
    training: &Training<'_, P>,
    run: &mut Run<'_>,
) -> Result<(S::Function, Report), Error> {
    training.goal.check(training.stopping.intercept)?;
    check(training.stopping)?;
    learned(space.train(training, run)?)
}

/// Checks what needs no space, and trains a machine of each goal.
fn train_path<P: Points, S: SvmSpace<P>>(
    space: &S,
    path: &[Training<'_, P>],
    run: &mut Run<'_>,
) -> Result<Vec<(S::Function, Report)>, Error> {
    for training in path {
        check(training.stopping)?;
        training.goal.check(training.stopping.intercept)?;
    }
    if path.is_empty() {
        return Ok(Vec::new());
    }
    space.train_path(path, run)?.into_iter().map(learned).collect()
}

/// The numbers that a path goes through.
fn numbers(values: &[Setting]) -> Result<Vec<f64>, Error> {
    let number = |value: &Setting| {
        let (what, instead) = ("a path through what is no number", "learn the models one by one");
        value.as_f64().ok_or(Error::Unsupported { what, instead })
    };
    values.iter().map(number).collect()
}

/// The goal of these classes.
pub(super) fn classes<'t, L, T>(
    labels: &'t Encoded<L>,
    multi_class: MultiClass,
    formulation: Formulation,
) -> Goal<'t, T> {
    let classes = labels.classes.len();
    Goal::Classes { labels: &labels.indices, classes, multi_class, formulation }
}

impl<S> Svc<S> {
    /// The numbers of the classes, and the weights of points times those of classes.
    pub(super) fn encode<P: Points, L: Label>(
        &self,
        data: &Data<'_, P, Labels<L>>,
    ) -> Result<(Encoded<L>, Option<Vec<f64>>), Error> {
        let labels = Encoded::new(data.targets())?;
        let weights = self.classes.class_weights.combine(&labels, data.sample_weights())?;
        Ok((labels, weights))
    }

    /// The meaning of the functions of several classes.
    pub(super) fn vote(&self) -> Vote {
        if self.classes.multi_class == MultiClass::OneVsOne { Vote::Pairs } else { Vote::Greatest }
    }
}

/// # Errors
/// [`Error::OneClass`]; [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights;
/// [`Error::Core`] for C ≤ 0, ν outside of (0, 1], a violation ≤ 0, points that the kernel or the map refuses, and on features
/// for an infinite C; [`Error::Nu`] if ν is too large for a pair of classes; [`Error::Unsupported`] for softmax, for ν
/// without an intercept, with weights of classes or on features; [`Error::Count`] for a map without features or a start of
/// another shape; [`Error::Range`] for numbers that overflow; [`Error::Gram`] if not even two columns of the kernel matrix, or the
/// features of 256 points, fit the memory of the run.
impl<P, L, S> Learner<P, Labels<L>> for Svc<S>
where
    P: Points,
    L: Label,
    S: SvmSpace<P>,
{
    type Model = Classifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        check_weights(self.classes.formulation, &self.classes.class_weights)?;
        let (labels, weights) = self.encode(data)?;
        let goal = classes(&labels, self.classes.multi_class, self.classes.formulation);
        let (points, stopping) = (data.points(), &self.stopping);
        let training = Training { points, weights: weights.as_deref(), goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        Ok(Classifier::new(function, (labels.classes, self.vote()), report))
    }

    /// On a kernel, machines of several `c` share the kernel matrix, and each starts where the one before ended.
    fn has_path(&self, name: &str) -> bool {
        S::HAS_PATH && name == "c" && !matches!(self.classes.formulation, Formulation::Nu(_))
    }

    fn learn_path(
        &self,
        name: &str,
        values: &[Setting],
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Self::Model>, Error> {
        check_path(Learner::<P, Labels<L>>::has_path(self, name))?;
        self.classifiers(data, &numbers(values)?, run)
    }
}

impl<S> Svc<S> {
    /// A classifier of each penalty.
    pub(super) fn classifiers<P: Points, L: Label>(
        &self,
        data: &Data<'_, P, Labels<L>>,
        penalties: &[f64],
        run: &mut Run<'_>,
    ) -> Result<Vec<Classifier<S::Function, L>>, Error>
    where
        S: SvmSpace<P>,
    {
        let (labels, weights) = self.encode(data)?;
        let goal = classes(&labels, self.classes.multi_class, Formulation::C(1.0));
        let (points, stopping) = (data.points(), &self.stopping);
        let training = Training { points, weights: weights.as_deref(), goal, stopping };
        let other = |&c: &f64| Training { goal: goal.with_penalty(c), ..training };
        let path: Vec<_> = penalties.iter().map(other).collect();
        let learned = train_path(&self.space, &path, run)?;
        let model = |(function, report)| {
            Classifier::new(function, (labels.classes.clone(), self.vote()), report)
        };
        Ok(learned.into_iter().map(model).collect())
    }
}

/// Refuses a path that there is not.
fn check_path(has: bool) -> Result<(), Error> {
    let (what, instead) = ("this path of machines", "learn them one by one");
    if has { Ok(()) } else { Err(Error::Unsupported { what, instead }) }
}

/// # Errors
/// As [`Svc`], and [`Error::Core`] for ε < 0 or an infinite C.
impl<P, Y, S> Learner<P, Y> for Svr<S>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    S: SvmSpace<P>,
{
    type Model = Y::Model<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let goal = Goal::Values {
            targets: data.targets().matrix(),
            c: self.values.c,
            tube: self.values.tube,
        };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        Ok(Y::model(function, report))
    }

    /// On a kernel, machines of several `c`, or of several levels `quantile`, share the kernel matrix, and each starts where
    /// the one before ended.
    fn has_path(&self, name: &str) -> bool {
        let shared = match self.values.tube {
            Tube::Epsilon(_) => name == "c",
            Tube::Nu(_) => false,
            Tube::Quantile(_) => name == "c" || name == "quantile",
        };
        S::HAS_PATH && shared
    }

    fn learn_path(
        &self,
        name: &str,
        values: &[Setting],
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Self::Model>, Error> {
        check_path(Learner::<P, Y>::has_path(self, name))?;
        let (targets, tube) = (data.targets().matrix(), self.values.tube);
        let goal = Goal::Values { targets, c: self.values.c, tube };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let other = |value| match name {
            "c" => Training { goal: goal.with_penalty(value), ..training },
            _ => Training { goal: goal.with_level(value), ..training },
        };
        let path: Vec<_> = numbers(values)?.into_iter().map(other).collect();
        let learned = train_path(&self.space, &path, run)?;
        Ok(learned.into_iter().map(|(function, report)| Y::model(function, report)).collect())
    }
}

/// # Errors
/// As [`Svc`].
impl<P: Points, S: SvmSpace<P>> Learner<P> for OneClass<S> {
    type Model = NoveltyDetector<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let goal = Goal::Region { nu: self.region.nu };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        Ok(NoveltyDetector::new(function, report))
    }
}

impl<S> Svdd<S> {
    fn enclose<P: Points>(
        &self,
        data: &Data<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<NoveltyDetector<Ball<S::Function>>, Error>
    where
        S: SvmSpace<P>,
        S::Function: Arity,
    {
        let goal = Goal::Ball { nu: self.region.nu };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        let widths = report.svm().map_or(&[][..], |details| &details.widths);
        let radius = widths.first().copied().ok_or(Error::Empty)?;
        Ok(NoveltyDetector::new(Ball::new(function, radius)?, report))
    }
}

/// # Errors
/// As [`OneClass`].
impl<P: Points, K: Mercer<P> + Clone> Learner<P> for Svdd<OnKernel<K>> {
    type Model = NoveltyDetector<Ball<KernelExpansion<P, K>>>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        self.enclose(data, run)
    }
}

/// # Errors
/// As [`OneClass`].
impl<P: Points, M: FeatureMap<P> + Clone> Learner<P> for Svdd<OnFeatures<M>> {
    type Model = NoveltyDetector<Ball<FeatureExpansion<M, P::Scalar>>>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        self.enclose(data, run)
    }
}
