//! Logistic regression as a learner: its settings, and the fit shared by all spaces.

use crate::classes::Encoded;
use crate::estimator::check;
use crate::model::{Classifier, Link, ProbabilisticClassifier, Vote, learned};
use crate::space::{OnFeatures, OnKernel, OnLandmarks, Space, constructors, named_learners};
use crate::{
    ClassWeights, Data, Error, Label, Labels, Learner, MultiClass, Report, Run, Status, fit_sugar,
};
use faer::Mat;
use kern_core::parameters::Domain;
use kern_core::{Points, Scalar, named_values, settings};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// Default λ of kernel logistic regression: a function of norm 1 then costs a thousandth of ½, where
/// the loss of knowing nothing is ln 2.
const DEFAULT_LOGISTIC_LAMBDA: f64 = 1e-3;

/// Default duality gap, relative to the objective. Decision values are then within √(2·1e-8·J/λ) of the
/// optimum for kernels with unit diagonal.
const DEFAULT_RELATIVE_GAP: f64 = 1e-8;

/// The relative residual of a Newton step far from the optimum.
const LOOSEST_STEP: f64 = 0.1;

/// Logistic regression by Newton's method, on a kernel, on landmarks or on features.
///
/// # Complexity
/// | space | time | values in memory |
/// |---|---|---|
/// | [`OnKernel`] | n²/2 kernel values, n³/3 flops for each factorisation (at least one), 4n² for each iteration of conjugate gradients and class | 2n² |
/// | [`OnLandmarks`], m of them, s sampled points; for each class and each Newton step with c iterations | 4(c + 1)nm + 2sm² + m³ flops, and n·m kernel values in every pass unless they are stored | 4m², n, and nm if they fit |
/// | [`OnFeatures`], D of them; for each class and each of about ten Newton steps | nD² + D³/3 flops, the features once | D² and a panel |
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, logistic::Logistic};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = ["no", "no", "yes", "yes"];
/// let model = Logistic::on_kernel(Rbf::new(0.5)?).lambda(1e-3).fit(&x, &y)?;
/// assert_eq!(model.predict(&x)?, y);
/// assert_eq!(model.report().status, Status::Converged);
/// let p = model.predict_proba(&x)?;
/// assert!(p[(0, 0)] > 0.9 && (p[(0, 0)] + p[(0, 1)] - 1.0_f64).abs() < 1e-15);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// On landmarks, and on their features; here all points are landmarks, so the problem is the same:
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::logistic::Logistic;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = ["no", "no", "yes", "yes"];
/// let (kernel, nystrom) = (Rbf::new(0.5)?, Nystrom::new(Rbf::new(0.5)?).landmarks(4));
/// let exact: f64 = Logistic::on_kernel(kernel).fit(&x, &y)?.predict_proba(&x)?[(1, 0)];
/// let landmarks = Logistic::on_landmarks(nystrom.clone()).fit(&x, &y)?;
/// assert!((landmarks.predict_proba(&x)?[(1, 0)] - exact).abs() < 1e-3);
/// let map = nystrom.fit(&x, &MemoryBudget::mebibytes(1))?;
/// let features = Logistic::on_features(map).fit(&x, &y)?;
/// assert!((features.predict_proba(&x)?[(1, 0)] - exact).abs() < 1e-3);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "KLR")]
#[doc(alias = "logistic regression")]
#[doc(alias = "LogisticRegression")]
#[doc(alias = "IRLS")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logistic<S> {
    pub(super) space: S,
    pub(super) options: LogisticOptions,
}

