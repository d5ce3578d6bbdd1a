//! SGD in whichever way is planned to be the fastest.

use super::fit::{Known, Learned, Space};
use super::params::{Settings, Storage};
use super::problem::Problem;
use super::vector::Vector;
use super::{OnFeatures, OnKernel, Sgd};
use crate::arithmetic::converted;
use crate::model::{Decision, FeatureModel, KernelModel};
use crate::plan::{Plan, Task, Way, plan_here};
use crate::{Error, Observer};
use faer::Mat;
use kern_core::{FeatureMap, Mercer, Points, Scalar};
use serde::{Deserialize, Serialize};

/// Features of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Features<M> {
    /// Their inner product is the kernel: learning with them gives the same model.
    Exact(M),
    /// Their inner product is close to it: another model, which is welcome.
    Approximate(M),
}

/// A kernel, and features of it: the iterate lives where its [`Way`] says. Made by
/// [`Sgd::on_either`](super::Sgd::on_either).
#[derive(Clone, Debug, PartialEq)]
pub struct OnEither<K, M> {
    pub(super) kernel: K,
    pub(super) features: Features<M>,
    pub(super) way: Way,
}

impl<K, M> Sgd<OnEither<K, M>> {
    /// Whether kernel values or features are used and kept. Default: [`Way::Auto`], what
    /// [`plan`](Sgd::plan) recommends. [`Sgd::storage`] has no say here.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Explicit, Samples, kernels::Polynomial};
    /// use kern_solvers::{plan::Way, sgd::{Features, Sgd}};
    /// let rows: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i % 8), f64::from(i % 5)]).collect();
    /// let (x, y) = (Samples::from_rows(&rows)?, rows.iter().map(|x| x[0] > x[1]).collect::<Vec<_>>());
    /// let kernel = Polynomial::new(0.1, 1.0, 2)?;
    /// let sgd = Sgd::on_either(kernel, Features::Exact(kernel.feature_map(&x)?));
    /// println!("{}", sgd.plan(&x, 1)?); // seconds and bytes of each way, and the reason
    /// let model = sgd.clone().fit_classifier(&x, &y)?;
    /// assert_ne!(model.decision().way(), Way::Auto);
    /// let other = sgd.way(Way::GramCached).fit_classifier(&x, &y)?;
    /// let difference = model.decision_values(&x)? - other.decision_values(&x)?;
    /// assert!(difference.norm_max() < 1e-8); // exact ways give one model
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[must_use]
    pub fn way(mut self, way: Way) -> Self {
        self.space.way = way;
        self
    }

    /// The plan for a fit on these points with so many outputs: kernel and features are measured on
    /// some of the points, the machine once per process ([`Machine::this`](crate::plan::Machine::this)).
    ///
    /// # Errors
    /// [`Error::Empty`]; if the kernel or the map refuse the points; for a bad parameter.
    pub fn plan<P>(&self, points: &P, outputs: usize) -> Result<Plan, Error>
    where
        P: Points,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        self.settings.check()?;
        let samples = self.settings.steps(points.len()).saturating_mul(self.settings.batch);
        let task = Task::new(points.len(), 1, samples).outputs(outputs);
        self.space.plan(points, task, &self.settings)
    }
}

impl<K, M> OnEither<K, M> {
    fn plan<P>(&self, points: &P, task: Task, settings: &Settings) -> Result<Plan, Error>
    where
        P: Points,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        let task = task.measure_kernel(&self.kernel, points)?;
        let task = match &self.features {
            Features::Exact(map) => task.measure_exact(map, points)?,
            Features::Approximate(map) => {
                task.measure_approximate(map, points)?.approximation_welcome(true)
            }
        };
        plan_here(&task, &settings.budget())
    }

    /// The way to go. Where nothing fits the budget it is that without storage, which needs none.
    fn choose<P>(
        &self,
        points: &P,
        problem: &Problem<'_, P::Scalar>,
        settings: &Settings,
    ) -> Result<Way, Error>
    where
        P: Points,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        match (self.way, &self.features) {
            (Way::Auto, _) if settings.schedule.is_adaptive() => Err(Error::AdaptiveKernel),
            (Way::Auto, _) => {
                let plan = self.plan(points, problem.task(), settings)?;
                Ok(plan.recommended().unwrap_or(Way::KernelOnTheFly))
            }
            (Way::FeaturesOnTheFly | Way::FeaturesCached, Features::Approximate(_))
            | (Way::ApproximateOnTheFly | Way::ApproximateCached, Features::Exact(_)) => {
                Err(Error::NoSuchWay { way: self.way })
            }
            (way, _) => Ok(way),
        }
    }
}

