//! Parameters of conjugate gradients, and the choice of a solver.

use crate::{Error, tolerance};
use kern_core::{Positive, Scalar};

/// How the linear system of kernel ridge is solved. Every way gives the same model up to the gap of its
/// report.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::{ConjugateGradients, KernelRidge, RidgeSolver};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, -1.0];
/// let ridge = KernelRidge::new(Rbf::new(0.5)?).lambda(1e-3);
/// let cg = RidgeSolver::ConjugateGradients(ConjugateGradients::new().relative_gap(1e-20));
/// let (direct, iterated) = (ridge.clone().fit(&x, &y)?, ridge.solver(cg).fit(&x, &y)?);
/// assert!((direct.predict(&x)?[1] - iterated.predict(&x)?[1]).abs() < 1e-9);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum RidgeSolver {
    /// Cholesky factorisation of up to 2000 points, else the way of [`RidgePlan`](super::RidgePlan) that is
    /// predicted to be fastest within the memory budget; conjugate gradients if the matrix does not fit.
    ///
    /// Predictions contain times that are measured ([`RidgeRates`](super::RidgeRates)), in every fit anew: nothing is
    /// remembered. So two fits of more points may take different ways, and agree to within their gaps. Who needs
    /// the same bits in every run sets the solver.
    #[default]
    Auto,
    /// Cholesky factorisation of the stored kernel matrix.
    Cholesky,
    /// Preconditioned conjugate gradients.
    ConjugateGradients(ConjugateGradients),
}

/// Parameters of preconditioned conjugate gradients for kernel ridge.
///
/// # Definition
/// (B^½KB^½ + nλI)γ = B^½(y − b), α = B^½γ, is solved for all outputs in the same products. With a randomly pivoted
/// Cholesky factor K ≈ FFᵀ of rank k the preconditioner is B^½FFᵀB^½ + nλI, whose inverse takes 4nk flops by
/// the Woodbury identity. It leaves a condition number of at most 1 + tr(B^½(K − FFᵀ)B^½)/(nλ), which is
/// known, so the iterations that more rank would save are predicted before it is paid for.
///
/// # Complexity
/// Each iteration n²/2 kernel evaluations (or n²/2 numbers that are read, if that many fit the budget)
/// for all outputs together; n·k evaluations, 2n·k² flops and n·k numbers for the preconditioner.
///
/// # Numerics
/// Vectors are in double precision for `f32` points too; only products that steer are not. Every 30
/// iterations, and before convergence is declared, the residual is computed afresh, from kernel values
/// that are summed in double precision.
///
/// # References
/// Díaz, Epperly, Frangella, Tropp & Webber (2023), *Robust, Randomized Preconditioning for Kernel Ridge
/// Regression*, algorithm 1; van der Vorst & Ye (2000), *Residual Replacement Strategies for Krylov Subspace
/// Iterative Methods*.
#[derive(Clone, Debug, PartialEq)]
pub struct ConjugateGradients {
    pub(super) rank: Option<usize>,
    pub(super) relative_gap: Option<f64>,
    pub(super) max_iterations: usize,
    pub(super) seed: u64,
    pub(super) stored: Option<bool>,
}

impl Default for ConjugateGradients {
    fn default() -> Self {
        Self::new()
    }
}

impl ConjugateGradients {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        let max_iterations = tolerance::CG_ITERATIONS;
        Self { rank: None, relative_gap: None, max_iterations, seed: 0, stored: None }
    }

    /// The rank k of the preconditioner, 0 for none. Default: as long as more of it is predicted to save more
    /// time than it takes, within the memory budget.
    #[must_use]
    pub const fn rank(mut self, rank: usize) -> Self {
        self.rank = Some(rank);
        self
    }

    /// The duality gap, relative to the objective of each output, at which the iteration ends. Default: 1e-10
    /// for `f64`, 1e-6 for `f32`.
    ///
    /// The root mean square of f − f* over the points, each counted with its weight, is at most √gap.
    #[must_use]
    pub const fn relative_gap(mut self, relative_gap: f64) -> Self {
        self.relative_gap = Some(relative_gap);
        self
    }

    /// The greatest number of iterations. Default: 1000.
    #[must_use]
    pub const fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.max_iterations = max_iterations;
        self
    }

    /// The seed of the preconditioner. Default: 0.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether the kernel values are kept, n²/2 numbers, or computed in every iteration. Default: kept if the
    /// budget allows.
    #[must_use]
    pub const fn stored(mut self, stored: bool) -> Self {
        self.stored = Some(stored);
        self
    }

    pub(super) fn gap<T: Scalar>(&self) -> f64 {
        let double = size_of::<T>() == size_of::<f64>();
        let default = if double { tolerance::CG_GAP } else { tolerance::CG_GAP_SINGLE };
        self.relative_gap.unwrap_or(default)
    }

    pub(super) fn check<T: Scalar>(&self) -> Result<(), Error> {
        Positive::new("the relative gap", self.gap::<T>())?;
        if self.max_iterations == 0 {
            let name = "the number of iterations";
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        Ok(())
    }
}
