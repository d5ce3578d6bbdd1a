//! Parameters of logistic regression on features.

use crate::ClassWeights;
use crate::logistic::params::Settings;
use kern_gram::MemoryBudget;

/// Logistic regression on the features of a map, by Newton's method on statistics that are gathered in passes.
///
/// Features are computed in panels and not kept, so n may be anything: memory is that of D² numbers in
/// double precision and one panel.
///
/// # Complexity
/// For each class and each of about ten steps: n·D² + D³/3 flops, and the features once.
///
/// # Examples
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::{Status, logistic::{FeatureLogistic, KernelLogistic}};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = ["no", "no", "yes", "yes"];
/// let kernel = Rbf::new(0.5)?;
/// let map = Nystrom::new(kernel).landmarks(4).fit(&x, &MemoryBudget::mebibytes(1))?;
/// let model = FeatureLogistic::new(map).intercept(true).fit(&x, &y)?;
/// assert_eq!(model.report().status, Status::Converged);
/// // All points are landmarks: the features reproduce the kernel.
/// let exact = KernelLogistic::new(kernel).intercept(true).fit(&x, &y)?;
/// let difference: f64 = model.predict_proba(&x)?[(1, 0)] - exact.predict_proba(&x)?[(1, 0)];
/// assert!(difference.abs() < 1e-3);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureLogistic<M> {
    pub(super) map: M,
    pub(super) settings: Settings,
    pub(super) intercept: bool,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) class_weights: ClassWeights,
    pub(super) budget: Option<MemoryBudget>,
}

impl<M> FeatureLogistic<M> {
    /// Logistic regression on the features of this map with the default λ.
    pub fn new(map: M) -> Self {
        Self {
            map,
            settings: Settings::default(),
            intercept: false,
            weights: None,
            class_weights: ClassWeights::Equal,
            budget: None,
        }
    }

    /// The penalty λ > 0 of ½‖w‖², per sample. Default: 1e-3.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.settings.lambda = lambda;
        self
    }

    /// Whether every function has an intercept, which is not penalised. Default: false.
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

    /// The greatest number of Newton steps for each class. Default: 100.
    #[must_use]
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.settings.max_iterations = max_iterations;
        self
    }

    /// The weights βᵢ ≥ 0 of the points: their losses count βᵢ times. Default: 1 for all.
    ///
    /// Only nλ matters, where n is the number of points, those of weight zero included.
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

    /// The memory for matrices. Default: [`MemoryBudget::available`] at the time of the fit.
    #[must_use]
    pub fn budget(mut self, budget: MemoryBudget) -> Self {
        self.budget = Some(budget);
        self
    }
}
