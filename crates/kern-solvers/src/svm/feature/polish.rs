//! Newton steps on the free coefficients, for problems on which coordinate descent converges
//! slowly.

use super::dual_coordinate_descent::{Machine, Since};
use super::feature_vectors::{Gather, Products, Vectors};
use crate::Error;
use faer::Mat;
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::zeros;

/// The shift of the diagonal of the products of free support vectors, relative to its mean: far less than
/// their curvature, and more than the rounding of a few hundred of them.
const POLISH_SHIFT: f64 = 1e-12;

/// The largest number of free coefficients in a Newton step: 2 MiB of products of features.
const MOST: usize = 512;
/// Passes between two full-length Newton steps.
const PASSES: usize = 4;

impl Machine {
    /// The active coefficients strictly between their bounds and not at a kink, if a Newton step on
    /// them costs less than the work since the last one.
    fn due(&self) -> Option<Vec<usize>> {
        let problem = &self.task.problem;
        let (steps, dim) = (self.steps - self.since.steps, self.w.len());
        let free = |&v: &usize| {
            let b = self.beta[v];
            let smooth = problem.epsilon <= 0.0 || b != 0.0;
            smooth && problem.lower[v] < b && b < problem.upper[v]
        };
        let free: Vec<usize> = self.active().filter(free).take(MOST + 1).collect();
        let k = free.len();
        let affordable = k * k * (dim + k / 3) <= 3 * dim * steps;
        let waited = self.passes >= self.since.passes + PASSES;
        (waited && affordable && (1..=MOST.min(self.left())).contains(&k)).then_some(free)
    }

    /// Minimises over the free coefficients subject to their sum, as far as bounds and kinks allow;
    /// after a full step, the multiplier of the sum becomes the intercept.
    pub(super) fn polish<T: Scalar>(&mut self, z: Vectors<'_, T>) -> Result<(), Error> {
        let Some(free) = self.due() else { return Ok(()) };
        let slopes = self.slopes(&free, z);
        let coupled = !self.task.problem.is_free();
        let Some(mut both) = self.newton(&free, &slopes, z)? else { return Ok(()) };
        let total = |column: usize| both.col_as_slice(column).iter().sum::<f64>();
        let multiplier = if coupled { (self.sum - total(0)) / total(1) } else { 0.0 };
        let (u, v) = both.two_cols_mut(0, 1);
        let pairs = u.iter_mut().zip(v.iter());
        pairs.for_each(|(u, v)| *u = -*u - multiplier * *v);
        let steps = both.col_as_slice(0);
        if !multiplier.is_finite() || steps.iter().any(|step| !step.is_finite()) {
            return Ok(());
        }
        let (length, stop) = self.longest(&free, steps);
        let intercept = self.intercept() + if length < 1.0 { 0.0 } else { multiplier };
        let mut terms = Vec::with_capacity(free.len());
        for (i, (&v, step)) in free.iter().zip(steps).enumerate() {
            let before = self.beta[v];
            self.beta[v] = match stop {
                Some((at, end)) if at == i => end,
                _ => before + length * step,
            };
            terms.push((self.rows[v], self.beta[v] - before));
            self.sum += if coupled { self.beta[v] - before } else { 0.0 };
        }
        kern_core::instruction_set().dispatch(Gather {
            w: &mut self.w,
            start: 0,
            terms: &terms,
            z,
        });
        if coupled {
            self.centre = intercept - self.stiffness * self.sum;
        }
        self.steps += free.len();
        let passes = if length < 1.0 { self.passes.saturating_sub(PASSES) } else { self.passes };
        self.since = Since { steps: self.steps, passes };
        Ok(())
    }

    /// The derivatives of the objective in the free coefficients.
    fn slopes<T: Scalar>(&self, free: &[usize], z: Vectors<'_, T>) -> Vec<f64> {
        let columns = free.iter().map(|&v| self.rows[v]).collect();
        let values = kern_core::instruction_set().dispatch(Products { w: &self.w, columns, z });
        let (problem, intercept) = (&self.task.problem, self.intercept());
        let slope = |(&v, value): (&usize, f64)| {
            let b = self.beta[v];
            let kink = if problem.epsilon > 0.0 { problem.epsilon * b.signum() } else { 0.0 };
            value + intercept - problem.linear[v] + self.task.curvature[v] * b + kink
        };
        free.iter().zip(values).map(slope).collect()
    }

    /// H⁻¹ times the slopes, and H⁻¹ times ones, with H = ZᵀZ + diag(d) plus a small shift of its
    /// diagonal.
    fn newton<T: Scalar>(
        &self,
        free: &[usize],
        slopes: &[f64],
        z: Vectors<'_, T>,
    ) -> Result<Option<Mat<f64>>, Error> {
        let k = free.len();
        let mut matrix = LargeMat::zeros(k, k)?;
        let mut trace = 0.0;
        for j in 0..k {
            let row = self.rows[free[j]];
            let w = z.wide(self.w.len(), row);
            let columns = free[j..].iter().map(|&v| self.rows[v]).collect();
            let products = kern_core::instruction_set().dispatch(Products { w: &w, columns, z });
            let column = matrix.as_mut().col_mut(j).subrows_mut(j, k - j);
            column.iter_mut().zip(products).for_each(|(to, product)| *to = product);
            let mut matrix = matrix.as_mut();
            matrix[(j, j)] += self.task.curvature[free[j]];
            trace += matrix[(j, j)];
        }
        let shift = POLISH_SHIFT * trace / k as f64;
        let factor = match Cholesky::new(matrix, shift) {
            Err(kern_gram::Error::NotPositiveDefinite { .. }) => return Ok(None),
            factor => factor?,
        };
        let mut right = zeros(k, 2)?;
        right.col_as_slice_mut(0).copy_from_slice(slopes);
        right.col_as_slice_mut(1).fill(1.0);
        factor.solve_in_place(right.as_mut());
        Ok(Some(right))
    }

    /// The largest share of the step, at most 1, that bounds and kinks allow, and the coefficient
    /// that limits it with its bound.
    fn longest(&self, free: &[usize], steps: &[f64]) -> (f64, Option<(usize, f64)>) {
        let problem = &self.task.problem;
        let (mut length, mut stop) = (1.0, None);
        for (i, (&v, &step)) in free.iter().zip(steps).enumerate() {
            let b = self.beta[v];
            let kinked = problem.epsilon > 0.0;
            let end = match (step > 0.0, kinked && (b > 0.0) != (step > 0.0)) {
                (_, true) => 0.0,
                (true, _) => problem.upper[v],
                (false, _) => problem.lower[v],
            };
            let share = (end - b) / step;
            if share < length {
                (length, stop) = (share, Some((i, end)));
            }
        }
        (length, stop)
    }
}