impl<T, P, K, M> Space<P> for OnEither<K, M>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Mercer<P>,
    M: FeatureMap<P>,
{
    type Model = EitherModel<P, K, M>;
    type Number = T;

    fn learn(
        &self,
        points: &P,
        problem: &Problem<'_, T>,
        settings: &Settings,
        _: Option<&Known<P, T>>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Learned<T>, Error> {
        let way = self.choose(points, problem, settings)?;
        let cached = matches!(way, Way::FeaturesCached | Way::GramCached | Way::ApproximateCached);
        let storage = if cached { Storage::Cached } else { Storage::OnTheFly };
        let settings = Settings { storage, ..settings.clone() };
        if matches!(way, Way::KernelOnTheFly | Way::GramCached) {
            let space = OnKernel { kernel: &self.kernel };
            let learned = space.learn(points, problem, &settings, None, observer)?;
            let u = learned.vector.answer(learned.outcome.averaged);
            let vector = Vector::starting_at(converted(u.as_ref())?);
            let Learned { outcome, objective, squared_norm, .. } = learned;
            return Ok(Learned { vector, outcome, objective, squared_norm, way });
        }
        let (Features::Exact(map) | Features::Approximate(map)) = &self.features;
        let learned = OnFeatures { map }.learn(points, problem, &settings, None, observer)?;
        Ok(Learned { way, ..learned })
    }

    fn into_model(self, points: &P, answer: Mat<T>, way: Way) -> Result<Self::Model, Error> {
        let (Features::Exact(map) | Features::Approximate(map)) = self.features;
        let function = if matches!(way, Way::KernelOnTheFly | Way::GramCached) {
            Function::Kernel(KernelModel::new(self.kernel, points, answer.as_ref())?)
        } else {
            Function::Features(FeatureModel::new(map, answer))
        };
        Ok(EitherModel { way, function })
    }
}

/// A function that was learned in one of the ways.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, K: Serialize, M: Serialize",
    deserialize = "P: Deserialize<'de>, K: Deserialize<'de>, M: Deserialize<'de>"
))]
pub struct EitherModel<P: Points, K, M> {
    way: Way,
    function: Function<P, K, M>,
}

/// The function itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, K: Serialize, M: Serialize",
    deserialize = "P: Deserialize<'de>, K: Deserialize<'de>, M: Deserialize<'de>"
))]
pub enum Function<P: Points, K, M> {
    /// Learned in u-space.
    Kernel(KernelModel<P, K>),
    /// Learned in w-space.
    Features(FeatureModel<M, P::Scalar>),
}

impl<P: Points, K, M> EitherModel<P, K, M> {
    /// The way in which it was learned.
    pub fn way(&self) -> Way {
        self.way
    }

    /// The function.
    pub fn function(&self) -> &Function<P, K, M> {
        &self.function
    }
}

impl<P, K, M> Decision<P> for EitherModel<P, K, M>
where
    P: Points,
    K: Mercer<P>,
    M: FeatureMap<P>,
{
    fn outputs(&self) -> usize {
        match &self.function {
            Function::Kernel(model) => model.outputs(),
            Function::Features(model) => Decision::<P>::outputs(model),
        }
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        match &self.function {
            Function::Kernel(model) => model.decide(points),
            Function::Features(model) => model.decide(points),
        }
    }
}
