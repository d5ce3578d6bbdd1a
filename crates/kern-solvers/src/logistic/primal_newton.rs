//! Damped Newton iteration in w and b, along a decreasing sequence of penalties, for features and
//! landmarks.

use super::logistic_regression::Goal;
use crate::tolerance::{MOST_HALVINGS, SUFFICIENT_DECREASE};
use crate::{Error, Progress, Report, Run, Status};
use kern_approx::statistics::Moments;
use std::ops::ControlFlow;

/// The ratio of consecutive penalties on the way to that of a logistic problem on landmarks.
const PATH_RATIO: f64 = 0.1;

/// The gap, relative to the objective, at which a penalty on the way has served its purpose.
const PATH_GAP: f64 = 0.1;

/// A decrease of the objective, relative to it, that rounding of a sum over millions of points may hide: 64 units.
const ROUNDED_SLOPE: f64 = 64.0 * f64::EPSILON;

/// A problem of two classes: its sums and its steps.
pub(super) trait Primal {
    /// The sums of a pass over the points at w and b.
    type Sums;

    /// Rounds w and b to the values that are stored.
    fn round(&self, at: &mut Place);

    /// One pass over the points.
    fn evaluate(&self, at: &Place) -> Result<Self::Sums, Error>;

    /// The sums that the certificate is computed from.
    fn moments<'s>(&self, sums: &'s Self::Sums) -> Moments<'s>;

    /// The changes of w and b, with a relative error of at most `accuracy` if they are computed by
    /// iteration. Afterwards only the moments of the sums are used.
    fn step(
        &self,
        at: &Place,
        sums: &mut Self::Sums,
        lambda: f64,
        accuracy: f64,
    ) -> Result<Place, Error>;
}

/// w and b.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) w: Vec<f64>,
    pub(super) b: f64,
}

/// w and b, with their sums, objective and gap.
struct Iterate<S> {
    at: Place,
    sums: S,
    objective: f64,
    gap: f64,
}

/// The iteration.
pub(super) struct PrimalNewton<'n, S> {
    pub(super) problem: &'n dyn Primal<Sums = S>,
    pub(super) goal: Goal,
    /// The penalty of the first step.
    pub(super) first_lambda: f64,
}

impl<S> PrimalNewton<'_, S> {
    /// Iterates from zero.
    pub(super) fn minimise(&self, dim: usize, run: &mut Run<'_>) -> Result<(Place, Report), Error> {
        let (goal, total) = (self.goal.lambda, self.goal.max_iterations);
        let mut lambda = self.first_lambda.max(goal);
        let mut now = self.visit(Place { w: vec![0.0; dim], b: 0.0 }, lambda)?;
        for iteration in 0.. {
            while lambda > goal && now.gap <= PATH_GAP * now.objective {
                lambda = self.lower(lambda, &mut now);
            }
            let converged = lambda <= goal && now.gap <= self.goal.tolerance * now.objective;
            let progress = Progress::new(iteration, total, now.objective);
            let progress = progress.with_violation(now.gap / now.objective, self.goal.tolerance);
            let stop = run.observe(&progress) == ControlFlow::Break(());
            let status = match converged {
                true => Some(Status::Converged),
                false if stop => Some(Status::Stopped),
                false if iteration == total => Some(Status::IterationsDone),
                false => None,
            };
            if let Some(status) = status {
                return Ok(self.finish(now, status, iteration));
            }
            let accuracy = self.goal.accuracy(now.objective, now.gap);
            let step = self.problem.step(&now.at, &mut now.sums, lambda, accuracy)?;
            match self.search(&now, &step, lambda)? {
                Some(next) => now = next,
                None if lambda > goal => lambda = goal.max(lambda * PATH_RATIO),
                None => return Ok(self.finish(now, Status::Stalled, iteration)),
            }
            if lambda > goal {
                lambda = self.lower(lambda, &mut now);
            }
        }
        Ok(self.finish(now, Status::IterationsDone, total))
    }

    /// The next penalty; updates the objective and the gap for it.
    fn lower(&self, lambda: f64, now: &mut Iterate<S>) -> f64 {
        let next = self.goal.lambda.max(lambda * PATH_RATIO);
        let moments = self.problem.moments(&now.sums);
        now.objective = moments.objective(&now.at.w, next);
        now.gap = moments.gap(&now.at.w, next);
        next
    }

    fn visit(&self, mut at: Place, lambda: f64) -> Result<Iterate<S>, Error> {
        self.problem.round(&mut at);
        let sums = self.problem.evaluate(&at)?;
        let moments = self.problem.moments(&sums);
        let (objective, gap) = (moments.objective(&at.w, lambda), moments.gap(&at.w, lambda));
        Ok(Iterate { at, sums, objective, gap })
    }

    fn finish(&self, now: Iterate<S>, status: Status, iterations: usize) -> (Place, Report) {
        let (moments, lambda) = (self.problem.moments(&now.sums), self.goal.lambda);
        let objective = moments.objective(&now.at.w, lambda);
        let gap = Some(moments.gap(&now.at.w, lambda));
        (now.at, Report::new(status, iterations, objective, gap))
    }

    /// The first of the step, its half, its quarter, … with sufficient decrease. Where the decrease
    /// is lost in the rounding of J, a halved gap counts instead.
    fn search(
        &self,
        now: &Iterate<S>,
        step: &Place,
        lambda: f64,
    ) -> Result<Option<Iterate<S>>, Error> {
        let moments = self.problem.moments(&now.sums);
        let slope = moments.slope(&now.at.w, lambda, &step.w, step.b) / moments.count;
        if slope >= 0.0 || slope.is_nan() {
            return Ok(None);
        }
        let rounding = ROUNDED_SLOPE * now.objective;
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let moved = now.at.w.iter().zip(&step.w).map(|(w, d)| w + length * d).collect();
            let next = self.visit(Place { w: moved, b: now.at.b + length * step.b }, lambda)?;
            let promised = -length * slope;
            if next.objective <= now.objective - SUFFICIENT_DECREASE * promised {
                return Ok(Some(next));
            }
            if promised <= rounding {
                let level = next.objective <= now.objective + rounding;
                return Ok((level && next.gap <= 0.5 * now.gap).then_some(next));
            }
            length *= 0.5;
        }
        Ok(None)
    }
}
