//! The plan of SGD: the sizes of a problem, the recommended algorithm, and fits that take it.

use super::regularised_risk::Descent;
use super::stochastic_gradient_descent::{SgdSpace, Storage};
use super::{Sgd, cost_model};
use crate::model::EitherFunction;
use crate::plan::{Algorithm, Machine, Open, Plan, Precision, Terms};
use crate::space::{Auto, Features, OnFeatures, OnKernel, OnLandmarks};
use crate::{Data, Details, Error, Planned, Report, Run, Targets};
use kern_approx::machine::{self, KernelSeconds};
use kern_approx::{Nystrom, Selection};
use kern_core::{FeatureMap, Kernel, Mercer, NonNegative, Points, Positive, Scalar};
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The sizes of an SGD problem.
///
/// The four exact algorithms give the same model up to rounding, so the fastest that fits the
/// memory is recommended. Algorithms with approximate features are considered if
/// [`allow_approximation`](SgdTask::allow_approximation) is set.
///
/// # Examples
/// ```
/// use kern_solvers::{plan::Precision, sgd::SgdTask};
/// let task = SgdTask::new(5000, 10, 100_000) // n points of R^d, T steps
///     .exact_features(66) // of the quadratic kernel
///     .approximate_features(32) // of a sketch of it
///     .outputs(3)
///     .precision(Precision::Single);
/// assert_eq!((task.points(), task.steps()), (5000, 100_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SgdTask {
    pub(super) points: usize,
    pub(super) dim: usize,
    pub(super) steps: usize,
    pub(super) exact: Option<usize>,
    pub(super) approximate: Option<usize>,
    /// The number of landmarks chosen in the fit.
    pub(super) landmarks: Option<usize>,
    pub(super) outputs: usize,
    pub(super) precision: Precision,
    pub(super) active_fraction: f64,
    allow_approximation: bool,
    pub(super) kernel: Option<KernelSeconds>,
    pub(super) exact_seconds: Option<f64>,
    pub(super) approximate_seconds: Option<f64>,
}

impl SgdTask {
    /// A problem with n = `points`, d = `dim` and T = `steps`, one output in double precision, and
    /// no features.
    #[must_use]
    pub const fn new(points: usize, dim: usize, steps: usize) -> Self {
        Self {
            points,
            dim,
            steps,
            exact: None,
            approximate: None,
            landmarks: None,
            outputs: 1,
            precision: Precision::Double,
            active_fraction: 1.0,
            allow_approximation: false,
            kernel: None,
            exact_seconds: None,
            approximate_seconds: None,
        }
    }

    /// The number of points n.
    #[must_use]
    pub const fn points(&self) -> usize {
        self.points
    }

    /// The number of steps T.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// The number D of features whose inner product is the kernel. Default: no exact features.
    #[must_use]
    pub const fn exact_features(mut self, features: usize) -> Self {
        self.exact = Some(features);
        self
    }

    /// The number D′ of features whose inner product approximates the kernel. Default: no
    /// approximate features.
    #[must_use]
    pub const fn approximate_features(mut self, features: usize) -> Self {
        self.approximate = Some(features);
        self
    }

    /// The number of landmarks to choose in the fit, whose features approximate the kernel.
    pub(super) const fn landmarks(mut self, landmarks: usize) -> Self {
        self.landmarks = Some(landmarks);
        self
    }

    /// Allows approximate features to be recommended. Default: false, since they change the model.
    #[must_use]
    pub const fn allow_approximation(mut self, allowed: bool) -> Self {
        self.allow_approximation = allowed;
        self
    }

    /// The number of outputs: 1 for a single target or two classes, else one per class. Default: 1.
    #[must_use]
    pub const fn outputs(mut self, outputs: usize) -> Self {
        self.outputs = outputs;
        self
    }

    /// The precision of the scalars. Default: double.
    #[must_use]
    pub const fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// The fraction of steps that change the iterate, in \[0, 1\]: 1 for the logistic and the
    /// squared loss, less for the hinge loss, whose derivative is 0 for points beyond the margin.
    /// Default: 1.
    #[must_use]
    pub const fn active_fraction(mut self, fraction: f64) -> Self {
        self.active_fraction = fraction;
        self
    }

