//! Damped Newton iteration of logistic regression on a kernel, and its certificate.

use super::logistic_loss::Likelihood;
use super::logistic_regression::Goal;
use super::newton_step::{Border, Equation, Solver, Step, column_sums, shift};
use crate::tolerance::{MOST_HALVINGS, SUFFICIENT_DECREASE};
use crate::{Error, Progress, Report, Run, Status};
use faer::Mat;
use kern_core::Scalar;
use kern_gram::numerics::arithmetic::{add, inner};
use kern_gram::{GramOperator, zero_vec, zeros};
use std::ops::ControlFlow;

/// The factor by which g + nλα may be longer than g, which it is at the start and to which nλα comes close: a longer
/// one has grown where the kernel matrix has no rank, by conjugate gradients in a norm that does not see it.
const STRAYED: f64 = 10.0;

/// The iteration: the loss, which is divided by n, and the goal.
pub(super) struct Newton<'p, T: Scalar> {
    pub(super) likelihood: &'p dyn Likelihood<T>,
    pub(super) goal: Goal,
    /// n.
    pub(super) count: f64,
}

/// Coefficients, their fitted values and their objective.
struct Iterate<T: Scalar> {
    alpha: Mat<T>,
    /// Kα.
    f: Mat<T>,
    intercepts: Vec<T>,
    objective: f64,
}

/// The result of a fit.
pub(super) struct Solution<T: Scalar> {
    pub(super) alpha: Mat<T>,
    pub(super) intercepts: Vec<T>,
    pub(super) report: Report,
}

/// The derivatives and the gap of an iterate.
struct Evaluation<T: Scalar> {
    p: Mat<T>,
    /// r − W1S⁻¹ρ, and K times it.
    r: Mat<T>,
    kr: Mat<T>,
    border: Border,
    /// −S⁻¹ρ and ρᵀS⁻¹ρ.
    offsets: Vec<f64>,
    energy: f64,
    gap: f64,
    /// True if r has components in the null space of K, which only rounding can cause.
    strayed: bool,
}

impl<T: Scalar> Iterate<T> {
    /// Kα + b, unless b is zero.
    fn shifted(&self) -> Result<Option<Mat<T>>, Error> {
        if self.intercepts.iter().all(|&b| b == T::ZERO) {
            return Ok(None);
        }
        let mut values = zeros(self.f.nrows(), self.f.ncols())?;
        values.copy_from(&self.f);
        let intercepts: Vec<f64> = self.intercepts.iter().map(|b| b.to_f64()).collect();
        shift(&mut values, 1.0, &intercepts);
        Ok(Some(values))
    }
}

