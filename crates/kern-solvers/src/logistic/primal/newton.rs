//! Damped Newton iteration in w and b, along a falling sequence of penalties.

use super::Moments;
use crate::logistic::params::Settings;
use crate::tolerance::{
    LOOSEST_STEP, MOST_HALVINGS, PATH_GAP, PATH_RATIO, ROUNDED_SLOPE, SUFFICIENT_DECREASE,
};
use crate::{Error, Observer, Progress, Report, Status};
use std::ops::ControlFlow;

/// A problem of two classes: how its sums and its steps are computed.
pub(in crate::logistic) trait Primal {
    /// What a pass over the points finds at w and b.
    type Sums;

    /// Rounds w and b to what is stored.
    fn round(&self, at: &mut Place);

    /// One pass.
    fn evaluate(&self, at: &Place) -> Result<Self::Sums, Error>;

    /// The sums that the certificate is made of.
    fn moments<'s>(&self, sums: &'s Self::Sums) -> Moments<'s>;

    /// The changes of w and b, with a relative error of at most `accuracy` if they are found by iteration.
    /// Nothing but the moments is used of the sums afterwards.
    fn step(
        &self,
        at: &Place,
        sums: &mut Self::Sums,
        lambda_and_accuracy: (f64, f64),
    ) -> Result<Place, Error>;
}

/// w and b.
#[derive(Clone)]
pub(in crate::logistic) struct Place {
    pub(in crate::logistic) w: Vec<f64>,
    pub(in crate::logistic) b: f64,
}

/// A solution.
pub(in crate::logistic) struct Solved {
    pub(in crate::logistic) at: Place,
    pub(in crate::logistic) report: Report,
}

/// A place and what was found there.
struct Iterate<S> {
    at: Place,
    sums: S,
    objective: f64,
    gap: f64,
}

/// The iteration.
pub(in crate::logistic) struct Newton<'n, Q: Primal> {
    pub(in crate::logistic) problem: &'n Q,
    pub(in crate::logistic) settings: Settings,
    /// The penalty of the first step.
    pub(in crate::logistic) first_lambda: f64,
}

impl<Q: Primal> Newton<'_, Q> {
    /// Iterates from zero.
    pub(in crate::logistic) fn minimise(
        &self,
        dim: usize,
        observer: &mut dyn Observer,
    ) -> Result<Solved, Error> {
        let (goal, total) = (self.settings.lambda, self.settings.max_iterations);
        let mut lambda = self.first_lambda.max(goal);
        let mut now = self.visit(Place { w: vec![0.0; dim], b: 0.0 }, lambda)?;
        for iteration in 0.. {
            while lambda > goal && now.gap <= PATH_GAP * now.objective {
                lambda = self.lower(lambda, &mut now);
            }
            let converged = lambda <= goal && now.gap <= self.settings.tolerance * now.objective;
            let progress = Progress { iteration, total, loss: now.objective };
            let stop = observer.observe(&progress) == ControlFlow::Break(());
            let status = match converged {
                true => Some(Status::Converged),
                false if stop => Some(Status::Stopped),
                false if iteration == total => Some(Status::IterationsDone),
                false => None,
            };
            if let Some(status) = status {
                return Ok(self.finish(now, status, iteration));
            }
            let accuracy = self.accuracy(&now);
            let step = self.problem.step(&now.at, &mut now.sums, (lambda, accuracy))?;
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

    /// The next penalty, and what is known of it.
    fn lower(&self, lambda: f64, now: &mut Iterate<Q::Sums>) -> f64 {
        let next = self.settings.lambda.max(lambda * PATH_RATIO);
        let moments = self.problem.moments(&now.sums);
        now.objective = moments.objective(&now.at.w, next);
        now.gap = moments.gap(&now.at.w, next);
        next
    }

    fn visit(&self, mut at: Place, lambda: f64) -> Result<Iterate<Q::Sums>, Error> {
        self.problem.round(&mut at);
        let sums = self.problem.evaluate(&at)?;
        let moments = self.problem.moments(&sums);
        let (objective, gap) = (moments.objective(&at.w, lambda), moments.gap(&at.w, lambda));
        Ok(Iterate { at, sums, objective, gap })
    }

    fn finish(&self, now: Iterate<Q::Sums>, status: Status, iterations: usize) -> Solved {
        let (moments, lambda) = (self.problem.moments(&now.sums), self.settings.lambda);
        let objective = moments.objective(&now.at.w, lambda);
        let gap = Some(moments.gap(&now.at.w, lambda));
        Solved { report: Report { status, iterations, objective, gap }, at: now.at }
    }

    /// As for the exact problem: gaps fall with the square of it, no further than is asked for.
    fn accuracy(&self, now: &Iterate<Q::Sums>) -> f64 {
        let newton = LOOSEST_STEP * (now.gap / now.objective).sqrt().min(1.0);
        let wanted = 0.5 * (self.settings.tolerance * now.objective / now.gap).sqrt();
        newton.max(wanted).min(0.5)
    }

    /// The first of the step, its half, its quarter, … with sufficient decrease. Where the decrease drowns in the
    /// rounding of J, a gap that halves is as good.
    fn search(
        &self,
        now: &Iterate<Q::Sums>,
        step: &Place,
        lambda: f64,
    ) -> Result<Option<Iterate<Q::Sums>>, Error> {
        let moments = self.problem.moments(&now.sums);
        let slope = moments.slope(&now.at.w, lambda, (&step.w, step.b)) / moments.count;
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

/// One problem after the other: the solutions, and the sums of their objectives, gaps and iterations; the status is that
/// of the first which did not converge.
pub(in crate::logistic) fn one_by_one(
    solve: impl FnMut(usize) -> Result<Solved, Error>,
    outputs: usize,
) -> Result<(Vec<Place>, Report), Error> {
    let mut all =
        Report { status: Status::Converged, iterations: 0, objective: 0.0, gap: Some(0.0) };
    let mut places = Vec::with_capacity(outputs);
    for solved in (0..outputs).map(solve) {
        let Solved { at, report } = solved?;
        all = all.joined(&report);
        places.push(at);
    }
    Ok((places, all))
}
