//! Parameters of kernel ridge.

use crate::tolerance;
use kern_gram::MemoryBudget;

/// Kernel ridge regression by Cholesky factorisation.
///
/// # Complexity
/// n²/2 kernel evaluations, n³/3 flops, n² numbers.
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
    pub(super) budget: Option<MemoryBudget>,
}

impl<K> KernelRidge<K> {
    /// Ridge regression with this kernel and the default λ.
    pub fn new(kernel: K) -> Self {
        Self { kernel, lambda: tolerance::DEFAULT_LAMBDA, budget: None }
    }

    /// The penalty λ > 0 of ‖f‖², per sample. Default: 1e-6.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.lambda = lambda;
        self
    }

    /// The memory for the n × n matrix. Default: [`MemoryBudget::available`] at the time of the fit.
    #[must_use]
    pub fn budget(mut self, budget: MemoryBudget) -> Self {
        self.budget = Some(budget);
        self
    }
}
