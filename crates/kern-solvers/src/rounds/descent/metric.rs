//! The metric of the features.

use super::Problem;
use crate::Error;
use faer::Mat;
use kern_approx::statistics::NormalEquations;
use kern_core::memory::LargeMat;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{MemoryBudget, zeros};
use serde::{Deserialize, Serialize};

/// H = (c/n)Σβ[z; 1][z; 1]ᵀ + λ·diag(1, …, 1, 0), without the last row and column unless there is an intercept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Metric {
    sums: NormalEquations,
    /// The factor of H, made of the sums where it is needed.
    #[serde(skip)]
    factor: Option<Cholesky<f64>>,
}

impl Metric {
    pub(super) fn new(sums: NormalEquations) -> Self {
        Self { sums, factor: None }
    }

    pub(super) fn fits(&self, problem: &Problem) -> bool {
        (self.sums.dim(), self.sums.outputs()) == (problem.dim, problem.outputs)
    }

    /// H⁻¹v; the last row is zero without an intercept.
    pub(super) fn solve(
        &mut self,
        mut v: Mat<f64>,
        problem: &Problem,
        memory: &MemoryBudget,
    ) -> Result<Mat<f64>, Error> {
        let factor = match self.factor.take() {
            Some(factor) => factor,
            None => self.factorised(problem, memory)?,
        };
        let size = factor.size();
        factor.solve_in_place(v.as_mut().subrows_mut(0, size));
        if !problem.intercept {
            v.row_mut(problem.dim).iter_mut().for_each(|v| *v = 0.0);
        }
        self.factor = Some(factor);
        Ok(v)
    }

    fn factorised(&self, problem: &Problem, memory: &MemoryBudget) -> Result<Cholesky<f64>, Error> {
        let (dim, sums) = (problem.dim, &self.sums);
        let size = dim + usize::from(problem.intercept);
        let bytes = NormalEquations::bytes(size, 1);
        memory.require("the factor of the metric", bytes, "use fewer features")?;
        let factor = problem.curvature() / sums.count() as f64;
        let mut matrix = LargeMat::zeros(size, size)?;
        let mut to = matrix.as_mut();
        for j in 0..dim {
            let from = sums.gram().col(j).subrows(j, dim - j);
            let column = to.as_mut().col_mut(j).subrows_mut(j, dim - j);
            column.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = factor * from);
            to[(j, j)] += problem.lambda;
            if problem.intercept {
                to[(dim, j)] = factor * sums.moments()[(j, 0)];
            }
        }
        if problem.intercept {
            to[(dim, dim)] = factor * sums.weight();
        }
        Ok(Cholesky::new(matrix, 0.0)?)
    }
}

/// The gradient of (1/n)Σβℓ at 0, (D + 1) × outputs; of residuals that of the squared loss.
pub(super) fn slopes_at_zero(problem: &Problem, sums: &NormalEquations) -> Result<Mat<f64>, Error> {
    let (dim, count) = (problem.dim, sums.count() as f64);
    let (moments, targets) = (sums.moments(), sums.target_moments());
    let slope = match problem.loss {
        // ℓ'(0; y) = −y times this.
        Some(loss) if loss.is_margin() => loss.derivative(0.0, -1.0),
        _ => 1.0,
    };
    let share = if problem.loss.is_none() { 1.0 / problem.outputs as f64 } else { 0.0 };
    let mut slopes = zeros(dim + 1, problem.outputs)?;
    for k in 0..problem.outputs {
        for i in 0..dim {
            slopes[(i, k)] = (share * moments[(i, 0)] - slope * moments[(i, 1 + k)]) / count;
        }
        if problem.intercept {
            slopes[(dim, k)] = (share * sums.weight() - slope * targets[(k, 0)]) / count;
        }
    }
    Ok(slopes)
}
