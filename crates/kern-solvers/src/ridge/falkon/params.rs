//! Parameters of kernel ridge on landmarks.

use crate::tolerance;
use kern_approx::NystromMap;
use kern_core::Points;
use kern_gram::MemoryBudget;

/// Kernel ridge regression on landmarks, by preconditioned conjugate gradients.
///
/// # Complexity
/// With m landmarks, s sampled points and t iterations: n·m kernel evaluations (t·n·m if they are not
/// stored), 4·n·m·t flops, 2·s·m² + m³ for the preconditioner. Memory: three to four m × m matrices of
/// doubles, and n × m numbers if the budget allows.
///
/// # Examples
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::{Status, ridge::{Falkon, KernelRidge}};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, -1.0];
/// let kernel = Rbf::new(0.5)?;
/// let map = Nystrom::new(kernel).landmarks(4).fit(&x, &MemoryBudget::mebibytes(1))?;
/// let model = Falkon::new(map).lambda(1e-3).fit(&x, &y)?;
/// assert_eq!(model.report().status, Status::Converged);
/// // All points are landmarks: the problem is that of kernel ridge.
/// let exact = KernelRidge::new(kernel).lambda(1e-3).fit(&x, &y)?;
/// assert!((model.predict(&x)?[1] - exact.predict(&x)?[1]).abs() < 1e-8);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Falkon<P: Points, K> {
    pub(super) map: NystromMap<P, K>,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) budget: Option<MemoryBudget>,
    pub(super) relative_gap: Option<f64>,
    pub(super) max_iterations: usize,
    pub(super) sampled: Option<usize>,
    pub(super) seed: u64,
}

impl<P: Points, K> Falkon<P, K> {
    /// Ridge regression on the landmarks of this map with the default λ.
    pub fn new(map: NystromMap<P, K>) -> Self {
        Self {
            map,
            lambda: tolerance::DEFAULT_LAMBDA,
            intercept: false,
            weights: None,
            budget: None,
            relative_gap: None,
            max_iterations: tolerance::MOST_CG_ITERATIONS,
            sampled: None,
            seed: 0,
        }
    }

    /// The penalty λ > 0 of ‖f‖², per sample. Default: 1e-6.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.lambda = lambda;
        self
    }

    /// Whether f has an intercept, which is not penalised. Default: false.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// The weights βᵢ ≥ 0 of the points: their squared errors count βᵢ times. Default: 1 for all.
    #[must_use]
    pub fn sample_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// The memory for matrices. Default: [`MemoryBudget::available`] at the time of the fit.
    #[must_use]
    pub fn budget(mut self, budget: MemoryBudget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The gap, relative to the objective, at which the iteration ends. Default: 1e-6, and 1e-5 for
    /// points in single precision.
    ///
    /// A gap that rounding does not allow ends the fit with [`Status::Stalled`](crate::Status::Stalled) and the
    /// gap that was reached.
    #[must_use]
    pub fn relative_gap(mut self, relative_gap: f64) -> Self {
        self.relative_gap = Some(relative_gap);
        self
    }

    /// The greatest number of iterations. Default: 100.
    #[must_use]
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.max_iterations = max_iterations;
        self
    }

    /// The number s of points that make the preconditioner. Default: eight for each feature.
    #[must_use]
    pub fn sampled(mut self, sampled: usize) -> Self {
        self.sampled = Some(sampled);
        self
    }

    /// The seed of the choice of these points. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}
