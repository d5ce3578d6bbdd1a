//! Damped Newton iteration, and its certificate.

use super::direction::{Equation, Solver, Step};
use super::likelihood::{Likelihood, add};
use super::params::Settings;
use crate::arithmetic::inner;
use crate::tolerance::{LOOSEST_STEP, MOST_HALVINGS, SUFFICIENT_DECREASE};
use crate::{Error, Observer, Progress, Report, Status};
use faer::Mat;
use kern_core::Scalar;
use kern_gram::{GramOperator, zeros};
use std::ops::ControlFlow;

/// A problem: the loss, 1/n of which counts, and the settings.
pub(super) struct Problem<'p, T: Scalar> {
    pub(super) likelihood: &'p dyn Likelihood<T>,
    pub(super) settings: Settings,
    /// n.
    pub(super) count: f64,
}

/// Coefficients, and what they fit.
struct Iterate<T: Scalar> {
    alpha: Mat<T>,
    /// Kα.
    f: Mat<T>,
    objective: f64,
}

/// What is known at an iterate.
struct Evaluation<T: Scalar> {
    p: Mat<T>,
    r: Mat<T>,
    kr: Mat<T>,
    gap: f64,
}

impl<T: Scalar> Problem<'_, T> {
    /// The coefficients and the evidence.
    pub(super) fn minimise(
        &self,
        solver: &mut Solver<'_, T>,
        observer: &mut dyn Observer,
    ) -> Result<(Mat<T>, Report), Error> {
        let (n, outputs) = (solver.gram().size(), self.likelihood.outputs());
        let mut at = Iterate { alpha: zeros(n, outputs)?, f: zeros(n, outputs)?, objective: 0.0 };
        at.objective = self.objective(&at);
        let mut now = self.evaluate(solver, &at)?;
        let total = self.settings.max_iterations;
        for iteration in 0.. {
            let mut status = None;
            if self.converged(&at, &now) {
                // Sums of steps have drifted from Kα; what is certified has not.
                at.f = solver.gram().apply(at.alpha.as_ref())?;
                at.objective = self.objective(&at);
                now = self.evaluate(solver, &at)?;
                status = self.converged(&at, &now).then_some(Status::Converged);
            }
            let progress = Progress { iteration, total, loss: at.objective };
            let stop = observer.observe(&progress) == ControlFlow::Break(());
            let status = match status {
                None if stop => Some(Status::Stopped),
                None if iteration == total => Some(Status::IterationsDone),
                status => status,
            };
            if let Some(status) = status {
                return self.finish(solver, at, status, iteration);
            }
            let equation = Equation { r: now.r.as_ref(), kr: now.kr.as_ref(), p: now.p.as_ref() };
            let step = solver.step(self.likelihood, &equation, self.accuracy(&at, &now))?;
            let slope = inner(now.kr.as_ref(), step.d.as_ref()) / self.count;
            match self.search(&at, &step, slope)? {
                Some(next) => at = next,
                None if solver.renew() => {}
                None => return self.finish(solver, at, Status::Stalled, iteration),
            }
            now = self.evaluate(solver, &at)?;
        }
        self.finish(solver, at, Status::IterationsDone, total)
    }

    /// The certificate of a freshly computed Kα.
    fn finish(
        &self,
        solver: &Solver<'_, T>,
        mut at: Iterate<T>,
        status: Status,
        iterations: usize,
    ) -> Result<(Mat<T>, Report), Error> {
        at.f = solver.gram().apply(at.alpha.as_ref())?;
        let objective = self.objective(&at);
        let gap = Some(self.evaluate(solver, &at)?.gap);
        Ok((at.alpha, Report { status, iterations, objective, gap }))
    }

    /// J.
    fn objective(&self, at: &Iterate<T>) -> f64 {
        let norm = inner(at.alpha.as_ref(), at.f.as_ref());
        self.likelihood.loss(at.f.as_ref()) / self.count + 0.5 * self.settings.lambda * norm
    }

    fn evaluate(&self, solver: &Solver<'_, T>, at: &Iterate<T>) -> Result<Evaluation<T>, Error> {
        let (n, outputs) = at.f.shape();
        let (mut p, mut r) = (zeros(n, outputs)?, zeros(n, outputs)?);
        self.likelihood.probabilities(at.f.as_ref(), p.as_mut());
        self.likelihood.gradient(at.f.as_ref(), p.as_ref(), r.as_mut());
        add(&mut r, solver.shift(), at.alpha.as_ref());
        let kr = solver.gram().apply(r.as_ref())?;
        // Negative by rounding, or by a kernel that is not Mercer: then it must not pass for zero.
        let square = inner(r.as_ref(), kr.as_ref()).abs();
        let gap = square / (2.0 * self.count * self.count * self.settings.lambda);
        Ok(Evaluation { p, r, kr, gap })
    }

    fn converged(&self, at: &Iterate<T>, now: &Evaluation<T>) -> bool {
        now.gap <= self.settings.tolerance * at.objective
    }

    /// How exactly a step is computed: gaps fall with the square of it, but no faster than Newton's method
    /// allows, and no further than is asked for.
    fn accuracy(&self, at: &Iterate<T>, now: &Evaluation<T>) -> f64 {
        let newton = LOOSEST_STEP * (now.gap / at.objective).sqrt().min(1.0);
        let wanted = 0.5 * (self.settings.tolerance * at.objective / now.gap).sqrt();
        newton.max(wanted).min(0.5)
    }

    /// The first of α + d, α + d/2, α + d/4, … with sufficient decrease.
    fn search(
        &self,
        at: &Iterate<T>,
        step: &Step<T>,
        slope: f64,
    ) -> Result<Option<Iterate<T>>, Error> {
        if slope >= 0.0 || slope.is_nan() {
            return Ok(None);
        }
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let mut next =
                Iterate { alpha: at.alpha.clone(), f: at.f.clone(), objective: at.objective };
            add(&mut next.alpha, length, step.d.as_ref());
            add(&mut next.f, length, step.kd.as_ref());
            next.objective = self.objective(&next);
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

    use super::super::likelihood::{Binary, Softmax};
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
            let settings = Settings { lambda, tolerance: 1e-14, max_iterations: 50 };
            let problem = Problem { likelihood, settings, count: 40.0 };
            let mut solver = Solver::new(&gram, 40.0 * lambda);
            problem.minimise(&mut solver, &mut |_: &Progress| ControlFlow::Continue(())).unwrap()
        };
        let softmax = Softmax { classes, weights: weights.clone(), outputs: 2 };
        let (two, softmax_report) = solve(&softmax, 0.02);
        let (one, binary_report) = solve(&Binary { signs, weights }, 0.01);
        assert_eq!(softmax_report.status, Status::Converged);
        assert!((softmax_report.objective - binary_report.objective).abs() < 1e-13);
        for i in 0..40 {
            assert!((two[(i, 1)] - two[(i, 0)] - one[(i, 0)]).abs() < 1e-5);
        }
    }
}