impl<T: Scalar> Newton<'_, T> {
    /// The coefficients and the report.
    pub(super) fn minimise(
        &self,
        solver: &mut Solver<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<Solution<T>, Error> {
        let (n, outputs) = (solver.gram().size(), self.likelihood.outputs());
        let (alpha, f, intercepts) = (zeros(n, outputs)?, zeros(n, outputs)?, zero_vec(outputs)?);
        let mut at = Iterate { alpha, f, intercepts, objective: 0.0 };
        at.objective = self.objective(&at)?;
        let mut now = self.evaluate(solver, &at)?;
        let total = self.goal.max_iterations;
        for iteration in 0.. {
            let mut status = None;
            if self.converged(&at, &now) {
                // The sum of steps has drifted from Kα; the certificate needs Kα itself.
                at.f = solver.gram().apply(at.alpha.as_ref())?;
                at.objective = self.objective(&at)?;
                now = self.evaluate(solver, &at)?;
                status = self.converged(&at, &now).then_some(Status::Converged);
            }
            let progress = Progress::new(iteration, total, at.objective);
            let progress = progress.with_violation(now.gap / at.objective, self.goal.tolerance);
            let stop = run.observe(&progress) == ControlFlow::Break(());
            let status = match status {
                None if stop => Some(Status::Stopped),
                None if iteration == total => Some(Status::IterationsDone),
                status => status,
            };
            if let Some(status) = status {
                return self.finish(solver, at, status, iteration);
            }
            if now.strayed {
                solver.drop_factor();
            }
            let (r, kr, p) = (now.r.as_ref(), now.kr.as_ref(), now.p.as_ref());
            let equation = Equation { r, kr, p, border: &now.border, strayed: now.strayed };
            let accuracy = self.goal.accuracy(at.objective, now.gap);
            let step = solver.step(self.likelihood, &equation, accuracy)?;
            match self.search(&at, &now, &step)? {
                Some(next) => at = next,
                None if solver.renew() => {}
                None => return self.finish(solver, at, Status::Stalled, iteration),
            }
            now = self.evaluate(solver, &at)?;
        }
        self.finish(solver, at, Status::IterationsDone, total)
    }

    /// The solution, with the certificate for a freshly computed Kα.
    fn finish(
        &self,
        solver: &Solver<'_, T>,
        mut at: Iterate<T>,
        status: Status,
        iterations: usize,
    ) -> Result<Solution<T>, Error> {
        at.f = solver.gram().apply(at.alpha.as_ref())?;
        let objective = self.objective(&at)?;
        let gap = Some(self.evaluate(solver, &at)?.gap);
        let report = Report::new(status, iterations, objective, gap);
        Ok(Solution { alpha: at.alpha, intercepts: at.intercepts, report })
    }

    /// J.
    fn objective(&self, at: &Iterate<T>) -> Result<f64, Error> {
        let norm = inner(at.alpha.as_ref(), at.f.as_ref());
        let loss = match at.shifted()? {
            Some(values) => self.likelihood.loss(values.as_ref()),
            None => self.likelihood.loss(at.f.as_ref()),
        };
        Ok(loss / self.count + 0.5 * self.goal.lambda * norm)
    }

    fn evaluate(&self, solver: &Solver<'_, T>, at: &Iterate<T>) -> Result<Evaluation<T>, Error> {
        let (n, outputs) = at.f.shape();
        let (mut p, mut r) = (zeros(n, outputs)?, zeros(n, outputs)?);
        let shifted = at.shifted()?;
        let values = shifted.as_ref().unwrap_or(&at.f).as_ref();
        self.likelihood.probabilities(values, p.as_mut());
        self.likelihood.gradient(values, p.as_ref(), r.as_mut());
        let usual = r.norm_l2().to_f64();
        let border = Border::new(self.likelihood, p.as_ref(), solver.intercept())?;
        let (mut offsets, mut energy) = (vec![0.0; outputs], 0.0);
        if solver.intercept() {
            let rho = column_sums(r.as_ref());
            offsets = border.solve(&rho)?;
            offsets.iter_mut().for_each(|t| *t = -*t);
            energy = -rho.iter().zip(&offsets).map(|(rho, t)| rho * t).sum::<f64>();
            let (mut constant, mut curved) = (zeros(n, outputs)?, zeros(n, outputs)?);
            shift(&mut constant, 1.0, &offsets);
            self.likelihood.curve(p.as_ref(), constant.as_ref(), curved.as_mut());
            r += curved;
        }
        add(&mut r, solver.shift(), at.alpha.as_ref());
        let kr = solver.gram().apply(r.as_ref())?;
        // Rounding or a kernel that is not Mercer can make this negative; it must not count as zero
        // then.
        let square = inner(r.as_ref(), kr.as_ref()).abs();
        let residual = square / (2.0 * self.count * self.count * self.goal.lambda);
        let spread = offsets.iter().fold(0.0_f64, |most, t| most.max(t.abs()));
        // Where the shifted values are not probabilities, only J ≥ 0 bounds the gap.
        let widest = if outputs > 1 { 0.5 } else { 1.0 };
        let gap = residual + energy / self.count + self.rounding_error(solver, at, &r);
        let gap = if spread <= widest { gap } else { at.objective };
        let strayed = r.norm_l2().to_f64() > STRAYED * usual;
        Ok(Evaluation { p, r, kr, border, offsets, energy, gap, strayed })
    }

    /// The part of the gap due to independent rounding errors of kernel values. For a matrix E of
    /// such errors, rᵀEr is at most 2√n·u·max Kᵢᵢ·‖r‖². Errors e = u·max Kᵢᵢ·‖α‖ of the values f
    /// change r by ¼e, which adds a mean square of at most (¼e)²·n·max Kᵢᵢ.
    fn rounding_error(&self, solver: &Solver<'_, T>, at: &Iterate<T>, r: &Mat<T>) -> f64 {
        let n = r.nrows() as f64;
        let largest = solver.gram().diag().iter().map(|k| k.to_f64()).fold(0.0, f64::max);
        let rounding = T::UNIT_ROUNDOFF * largest;
        let matrix = 2.0 * n.sqrt() * rounding * r.norm_l2().to_f64().powi(2);
        let values = (0.25 * rounding * at.alpha.norm_l2().to_f64()).powi(2) * n * largest;
        (matrix + values) / (2.0 * self.count * self.count * self.goal.lambda)
    }

    fn converged(&self, at: &Iterate<T>, now: &Evaluation<T>) -> bool {
        now.gap <= self.goal.tolerance * at.objective
    }

    /// The first of α + d, α + d/2, α + d/4, … with sufficient decrease, and their intercepts.
    fn search(
        &self,
        at: &Iterate<T>,
        now: &Evaluation<T>,
        step: &Step<T>,
    ) -> Result<Option<Iterate<T>>, Error> {
        let slope = (inner(now.kr.as_ref(), step.d.as_ref()) - now.energy) / self.count;
        if slope >= 0.0 || slope.is_nan() {
            return Ok(None);
        }
        let mut offsets = now.offsets.clone();
        if now.border.exists() {
            let mut curved = zeros(step.kd.nrows(), step.kd.ncols())?;
            let (p, kd) = (now.p.as_ref(), step.kd.as_ref());
            let means = now.border.curve(self.likelihood, p, kd, curved.as_mut())?;
            offsets.iter_mut().zip(means).for_each(|(offset, mean)| *offset -= mean);
        }
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let moved = at.intercepts.iter().zip(&offsets);
            let moved = moved.map(|(b, t)| T::from_f64(b.to_f64() + length * t));
            let (alpha, f) = (at.alpha.clone(), at.f.clone());
            let mut next =
                Iterate { alpha, f, intercepts: moved.collect(), objective: at.objective };
            add(&mut next.alpha, length, step.d.as_ref());
            add(&mut next.f, length, step.kd.as_ref());
            next.objective = self.objective(&next)?;
            if next.objective <= at.objective + SUFFICIENT_DECREASE * length * slope {
                return Ok(Some(next));
            }
            length *= 0.5;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::super::logistic_loss::{Binary, Softmax};
    use super::*;
    use kern_core::{Samples, kernels::Rbf};
    use kern_gram::{DenseGram, MemoryBudget};

    /// The multinomial problem of two classes is the binary one with half of λ.
    #[test]
    fn softmax_of_two_classes_equals_the_binary_problem_with_half_of_lambda() {
        let rows: Vec<[f64; 1]> = (0..40).map(|i| [f64::from(i) * 0.1]).collect();
        let classes: Vec<usize> = (0..40).map(|i| usize::from((i * 7) % 40 + i > 40)).collect();
        let signs = classes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
        let weights: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 3)).collect();
        let x = Samples::from_rows(&rows).unwrap();
        let gram =
            DenseGram::new(&Rbf::new(1.0).unwrap(), &x, &MemoryBudget::mebibytes(1)).unwrap();
        let solve = |likelihood: &dyn Likelihood<f64>, lambda| {
            let goal = Goal { lambda, tolerance: 1e-14, max_iterations: 50 };
            let newton = Newton { likelihood, goal, count: 40.0 };
            let mut solver = Solver::new(&gram, 40.0 * lambda, false);
            newton.minimise(&mut solver, &mut Run::new()).unwrap()
        };
        let softmax = Softmax { classes, weights: weights.clone(), outputs: 2 };
        let two = solve(&softmax, 0.02);
        let one = solve(&Binary { signs, weights }, 0.01);
        assert_eq!(two.report.status, Status::Converged);
        let (two, one, difference) =
            (two.alpha, one.alpha, two.report.objective - one.report.objective);
        assert!(difference.abs() < 1e-13);
        for i in 0..40 {
            assert!((two[(i, 1)] - two[(i, 0)] - one[(i, 0)]).abs() < 1e-5);
        }
    }
}
