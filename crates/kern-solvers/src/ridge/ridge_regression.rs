//! Ridge regression as a learner: its settings, and the fit shared by all spaces.

use crate::classes::Encoded;
use crate::estimator::check;
use crate::model::{Classifier, Regression, Vote, learned};
use crate::space::{Auto, OnFeatures, OnKernel, OnLandmarks, Space, constructors, named_learners};
use crate::{
    ClassWeights, Data, Error, Label, Labels, Learner, Progress, Report, Run, Targets, fit_sugar,
    tolerance,
};
use faer::MatRef;
use kern_core::parameters::Domain;
use kern_core::{Points, Scalar, named_values, settings};
use serde::{Deserialize, Serialize};

/// Default λ of kernel ridge: for kernels with unit diagonal and standardised targets the penalty
/// of a function of norm 1 is then a millionth of the mean squared error of predicting zero.
const DEFAULT_LAMBDA: f64 = 1e-6;

/// Default gap of ridge by conjugate gradients in single precision, where the rounding of the coefficients makes u²/λ of the
/// objective for coefficients of independent errors, 3.6e-9 for λ = 1e-6, or more.
const CG_GAP_SINGLE: f64 = 1e-6;

/// Default bound on the iterations of kernel ridge by conjugate gradients: what a preconditioner of
/// condition 10⁴ needs.
const CG_ITERATIONS: usize = 1000;

/// Ridge regression and classification, on a kernel, on landmarks or on features.
///
/// # Complexity
/// | space | time | values in memory |
/// |---|---|---|
/// | [`OnKernel`], Cholesky | n²/2 kernel values, n³/3 flops | n² |
/// | [`OnKernel`], conjugate gradients | about 20n² to 200n² | n²/2, or a few vectors |
/// | [`OnLandmarks`], m of them, t iterations | n·m kernel values (t·n·m if they are not stored), 4nmt + 16m³ flops | 4m², and nm if they fit |
/// | [`OnFeatures`], D of them | nD² + D³/3 flops, the features twice | D² and a panel |
/// | the same, n < D | n²D + n³/3 flops, the features once | n², and nD |
/// | the same, many points | 8D³ flops, 4nDt for t iterations, the features once or in each iteration | 2D², and nD if they fit |
///
/// # Numerics
/// From 1024 points on, problems in double precision are factorised in single precision, and
/// conjugate gradients on K refine the solution to double precision. If the certificate shows that
/// this was not enough, the factorisation is repeated in double precision.
///
/// # Examples
/// Numeric targets give regression, labels give classification (±1 targets, one class against the
/// rest):
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let ridge = Ridge::on_kernel(Rbf::new(0.5)?).lambda(1e-8);
/// let model = ridge.fit(&x, &[0.0_f64, 1.0, 0.0])?;
/// assert!((model.predict(&Samples::from_rows(&[[1.0]])?)?[0] - 1.0_f64).abs() < 1e-6);
/// assert_eq!(ridge.fit(&x, &["low", "high", "low"])?.predict(&x)?, ["low", "high", "low"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// On landmarks, and on their features; here all points are landmarks, so the problem is the same:
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::{Status, ridge::Ridge};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, -1.0];
/// let (kernel, nystrom) = (Rbf::new(0.5)?, Nystrom::new(Rbf::new(0.5)?).landmarks(4));
/// let exact = Ridge::on_kernel(kernel).lambda(1e-3).fit(&x, &y)?.predict(&x)?;
/// let landmarks = Ridge::on_landmarks(nystrom.clone()).lambda(1e-3).fit(&x, &y)?;
/// assert_eq!(landmarks.report().status, Status::Converged);
/// assert!((landmarks.predict(&x)?[1] - exact[1]).abs() < 1e-8);
/// let map = nystrom.fit(&x, &MemoryBudget::mebibytes(1))?;
/// let features = Ridge::on_features(map).lambda(1e-3).fit(&x, &y)?;
/// assert!((features.predict(&x)?[1] - exact[1]).abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// A kernel that is not known to be positive semi-definite is rejected at compile time:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Sigmoid};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// Ridge::on_kernel(Sigmoid::new(1.0, 0.0)?).fit(&x, &[0.0, 1.0, 0.0])?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// unless [`AssumeMercer`](kern_core::closure::AssumeMercer) asserts it:
/// ```
/// use kern_core::{Samples, closure::AssumeMercer, kernels::Sigmoid};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let kernel = AssumeMercer(Sigmoid::new(0.1, 0.0)?);
/// assert!(Ridge::on_kernel(kernel).lambda(0.1).fit(&x, &[0.0, 1.0, 0.0]).is_ok());
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "KRR")]
#[doc(alias = "KernelRidge")]
#[doc(alias = "kernel ridge regression")]
#[doc(alias = "LS-SVM")]
#[doc(alias = "RLS")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ridge<S> {
    pub(super) space: S,
    pub(super) settings: Settings,
}

