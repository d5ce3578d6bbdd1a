//! Kernel ridge on a Gram matrix that is given.

use super::iterate::{Learned, Task};
use super::preconditioner::{self, Preconditioner, Prospect};
use super::{ConjugateGradients, RidgeSolver};
use crate::arithmetic::converted;
use crate::cholesky::{Cholesky, scale_lower_in_place};
use crate::labels::check_targets;
use crate::ridge::KernelRidge;
use crate::weights::check_weights;
use crate::{Error, Report};
use faer::{Mat, MatRef};
use kern_approx::{PivotedCholesky, Precomputed};
use kern_core::memory::LargeMat;
use kern_core::{Positive, Scalar};
use kern_gram::{GramOperator, MemoryBudget, matrix_bytes};

/// α and b of kernel ridge on a Gram matrix that was given: f at a point is Σᵢ αᵢK(x, xᵢ) + b.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeCoefficients<T: Scalar> {
    alpha: Mat<T>,
    intercepts: Vec<T>,
    report: Report,
}

impl<T: Scalar> RidgeCoefficients<T> {
    /// α, points × outputs.
    #[must_use]
    pub fn coefficients(&self) -> MatRef<'_, T> {
        self.alpha.as_ref()
    }

    /// b of each output.
    #[must_use]
    pub fn intercepts(&self) -> &[T] {
        &self.intercepts
    }

    /// The evidence of the fit.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }
}

impl KernelRidge<Precomputed> {
    /// Parameters for a Gram matrix that is given, see [`fit_gram`](KernelRidge::fit_gram).
    #[must_use]
    pub fn precomputed() -> Self {
        Self::new(Precomputed)
    }

    /// Learns from a positive semi-definite Gram matrix, which may be any operator. `targets` is
    /// points × outputs.
    ///
    /// [`RidgeSolver::Cholesky`] makes a dense copy of it and refines what the factor solves; all else are
    /// conjugate gradients on the operator as it is.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets; [`Error::Weight`] and
    /// [`Error::NoWeight`] for the weights; [`Error::Core`] for λ ≤ 0; [`Error::Gram`] for entries that are not
    /// finite, or more memory than the budget; [`Error::Approx`] or [`Error::NotPositiveDefinite`] if the matrix is not
    /// positive semi-definite.
    ///
    /// # Examples
    /// ```
    /// use kern_core::faer::mat;
    /// use kern_gram::PrecomputedGram;
    /// use kern_solvers::ridge::KernelRidge;
    /// let gram = PrecomputedGram::new(mat![[2.0, 1.0], [1.0, 2.0]])?;
    /// let y = mat![[5.0], [4.0_f64]];
    /// let found = KernelRidge::precomputed().lambda(0.5).fit_gram(&gram, y.as_ref())?;
    /// let alpha = found.coefficients(); // of [[3, 1], [1, 3]]·α = y
    /// assert!((alpha[(0, 0)] - 11.0 / 8.0).abs() < 1e-9 && (alpha[(1, 0)] - 7.0 / 8.0).abs() < 1e-9);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn fit_gram<T, G>(
        self,
        gram: &G,
        targets: MatRef<'_, T>,
    ) -> Result<RidgeCoefficients<T>, Error>
    where
        T: Scalar,
        G: GramOperator<T>,
    {
        let lambda = Positive::new("lambda", self.lambda)?.get();
        let (n, budget) = (gram.size(), self.budget.unwrap_or_default());
        check_targets(n, targets)?;
        if let Some(weights) = &self.weights {
            check_weights(n, weights)?;
        }
        // The coefficient of a point of weight zero stays zero: its row of the matrix is zero but for ν.
        let roots = self.weights.as_ref().map(|w| w.iter().map(|w| w.sqrt()).collect());
        let task = Task {
            gram,
            fresh: gram,
            witness: gram,
            targets: converted(targets)?,
            weights: self.weights,
            roots,
            count: n,
            lambda,
            intercept: self.intercept,
        };
        let Learned { alpha, intercepts, report } = match self.solver {
            RidgeSolver::Cholesky => refined(&task, &budget)?,
            RidgeSolver::ConjugateGradients(params) => iterated(&task, &params, &budget)?,
            RidgeSolver::Auto => iterated(&task, &ConjugateGradients::new(), &budget)?,
        };
        Ok(RidgeCoefficients { alpha, intercepts, report })
    }
}

/// Conjugate gradients with the preconditioner that the budget allows.
fn iterated<T: Scalar>(
    task: &Task<'_, T>,
    params: &ConjugateGradients,
    budget: &MemoryBudget,
) -> Result<Learned<T>, Error> {
    params.check::<T>()?;
    let n = task.gram.size();
    let mut factor = match PivotedCholesky::of_gram(task.gram, params.seed) {
        Err(kern_approx::Error::NoPositiveEigenvalue { .. }) => return task.learn(&Ok, params),
        factor => factor?,
    };
    if let Some(rank) = params.rank {
        let needed = preconditioner::bytes::<T>(n, rank.min(n));
        budget.require("a preconditioner", needed, "set a smaller rank, or none")?;
        factor.grow(rank)?;
    } else {
        let prospect = Prospect {
            weights: task.weights.as_deref(),
            shift: task.shift(),
            relative_gap: params.gap::<T>(),
            product: task.gram.product_cost(),
        };
        prospect.grow(&mut factor, preconditioner::most::<T>(n, budget))?;
    }
    if factor.rank() == 0 {
        return task.learn(&Ok, params);
    }
    let preconditioner = Preconditioner::new(factor, task.roots.as_deref(), task.shift())?;
    task.learn(&|v| preconditioner.apply(v), params)
}

/// Conjugate gradients with the Cholesky factor of the matrix itself, which is iterative refinement.
fn refined<T: Scalar>(task: &Task<'_, T>, budget: &MemoryBudget) -> Result<Learned<T>, Error> {
    let n = task.gram.size();
    let instead = "RidgeSolver::ConjugateGradients needs none of it";
    budget.require("a dense Gram matrix", matrix_bytes::<T>(n, n), instead)?;
    let mut matrix = LargeMat::zeros(n, n)?;
    let all: Vec<usize> = (0..n).collect();
    task.gram.columns_into(&all, matrix.as_mut())?;
    if let Some(roots) = &task.roots {
        let roots: Vec<T> = roots.iter().map(|&root| T::from_f64(root)).collect();
        scale_lower_in_place(matrix.as_mut(), &roots);
    }
    let factor = Cholesky::new(matrix, task.shift())?;
    let solve = |v: Mat<f64>| {
        let mut v: Mat<T> = converted(v.as_ref())?;
        factor.solve_in_place(v.as_mut());
        converted(v.as_ref())
    };
    task.learn(&solve, &ConjugateGradients::new())
}
