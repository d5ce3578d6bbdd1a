//! Parameters of kernel ridge.

use super::RidgeSolver;
use crate::tolerance;
use kern_gram::MemoryBudget;

/// Kernel ridge regression, by Cholesky factorisation or by preconditioned conjugate gradients.
///
/// # Complexity
/// Cholesky: n²/2 kernel evaluations, n³/3 flops, n² numbers. Conjugate gradients: see
/// [`ConjugateGradients`](super::ConjugateGradients).
///
/// # Numerics
/// From 1024 points on the factor of a problem in double precision is in single precision, and conjugate
/// gradients on K make its solution one of double precision, unless the certificate says otherwise: then the
/// factor is in double precision, too.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::KernelRidge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let model = KernelRidge::new(Rbf::new(0.5)?).lambda(1e-8).fit(&x, &[0.0, 1.0, 0.0])?;
/// let y = model.predict(&Samples::from_rows(&[[1.0]])?)?;
/// assert!((y[0] - 1.0_f64).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// A kernel that is not known to be positive semi-definite is refused at compile time:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Sigmoid};
/// use kern_solvers::ridge::KernelRidge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// KernelRidge::new(Sigmoid::new(1.0, 0.0)?).fit(&x, &[0.0, 1.0, 0.0])?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// unless its user answers for it:
/// ```
/// use kern_core::{Samples, closure::AssumeMercer, kernels::Sigmoid};
/// use kern_solvers::ridge::KernelRidge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let kernel = AssumeMercer(Sigmoid::new(0.1, 0.0)?);
/// assert!(KernelRidge::new(kernel).lambda(0.1).fit(&x, &[0.0, 1.0, 0.0]).is_ok());
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelRidge<K> {
    pub(super) kernel: K,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) budget: Option<MemoryBudget>,
    pub(super) solver: RidgeSolver,
}

impl<K> KernelRidge<K> {
    /// Ridge regression with this kernel and the default λ.
    pub fn new(kernel: K) -> Self {
        let lambda = tolerance::DEFAULT_LAMBDA;
        let solver = RidgeSolver::Auto;
        Self { kernel, lambda, intercept: false, weights: None, budget: None, solver }
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
    ///
    /// Only nλ matters, where n is the number of points, those of weight zero included: m points with
    /// positive weights do as well alone with λ' = nλ/m, and integer weights are repeated points with
    /// λ' = nλ/Σβ.
    #[must_use]
    pub fn sample_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// How the linear system is solved. Default: [`RidgeSolver::Auto`].
    #[must_use]
    pub fn solver(mut self, solver: RidgeSolver) -> Self {
        self.solver = solver;
        self
    }

    /// The memory for matrices. Default: [`MemoryBudget::available`] at the time of the fit.
    #[must_use]
    pub fn budget(mut self, budget: MemoryBudget) -> Self {
        self.budget = Some(budget);
        self
    }
}