    /// Seconds per kernel value on all threads together. They replace the machine's constants,
    /// which are those of the RBF kernel; kernels on strings or graphs take a thousand times as
    /// long.
    #[must_use]
    pub const fn kernel_seconds(mut self, seconds: f64) -> Self {
        self.kernel = Some(KernelSeconds { per_point: 0.0, per_value: seconds, bound: false });
        self
    }

    /// Seconds for all D features of one point on all threads together. They replace the machine's
    /// constants, which are those of a random Fourier map.
    #[must_use]
    pub const fn exact_feature_seconds(mut self, seconds: f64) -> Self {
        self.exact_seconds = Some(seconds);
        self
    }

    /// Seconds for the D′ approximate features of one point; see
    /// [`exact_feature_seconds`](SgdTask::exact_feature_seconds).
    #[must_use]
    pub const fn approximate_feature_seconds(mut self, seconds: f64) -> Self {
        self.approximate_seconds = Some(seconds);
        self
    }

    /// Checks that all sizes and times are in their domains.
    fn check(&self) -> Result<(), Error> {
        let counts = [
            ("the number of points of a task", Some(self.points)),
            ("the dimension of a task", Some(self.dim)),
            ("the number of steps of a task", Some(self.steps)),
            ("the number of outputs of a task", Some(self.outputs)),
            ("the number of exact features", self.exact),
            ("the number of approximate features", self.approximate),
        ];
        for (name, count) in counts {
            count.map_or(Ok(()), |count| Error::check_positive(name, count))?;
        }
        NonNegative::new("the share of active steps", self.active_fraction)?;
        // The error names 1 − share, which must be non-negative, too.
        NonNegative::new("1 - the share of active steps", 1.0 - self.active_fraction)?;
        if let Some(kernel) = self.kernel {
            NonNegative::new("seconds per point of the kernel", kernel.per_point)?;
            Positive::new("seconds per kernel value", kernel.per_value)?;
        }
        for seconds in [self.exact_seconds, self.approximate_seconds].into_iter().flatten() {
            Positive::new("seconds per point of the features", seconds)?;
        }
        Ok(())
    }

    /// Predicts seconds and bytes of each algorithm that the task allows, and recommends one.
    ///
    /// An algorithm is recommended only if its memory beyond the data fits the budget. If no
    /// algorithm fits, the plan recommends none and reports the smallest memory that one needs.
    ///
    /// # Errors
    /// [`Error::Count`] for zero points, dimensions, steps, outputs or given features;
    /// [`Error::Core`] for a fraction, a time or a constant of the machine outside its domain.
    ///
    /// # Examples
    /// See [`plan`](crate::plan).
    pub fn plan(&self, budget: &MemoryBudget, machine: &Machine) -> Result<Plan, Error> {
        let open = if self.allow_approximation { Open::All } else { Open::Exact };
        self.plan_within(&Terms { budget, limit: None, open }, machine)
    }

    /// Returns true if an algorithm is within these limits by counted work.
    fn fits(&self, algorithm: Algorithm, terms: &Terms<'_>) -> bool {
        let prediction = cost_model::predict(algorithm, self, &Machine::NOMINAL);
        prediction.is_some_and(|prediction| {
            terms.budget.fits(prediction.bytes())
                && terms.limit.is_none_or(|limit| prediction.seconds() <= limit)
        })
    }

    /// The plan under some terms.
    fn plan_within(&self, terms: &Terms<'_>, machine: &Machine) -> Result<Plan, Error> {
        self.check()?;
        machine.check()?;
        let algorithms = Algorithm::SGD.into_iter().chain([Algorithm::Landmarks]);
        let predictions = algorithms
            .filter_map(|algorithm| cost_model::predict(algorithm, self, machine))
            .collect();
        Ok(Plan::new(self.to_string(), predictions, terms))
    }