settings! {
    /// The settings that do not depend on the space.
    pub struct LogisticOptions in options;

    Logistic {
        /// The penalty λ > 0 of ½‖f‖², per sample. Default: 1e-3.
        ///
        /// Only nλ matters, where n counts all points, including those of weight zero. The fit on
        /// the m points of positive weight alone is the same with λ' = nλ/m, and that on repeated
        /// points instead of integer weights with λ' = nλ/Σβ.
        #[doc(alias = "alpha")]
        #[doc(alias = "regularization")]
        lambda: f64 = DEFAULT_LOGISTIC_LAMBDA, Domain::positive();
        /// Whether every function has an intercept, which is not penalised. Those of a multinomial
        /// problem sum to zero. Default: false.
        intercept: bool = false;
        /// The weights of classes, which multiply the sample weights. Default:
        /// [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The duality gap, relative to the objective J, at which a fit has converged. Default:
        /// 1e-8.
        ///
        /// If rounding prevents this gap, the fit ends with
        /// [`Status::Stalled`](crate::Status::Stalled) or
        /// [`Status::IterationsDone`](crate::Status::IterationsDone) and reports the gap that was
        /// reached.
        tolerance: f64 = DEFAULT_RELATIVE_GAP, Domain::non_negative().log();
        /// The maximum number of Newton steps (for each class, if one is learned at a time). A fit
        /// that needs more ends with [`Status::IterationsDone`](crate::Status::IterationsDone).
        /// Default: 100.
        max_iterations: usize = 100;
    }
    Logistic on OnKernel {
        /// The method for more than two classes. Default: [`MultiClass::Softmax`]. On landmarks and
        /// features each class is learned against the rest.
        multi_class: MultiClass = MultiClass::Softmax;
        /// The optimiser. Default:
        /// [`LogisticSolver::Newton`](crate::logistic::LogisticSolver::Newton).
        solver: LogisticSolver = LogisticSolver::Newton;
    }
    Logistic on OnLandmarks {
        /// The number s of points sampled for the preconditioner. Default: four per feature.
        sampled: usize, Domain::count(1);
        /// The seed of this sample. Default: 0.
        seed: u64 = 0;
    }
}

named_learners! { Logistic: options; }

constructors! {
    Logistic;
    /// Logistic regression with this kernel and the default λ.
    on_kernel;
    /// Logistic regression on landmarks chosen by these parameters, with the default λ.
    on_landmarks;
    /// Logistic regression on the features of this map, with the default λ.
    ///
    /// Features are computed in panels and not stored, so any n is possible.
    on_features;
}

impl<S> Logistic<S> {
    /// Logistic regression in this space, with the default λ.
    pub fn on(space: S) -> Self {
        Self { space, options: LogisticOptions::default() }
    }

    fit_sugar!(supervised);
}

/// The optimiser of logistic regression on a kernel. Both decrease J until its duality gap is small
/// enough; which one is faster depends on λ.
///
/// # Complexity
/// Gradient descent takes one product with K per step, 2n² flops, and about L/λ·ln(1/ε) steps for
/// the gap ε, where L = λ + ‖K‖/(4n). Newton's method takes n³/3 flops per factor, and about ten
/// steps whatever λ is.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::logistic::{Logistic, LogisticSolver};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let newton = Logistic::on_kernel(Rbf::new(0.5)?).lambda(0.1);
/// let descent = newton.clone().solver(LogisticSolver::GradientDescent);
/// let fits = [newton, descent].map(|logistic| logistic.fit(&x, &[0, 0, 1, 1]));
/// let [newton, descent] = fits.map(|model| model.map(|model| model.report().clone()));
/// let (newton, descent) = (newton?, descent?);
/// assert!((newton.objective - descent.objective).abs() < 1e-8);
/// assert!(newton.iterations < descent.iterations);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LogisticSolver {
    /// Newton's method, which is iteratively reweighted ridge regression.
    #[default]
    Newton,
    /// Gradient descent in the space of the kernel, in steps of 1/L.
    GradientDescent,
}

named_values!(LogisticSolver {
    "newton" => Newton,
    "gradient_descent" => GradientDescent,
});

/// The penalty, and the stopping criteria.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) lambda: f64,
    pub(super) tolerance: f64,
    pub(super) max_iterations: usize,
}

impl Goal {
    /// The relative residual of a Newton step, given the objective and the gap. Gaps decrease with
    /// its square, but no faster than Newton's method allows, and no further than the tolerance
    /// requires (Dembo, Eisenstat & Steihaug 1982).
    pub(super) fn accuracy(&self, objective: f64, gap: f64) -> f64 {
        let newton = LOOSEST_STEP * (gap / objective).sqrt().min(1.0);
        let wanted = 0.5 * (self.tolerance * objective / gap).sqrt();
        newton.max(wanted).min(0.5)
    }
}

impl LogisticOptions {
    /// The goal, after the checks that need no data.
    pub(super) fn goal(&self) -> Result<Goal, Error> {
        let Self { lambda, tolerance, max_iterations, sampled, .. } = *self;
        Error::check_positive("the number of sampled points", sampled.unwrap_or(1))?;
        check(self)?;
        Ok(Goal { lambda, tolerance, max_iterations })
    }
}

