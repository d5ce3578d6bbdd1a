//! Parameters of logistic regression.

use crate::estimator::check;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use crate::{ClassWeights, Error, MultiClass, fit_sugar, tolerance};
use kern_core::parameters::Domain;
use kern_core::{named_values, settings};
use serde::{Deserialize, Serialize};

/// Logistic regression by Newton's method, on a kernel, on landmarks or on features.
///
/// # Complexity
/// | space | time | numbers in memory |
/// |---|---|---|
/// | [`OnKernel`] | n²/2 kernel values, n³/3 flops for each factorisation (one at least), 4n² for each iteration of conjugate gradients and class | 2n² |
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
#[doc(alias = "IRLS")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logistic<S> {
    pub(super) space: S,
    pub(super) options: LogisticOptions,
}

settings! {
    /// All that does not belong to the space.
    pub struct LogisticOptions in options;

    Logistic {
        /// The penalty λ > 0 of ½‖f‖², per sample. Default: 1e-3.
        ///
        /// Only nλ matters, where n is the number of points, those of weight zero included: m points with
        /// positive weights do as well alone with λ' = nλ/m, and integer weights are repeated points with
        /// λ' = nλ/Σβ.
        #[doc(alias = "alpha")]
        #[doc(alias = "regularization")]
        lambda: f64 = tolerance::DEFAULT_LOGISTIC_LAMBDA, Domain::positive();
        /// Sets whether every function has an intercept, which is not penalised. Those of a multinomial problem sum to
        /// zero. Default: false.
        intercept: bool = false;
        /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The greatest duality gap, relative to the objective J. Default: 1e-8.
        ///
        /// A gap that rounding does not allow ends the fit with [`Status::Stalled`](crate::Status::Stalled) or
        /// [`Status::IterationsDone`](crate::Status::IterationsDone), and the gap that was reached.
        tolerance: f64 = tolerance::DEFAULT_RELATIVE_GAP, Domain::non_negative().log();
        /// The greatest number of Newton steps (for each class, if one is learned at a time). A fit that needs more
        /// says so: [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 100.
        max_iterations: usize = 100;
    }
    Logistic on OnKernel {
        /// The way of learning more than two classes. Default: [`MultiClass::Softmax`]. On landmarks and features each is
        /// learned against the rest.
        multi_class: MultiClass = MultiClass::Softmax;
        /// The steps. Default: [`LogisticSolver::Newton`](crate::logistic::LogisticSolver::Newton).
        solver: LogisticSolver = LogisticSolver::Newton;
    }
    Logistic on OnLandmarks {
        /// The number s of points that make the preconditioner. Default: four for each feature.
        sampled: usize, Domain::count(1);
        /// The seed of the choice of these points. Default: 0.
        seed: u64 = 0;
    }
}

named_learners! { Logistic: options; }

constructors! {
    Logistic;
    /// Logistic regression with this kernel and the default λ.
    on_kernel;
    /// Logistic regression on landmarks that these parameters choose, with the default λ.
    on_landmarks;
    /// Logistic regression on the features of this map, with the default λ.
    ///
    /// Features are computed in panels and not kept, so n may be anything.
    on_features;
}

impl<S> Logistic<S> {
    /// Logistic regression in this space, with the default λ.
    pub fn on(space: S) -> Self {
        Self { space, options: LogisticOptions::default() }
    }

    fit_sugar!(supervised);
}

/// The steps of logistic regression on a kernel. Both make J fall until its duality gap is small enough; which one is
/// better is a matter of λ.
///
/// # Complexity
/// Of gradient descent one product with K for a step, 2n² flops, and of some L/λ·ln(1/ε) steps for the gap ε: L = λ + ‖K‖/(4n). Of Newton's
/// method n³/3 for a factor, and some ten steps whatever λ is.
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

/// The penalty, and the end of the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) lambda: f64,
    pub(super) tolerance: f64,
    pub(super) max_iterations: usize,
}

impl LogisticOptions {
    /// The goal, after a check of all that needs no data.
    pub(super) fn goal(&self) -> Result<Goal, Error> {
        let Self { lambda, tolerance, max_iterations, sampled, .. } = *self;
        if sampled == Some(0) {
            let (name, allowed) = ("the number of sampled points", "at least 1");
            return Err(Error::Count { name, given: 0, allowed });
        }
        check(self)?;
        Ok(Goal { lambda, tolerance, max_iterations })
    }
}