    /// Measures the kernel on up to 512 of the points; the result replaces the machine's constants.
    /// The measurement begins with 4 points and takes more until it lasts a millisecond, so it
    /// takes a few milliseconds in all unless the kernel is very expensive.
    ///
    /// # Errors
    /// [`Error::Empty`] without points; [`Error::Gram`] if the kernel refuses them.
    ///
    /// # Examples
    /// ```
    /// use kern_core::kernels::Subsequence;
    /// use kern_gram::MemoryBudget;
    /// use kern_solvers::plan::{Machine, Algorithm};
    /// use kern_solvers::sgd::SgdTask;
    /// let texts: Vec<String> = (0..100).map(|i| format!("{i:b} and {i:x}").repeat(5)).collect();
    /// let task = SgdTask::new(100, 1, 10_000).measure_kernel(&Subsequence::new(3, 0.5)?, &texts)?;
    /// let plan = task.plan(&MemoryBudget::mebibytes(1), Machine::current()?.as_ref())?;
    /// assert_eq!(plan.recommended(), Some(Algorithm::GramCached));
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn measure_kernel<P, K>(mut self, kernel: &K, points: &P) -> Result<Self, Error>
    where
        P: Points,
        K: Kernel<P> + ?Sized,
    {
        self.kernel = Some(machine::kernel(kernel, given(points)?)?);
        Ok(self.precision(Precision::of::<P::Scalar>()))
    }

    /// Measures a map of exact features, like [`measure_kernel`](SgdTask::measure_kernel), and sets
    /// their number.
    ///
    /// # Errors
    /// [`Error::Empty`] without points; [`Error::Approx`] if the map refuses them.
    pub fn measure_exact<P, M>(mut self, map: &M, points: &P) -> Result<Self, Error>
    where
        P: Points,
        M: FeatureMap<P> + ?Sized,
    {
        self.exact_seconds = Some(machine::features(map, given(points)?)?);
        Ok(self.exact_features(map.dim()).precision(Precision::of::<P::Scalar>()))
    }

    /// Measures a map of approximate features; see [`measure_exact`](SgdTask::measure_exact).
    ///
    /// # Errors
    /// The same.
    pub fn measure_approximate<P, M>(mut self, map: &M, points: &P) -> Result<Self, Error>
    where
        P: Points,
        M: FeatureMap<P> + ?Sized,
    {
        self.approximate_seconds = Some(machine::features(map, given(points)?)?);
        Ok(self.approximate_features(map.dim()).precision(Precision::of::<P::Scalar>()))
    }
}

impl fmt::Display for SgdTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n = {}, d = {}", self.points, self.dim)?;
        if let Some(features) = self.exact {
            write!(f, ", D = {features}")?;
        }
        if let Some(features) = self.approximate {
            write!(f, ", D′ = {features}")?;
        }
        if let Some(landmarks) = self.landmarks {
            write!(f, ", m = {landmarks}")?;
        }
        let bits = 8 * self.precision.bytes();
        write!(f, ", T = {}, outputs: {}, f{bits}", self.steps, self.outputs)
    }
}

impl<K, M> Sgd<Auto<K, M>> {
    /// The plan that a fit on these points with `outputs` outputs follows: counted work on
    /// [`Machine::NOMINAL`]. [`SgdTask::plan`] predicts the seconds on this machine.
    ///
    /// # Errors
    /// As a fit for a parameter outside its domain.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Explicit, Samples, kernels::Polynomial};
    /// use kern_solvers::{Data, Details, Run, plan::Algorithm, sgd::Sgd, space::{Auto, Features}};
    /// let rows: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i % 8), f64::from(i % 5)]).collect();
    /// let (x, y) = (Samples::from_rows(&rows)?, rows.iter().map(|x| x[0] > x[1]).collect::<Vec<_>>());
    /// let kernel = Polynomial::new(0.1, 1.0, 2)?;
    /// let space = Auto::new(kernel).features(Features::Exact(kernel.feature_map(&x)?));
    /// let sgd = Sgd::on(space.clone());
    /// let plan = sgd.plan(&Data::unlabelled(&x)?, 1, &Run::new())?;
    /// println!("{plan}"); // seconds and bytes of each way, and the reason
    /// let model = sgd.fit(&x, &y)?;
    /// let Details::Planned(planned) = &model.report().details else { unreachable!() };
    /// assert_eq!(Some(planned.algorithm), plan.recommended());
    /// let other = Sgd::on(space.algorithm(Algorithm::GramCached)).fit(&x, &y)?;
    /// let difference = model.decision_values(&x)? - other.decision_values(&x)?;
    /// assert!(difference.norm_max() < 1e-8); // exact ways give one model
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn plan<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        outputs: usize,
        run: &Run<'_>,
    ) -> Result<Plan, Error>
    where
        P: Points,
        Y: Targets,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        self.rules.check()?;
        let samples = self.rules.steps(data.len()).saturating_mul(self.rules.batch);
        let task = SgdTask::new(data.len(), 1, samples).outputs(outputs);
        Ok(self.space.plan::<P>(task.precision(Precision::of::<P::Scalar>()), run)?.0)
    }
}