settings! {
    /// The settings that do not depend on the space.
    pub(super) struct Settings in settings;

    Ridge {
        /// The penalty λ > 0 of ‖f‖², per sample. Default: 1e-6.
        ///
        /// Only nλ matters, where n counts all points, including those of weight zero. The fit on
        /// the m points of positive weight alone is the same with λ' = nλ/m, and that on repeated
        /// points instead of integer weights with λ' = nλ/Σβ.
        #[doc(alias = "alpha")]
        #[doc(alias = "regularization")]
        lambda: f64 = DEFAULT_LAMBDA, Domain::positive();
        /// Whether f has an intercept, which is not penalised. Default: false.
        intercept: bool = false;
        /// The weights of classes, which multiply the sample weights. Default:
        /// [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The duality gap, relative to the objective of each output, at which an iteration ends;
        /// direct solvers ignore it. Default on a kernel: 1e-10, or 1e-6 for points in single
        /// precision; on landmarks 1e-6 or 1e-5, on features 1e-10 or 1e-5.
        ///
        /// The weighted root mean square of f − f* over the points is at most √gap. If rounding
        /// prevents this gap, the fit ends with [`Status::Stalled`](crate::Status::Stalled) and
        /// reports the gap that was reached.
        tolerance: f64, Domain::positive();
        /// The maximum number of iterations. Default: 1000 on a kernel, 100 on landmarks and
        /// features.
        max_iterations: usize, Domain::count(1);
        /// The seed of preconditioners. Default: 0.
        seed: u64 = 0;
    }
    Ridge on OnKernel {
        /// The solver of the linear system. Default: [`RidgeSolver::Auto`].
        solver: RidgeSolver = RidgeSolver::Auto;
        /// The rank k of the preconditioner of conjugate gradients, 0 for none. Default: increased
        /// as long as that is predicted to save more time than it costs, within the memory budget.
        rank: usize;
        /// Whether conjugate gradients store the n²/2 kernel values or recompute them in every
        /// iteration. Default: stored if the budget allows.
        stored: bool;
    }
    Ridge on OnLandmarks {
        /// The number s of points sampled for the preconditioner. Default: eight per feature.
        sampled: usize, Domain::count(1);
    }
}

named_learners! { Ridge: settings; }

constructors! {
    Ridge;
    /// Ridge regression with this kernel and the default λ.
    on_kernel;
    /// Ridge regression on landmarks chosen by these parameters, with the default λ.
    on_landmarks;
    /// Ridge regression in the space that the planner chooses for this kernel, with the default λ.
    /// To add features or fix the algorithm, pass an [`Auto`] to [`Ridge::on`].
    auto;
    /// Ridge regression on the features of this map, with the default λ.
    ///
    /// It solves the normal equations, the dual with the Gram matrix if there are fewer points than
    /// features, or, for many points and features, runs the iteration that is used on landmarks
    /// where that takes less time. If the iteration does not reach its gap, the normal equations
    /// are solved instead.
    ///
    /// Features are computed in panels, and stored if an iteration has the memory, so any n is
    /// possible. The report has a bound on the distance of the objective from its minimum, for
    /// which the features are computed once more.
    on_features;
}

impl<S> Ridge<S> {
    /// Ridge regression in this space, with the default λ.
    pub fn on(space: S) -> Self {
        Self { space, settings: Settings::default() }
    }

    fit_sugar!(supervised);
}