/// A space in which logistic regression is solved. Sealed: its methods take types that cannot be
/// named outside.
pub trait LogisticSpace<P: Points>: Space<P> {
    /// The link for more than two classes: each is learned against the rest, unless the space
    /// supports another method.
    #[doc(hidden)]
    fn link(_: &LogisticOptions) -> Result<Link, Error> {
        Ok(Link::OneVsRest)
    }

    #[doc(hidden)]
    fn classify(
        &self,
        labelled: &Labelled<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;
}

/// Points with their classes and weights, and the settings of the fit.
#[derive(Debug)]
pub struct Labelled<'t, P> {
    pub(super) options: &'t LogisticOptions,
    pub(super) goal: Goal,
    pub(super) points: &'t P,
    /// The class of each point.
    pub(super) indices: &'t [usize],
    /// The number of classes.
    pub(super) classes: usize,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

impl<P: Points> Labelled<'_, P> {
    /// The number of functions.
    pub(super) fn outputs(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// The class that a function separates from the rest.
    pub(super) fn positive(&self, output: usize) -> usize {
        if self.classes == 2 { 1 } else { output }
    }

    /// ±1 for the points of that class and the rest.
    pub(super) fn signs(&self, output: usize) -> Result<Mat<P::Scalar>, Error> {
        let (positive, one) = (self.positive(output), P::Scalar::ONE);
        let mut signs = zeros(self.indices.len(), 1)?;
        let pairs = signs.col_as_slice_mut(0).iter_mut().zip(self.indices);
        pairs.for_each(|(sign, &class)| *sign = if class == positive { one } else { -one });
        Ok(signs)
    }
}

/// # Errors
/// [`Error::OneClass`]; [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`]
/// for weights; [`Error::Core`] for λ ≤ 0, a tolerance < 0, points that the kernel or the map
/// rejects, or non-finite features; [`Error::Count`] for zero sampled points, or a map without
/// features; [`Error::Gram`] if the memory of the run is exceeded; [`Error::NotPositiveDefinite`]
/// or [`Error::Approx`] for a matrix that is not positive semi-definite.
///
/// An observer receives J before each Newton step. On a kernel and on features it never increases
/// while one problem is solved, except by rounding; on landmarks it is that of the penalty of the
/// step, which decreases to λ. One against the rest solves one problem after the other; once
/// stopped, no further step is made, and functions that have not been started are 0.
impl<P: Points, L: Label, S: LogisticSpace<P>> Learner<P, Labels<L>> for Logistic<S> {
    type Model = ProbabilisticClassifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let (options, points) = (&self.options, data.points());
        let goal = options.goal()?;
        let labels = Encoded::new(data.targets())?;
        let weights = options.class_weights.combine(&labels, data.sample_weights())?;
        let (indices, weights) = (&*labels.indices, weights.as_deref());
        let classes = labels.classes.len();
        let link = if classes == 2 { Link::Logistic } else { S::link(options)? };
        let labelled = Labelled { options, goal, points, indices, classes, weights };
        let (function, report) = learned(self.space.classify(&labelled, run)?)?;
        let classifier = Classifier::new(function, labels.classes, Vote::Argmax, report);
        Ok(ProbabilisticClassifier::new(classifier, link))
    }
}

/// Solves one problem after the other. Returns the solutions, and the sums of their objectives,
/// gaps and iterations; the status is that of the first that did not converge, unless the observer
/// stopped one.
pub(super) fn one_by_one<S>(
    outputs: usize,
    goal: Goal,
    run: &mut Run<'_>,
    mut solve: impl FnMut(usize, Goal, &mut Run<'_>) -> Result<(S, Report), Error>,
) -> Result<(Vec<S>, Report), Error> {
    let mut all = Report::new(Status::Converged, 0, 0.0, Some(0.0));
    let mut solutions = Vec::with_capacity(outputs);
    let mut stopped = false;
    for output in 0..outputs {
        let (solution, report) = if stopped {
            solve(output, Goal { max_iterations: 0, ..goal }, &mut Run::new())?
        } else {
            solve(output, goal, run)?
        };
        stopped |= report.status == Status::Stopped;
        all = all.joined(&report);
        solutions.push(solution);
    }
    if stopped {
        all.status = Status::Stopped;
    }
    Ok((solutions, all))
}
