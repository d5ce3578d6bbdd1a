//! Parameters of kernel logistic regression.

use crate::{ClassWeights, Error, MultiClass, tolerance};
use kern_core::{NonNegative, Positive};
use kern_gram::MemoryBudget;

/// Kernel logistic regression by Newton's method, exact.
///
/// # Complexity
/// n²/2 kernel evaluations, n³/3 flops for each Cholesky factorisation (one at least), 4n² for
/// each conjugate gradient iteration and class, 2n² numbers.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, logistic::KernelLogistic};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = ["no", "no", "yes", "yes"];
/// let model = KernelLogistic::new(Rbf::new(0.5)?).lambda(1e-3).fit(&x, &y)?;
/// assert_eq!(model.predict(&x)?, y);
/// assert_eq!(model.report().status, Status::Converged);
/// let p = model.predict_proba(&x)?;
/// assert!(p[(0, 0)] > 0.9 && (p[(0, 0)] + p[(0, 1)] - 1.0_f64).abs() < 1e-15);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLogistic<K> {
    pub(super) kernel: K,
    pub(super) settings: Settings,
    pub(super) intercept: bool,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) class_weights: ClassWeights,
    pub(super) multi_class: MultiClass,
    pub(super) budget: Option<MemoryBudget>,
}

/// What the iteration has to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) lambda: f64,
    pub(super) tolerance: f64,
    pub(super) max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lambda: tolerance::DEFAULT_LOGISTIC_LAMBDA,
            tolerance: tolerance::DEFAULT_RELATIVE_GAP,
            max_iterations: 100,
        }
    }
}

impl Settings {
    /// Refuses what is outside its domain.
    pub(super) fn check(&self) -> Result<(), Error> {
        Positive::new("lambda", self.lambda)?;
        NonNegative::new("tolerance", self.tolerance)?;
        Ok(())
    }
}

impl<K> KernelLogistic<K> {
    /// Logistic regression with this kernel and the default λ.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            settings: Settings::default(),
            intercept: false,
            weights: None,
            class_weights: ClassWeights::Equal,
            multi_class: MultiClass::Softmax,
            budget: None,
        }
    }

    /// The penalty λ > 0 of ½‖f‖², per sample. Default: 1e-3.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.settings.lambda = lambda;
        self
    }

    /// Whether every function has an intercept, which is not penalised. Those of a multinomial problem sum to
    /// zero. Default: false.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// The greatest duality gap, relative to the objective J. Default: 1e-8.
    ///
    /// A gap that rounding does not allow ends the fit with [`Status::Stalled`](crate::Status::Stalled) or
    /// [`Status::IterationsDone`](crate::Status::IterationsDone), and the gap that was reached.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.settings.tolerance = tolerance;
        self
    }

    /// The greatest number of Newton steps (for each class, if one is learned at a time). A fit that needs more
    /// says so: [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 100.
    #[must_use]
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.settings.max_iterations = max_iterations;
        self
    }

    /// The weights βᵢ ≥ 0 of the points: their losses count βᵢ times. Default: 1 for all.
    ///
    /// Only nλ matters, as in [`KernelRidge::sample_weights`](crate::ridge::KernelRidge::sample_weights).
    #[must_use]
    pub fn sample_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`].
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.class_weights = weights;
        self
    }

    /// How more than two classes are learned. Default: [`MultiClass::Softmax`].
    #[must_use]
    pub fn multi_class(mut self, multi_class: MultiClass) -> Self {
        self.multi_class = multi_class;
        self
    }

    /// The memory for matrices. Default: [`MemoryBudget::available`] at the time of the fit.
    #[must_use]
    pub fn budget(mut self, budget: MemoryBudget) -> Self {
        self.budget = Some(budget);
        self
    }
}