/// The solver of the linear system of ridge regression on a kernel. All of them give the same
/// model, up to the gap in its report.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::{Ridge, RidgeSolver};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, -1.0];
/// let ridge = Ridge::on_kernel(Rbf::new(0.5)?).lambda(1e-3);
/// let direct = ridge.fit(&x, &y)?;
/// let iterated = ridge.solver(RidgeSolver::ConjugateGradients).tolerance(1e-20).fit(&x, &y)?;
/// assert!((direct.predict(&x)?[1] - iterated.predict(&x)?[1]).abs() < 1e-9);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RidgeSolver {
    /// Cholesky factorisation up to 2000 points; beyond that, the algorithm with the least work
    /// within the memory budget, as predicted by [`RidgeTask`](super::RidgeTask). Conjugate
    /// gradients if the matrix does not fit.
    #[default]
    Auto,
    /// Cholesky factorisation of the stored kernel matrix.
    Cholesky,
    /// Preconditioned conjugate gradients, see the [module](crate::ridge).
    ConjugateGradients,
}

named_values!(RidgeSolver {
    "auto" => Auto,
    "cholesky" => Cholesky,
    "conjugate_gradients" => ConjugateGradients,
});

impl Settings {
    /// λ, after the checks that need no data.
    pub(super) fn checked(&self) -> Result<f64, Error> {
        check(self).map(|()| self.lambda)
    }

    /// The relative gap of conjugate gradients on a kernel.
    pub(super) fn gap<T: Scalar>(&self) -> f64 {
        let double = size_of::<T>() == size_of::<f64>();
        let default = if double { tolerance::CG_GAP } else { CG_GAP_SINGLE };
        self.tolerance.unwrap_or(default)
    }

    /// The maximum number of iterations of conjugate gradients on a kernel.
    pub(super) fn most(&self) -> usize {
        self.max_iterations.unwrap_or(CG_ITERATIONS)
    }
}

/// A space in which ridge regression is solved. Sealed: its method takes types that cannot be named
/// outside.
pub trait RidgeSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;
}

/// A ridge problem: points, targets, weights and settings.
#[derive(Debug)]
pub struct Task<'t, P: Points> {
    pub(super) settings: &'t Settings,
    pub(super) lambda: f64,
    pub(super) points: &'t P,
    /// Points × outputs.
    pub(super) targets: MatRef<'t, P::Scalar>,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

impl<S> Ridge<S> {
    fn regress<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        targets: MatRef<'_, P::Scalar>,
        weights: Option<&[f64]>,
        run: &mut Run<'_>,
    ) -> Result<(S::Function, Report), Error>
    where
        P: Points,
        Y: Targets,
        S: RidgeSpace<P>,
    {
        let lambda = self.settings.checked()?;
        let points = data.points();
        let task = Task { settings: &self.settings, lambda, points, targets, weights };
        let (function, report) = self.space.regress(&task, run)?;
        // Direct solvers report once, at the end, when nothing is left to stop.
        let Report { iterations, objective, .. } = report;
        let progress = Progress::new(iterations, iterations, objective);
        let _ = run.observe(&progress);
        Ok((function, report))
    }
}

/// # Errors
/// [`Error::Core`] for λ ≤ 0, a tolerance ≤ 0 or points that the kernel or the map rejects;
/// [`Error::Count`] for zero iterations; [`Error::Gram`] if the memory of the run is exceeded;
/// [`Error::NotPositiveDefinite`] or [`Error::Approx`] for a matrix that is not positive
/// semi-definite; [`Error::Stopped`] if the run ends a Cholesky factorisation before it begins.
impl<P, Y, S> Learner<P, Y> for Ridge<S>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    S: RidgeSpace<P>,
{
    type Model = Y::Model<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let (targets, weights) = (data.targets().matrix(), data.sample_weights());
        let (function, report) = learned(self.regress(data, targets, weights, run)?)?;
        Ok(Y::model(function, report))
    }
}

impl<P: Points, L: Label, S: RidgeSpace<P>> Learner<P, Labels<L>> for Ridge<S> {
    type Model = Classifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let labels = Encoded::new(data.targets())?;
        let weights = self.settings.class_weights.combine(&labels, data.sample_weights())?;
        let signs = labels.signs(&run.budget())?;
        let (targets, weights) = (signs.as_ref(), weights.as_deref());
        let (function, report) = learned(self.regress(data, targets, weights, run)?)?;
        Ok(Classifier::new(function, labels.classes, Vote::Argmax, report))
    }
}