impl<K, M> Auto<K, M> {
    /// The plan, and its number of landmarks.
    fn plan<P>(&self, task: SgdTask, run: &Run<'_>) -> Result<(Plan, usize), Error>
    where
        P: Points,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        let task = match &self.features {
            Some(Features::Exact(map)) => task.exact_features(map.dim().max(1)),
            Some(Features::Approximate(map)) => task.approximate_features(map.dim().max(1)),
            None => task,
        };
        let (budget, limit) = (run.budget(), Some(run.planned_time().as_secs_f64()));
        let terms = Terms { budget: &budget, limit, open: Open::Resort };
        let within = |count| task.landmarks(count).fits(Algorithm::Landmarks, &terms);
        let landmarks = self.count(task.points(), within);
        let plan = task.landmarks(landmarks).plan_within(&terms, &Machine::NOMINAL)?;
        Ok((plan, landmarks))
    }

    /// The algorithm to take, and the details of the report. If no algorithm is within the limits,
    /// it is the one without storage, which needs the least memory.
    fn choose<P>(&self, descent: &Descent<'_, P::Scalar>, run: &Run<'_>) -> Result<Planned, Error>
    where
        P: Points,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        if self.algorithm.is_none() && descent.schedule.is_adaptive() {
            return Err(Error::AdaptiveKernel);
        }
        let (plan, landmarks) = self.plan::<P>(descent.task(), run)?;
        Planned::of(&plan, self.algorithm, Algorithm::KernelOnTheFly, landmarks)
    }
}

impl<T, P, K, M> SgdSpace<P> for Auto<K, M>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Mercer<P> + Clone,
    M: FeatureMap<P> + Clone,
{
    fn descend(
        &self,
        points: &P,
        descent: &Descent<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(EitherFunction<P, K, M>, Report), Error> {
        let planned = self.choose::<P>(descent, run)?;
        let on_the_fly = [
            Algorithm::FeaturesOnTheFly,
            Algorithm::KernelOnTheFly,
            Algorithm::ApproximateOnTheFly,
        ];
        let storage = if on_the_fly.contains(&planned.algorithm) {
            Storage::OnTheFly
        } else {
            Storage::Cached
        };
        let descent = descent.stored(storage);
        let run = &mut run.chosen();
        let (function, report) = match (planned.landmarks, planned.algorithm, &self.features) {
            (Some(landmarks), ..) => {
                let nystrom = Nystrom::new(self.kernel.clone()).landmarks(landmarks);
                let nystrom = nystrom.selection(Selection::RandomPivots).seed(descent.seed);
                let space = OnLandmarks::new(nystrom);
                let (function, report) = space.descend(points, &descent, run)?;
                (EitherFunction::Kernel(function), report)
            }
            (None, Algorithm::KernelOnTheFly | Algorithm::GramCached, _) | (None, _, None) => {
                let space = OnKernel::new(self.kernel.clone());
                let (function, report) = space.descend(points, &descent, run)?;
                (EitherFunction::Kernel(function), report)
            }
            (None, _, Some(features)) => {
                let space = OnFeatures::new(features.map().clone());
                let (function, report) = space.descend(points, &descent, run)?;
                (EitherFunction::Features(function), report)
            }
        };
        Ok((function, report.with_details(Details::Planned(planned))))
    }
}

/// Refuses an empty collection of points.
fn given<P: Points>(points: &P) -> Result<&P, Error> {
    if points.is_empty() { Err(Error::Empty) } else { Ok(points) }
}
