//! Rounds of optimisation on blocks, with the gradient of all variables kept in double precision.

mod gradient;
mod shrinking;

use super::certificate::{self, Certificate};
use super::columns::Columns;
use super::inner::{self, Limits};
use super::local::Local;
use super::problem::Problem;
use super::square::Workspace;
use super::working_set;
use crate::{Error, Observer, Progress, Status, tolerance};
use gradient::add;
use kern_core::Scalar;

/// Problems of up to so many variables are one block.
pub(super) const WHOLE: usize = 1024;
/// Variables of a block of larger problems.
pub(super) const BLOCK: usize = 512;
/// Steps that a block gets in one round, per variable.
const STEPS_PER_VARIABLE: usize = 100;
/// Rounds without any progress after which rounding must be the cause.
const MOST_IDLE: usize = 1000;

/// When to stop.
pub(super) struct Control<'o> {
    pub(super) tolerance: f64,
    pub(super) relative_gap: Option<f64>,
    pub(super) max_iterations: usize,
    /// Whether variables that want to stay at their bounds are left out for a while.
    pub(super) shrinking: bool,
    pub(super) observer: Option<&'o mut dyn Observer>,
}

/// What a solver found.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) beta: Vec<f64>,
    pub(super) certificate: Certificate,
    pub(super) status: Status,
    pub(super) steps: usize,
    pub(super) rounds: usize,
}

/// Minimises.
pub(super) fn solve<T: Scalar>(
    columns: &dyn Columns<T>,
    problem: &Problem,
    control: &mut Control<'_>,
) -> Result<Solution, Error> {
    let mut state = State::new(columns, problem)?;
    let status = state.run(control)?;
    let certificate = Certificate::new(problem, &state.beta, &state.gradient);
    let State { beta, steps, rounds, .. } = state;
    Ok(Solution { beta, certificate, status, steps, rounds })
}

struct State<'a, T: Scalar> {
    columns: &'a dyn Columns<T>,
    problem: &'a Problem,
    /// The row of the matrix of each variable.
    rows: Vec<usize>,
    beta: Vec<f64>,
    /// Kβ − p.
    gradient: Vec<f64>,
    /// The objective.
    value: f64,
    /// Variables of a block, at most.
    block: usize,
    workspace: Workspace<T>,
    /// The greatest diagonal entry of the kernel matrix that was seen.
    greatest: f64,
    steps: usize,
    rounds: usize,
    /// The round in which variables may be left out next.
    next_shrinking: usize,
}

impl<'a, T: Scalar> State<'a, T> {
    /// At the start of the problem.
    fn new(columns: &'a dyn Columns<T>, problem: &'a Problem) -> Result<Self, Error> {
        let gradient = problem.linear.iter().map(|p| -p).collect();
        let mut state = Self::at(columns, problem, gradient)?;
        let started: Vec<usize> = (0..problem.len()).filter(|&v| state.beta[v] != 0.0).collect();
        let weights: Vec<f64> = started.iter().map(|&v| state.beta[v]).collect();
        state.learn(&started, &weights)?;
        state.value = certificate::objective(problem, &state.beta, &state.gradient).0;
        Ok(state)
    }

    /// At the start of the problem, with this gradient.
    fn at(
        columns: &'a dyn Columns<T>,
        problem: &'a Problem,
        gradient: Vec<f64>,
    ) -> Result<Self, Error> {
        let n = problem.len();
        let block = if n <= WHOLE { n } else { BLOCK }.min(columns.most());
        Ok(Self {
            columns,
            problem,
            rows: problem.rows(),
            beta: problem.start.clone(),
            gradient,
            value: 0.0,
            block,
            workspace: Workspace::new(block)?,
            greatest: 0.0,
            steps: 0,
            rounds: 0,
            next_shrinking: shrinking::EVERY,
        })
    }

    /// Adds changes of variables to the gradient.
    fn learn(&mut self, changed: &[usize], by: &[f64]) -> Result<(), Error> {
        let Self { columns, problem, rows, gradient, block, .. } = self;
        for (part, by) in changed.chunks((*block).max(1)).zip(by.chunks((*block).max(1))) {
            let rows: Vec<usize> = part.iter().map(|&v| rows[v]).collect();
            columns.with(&rows, &mut |columns| add(gradient, &problem.segments, columns, by))?;
        }
        Ok(())
    }

    fn run(&mut self, control: &mut Control<'_>) -> Result<Status, Error> {
        let hard = self.problem.is_hard();
        let (mut set, mut idle, mut lowest) = (Vec::new(), 0, (f64::INFINITY, f64::INFINITY));
        loop {
            let ranges = certificate::ranges(self.problem, &self.beta, &self.gradient);
            let violation = certificate::violation(self.problem, &ranges);
            let (value, energy) = certificate::objective(self.problem, &self.beta, &self.gradient);
            if !(value.is_finite() && self.value.is_finite()) {
                return Err(self.overflow(value + self.value));
            }
            if violation <= control.tolerance || self.gap_is_small(control) {
                return Ok(Status::Converged);
            }
            if !self.observed(control) {
                return Ok(Status::Stopped);
            }
            if self.steps >= control.max_iterations {
                return Ok(Status::IterationsDone);
            }
            if hard && self.is_inseparable(energy) {
                return Ok(Status::Stalled);
            }
            // Rounding is the limit where neither the objective nor the violation falls.
            idle = if self.value < lowest.0 || violation < lowest.1 { 0 } else { idle + 1 };
            lowest = (self.value.min(lowest.0), violation.min(lowest.1));
            if idle >= MOST_IDLE {
                return Ok(Status::Stalled);
            }
            match self.shrink(&ranges, violation, control)? {
                Some(Status::Stopped) => return Ok(Status::Stopped),
                Some(_) => continue,
                None => {}
            }
            let mut kept = 0;
            if self.block >= self.problem.len() {
                set = (0..self.problem.len()).collect();
            } else {
                let at = (&*self.beta, &*self.gradient);
                (set, kept) = working_set::select(self.problem, at, &ranges, &set, self.block);
            }
            if !self.round((&set, kept), violation, control)? {
                return Ok(Status::Stalled);
            }
        }
    }

    /// Whether what is known of a hard margin leaves none but rounding. ‖f‖/‖β‖₁ bounds the margins of all functions
    /// of norm 1; where the classes cannot be separated it falls to 0 while β grows for ever.
    fn is_inseparable(&self, energy: f64) -> bool {
        let sum: f64 = self.beta.iter().map(|beta| beta.abs()).sum();
        let rounding = f64::EPSILON * self.beta.len() as f64 * self.greatest;
        sum > 0.0 && 2.0 * energy <= rounding * sum * sum
    }

    /// What is wrong if the objective is not finite.
    fn overflow(&self, objective: f64) -> Error {
        let found = self.gradient.iter().position(|g| !g.is_finite());
        let product = |v: usize| {
            let (row, given) = (self.rows[v], self.gradient[v]);
            kern_gram::Error::ProductNotFinite { row, col: 0, given }.into()
        };
        found.map_or(Error::Range { what: "the dual objective", given: objective }, product)
    }

    fn gap_is_small(&self, control: &Control<'_>) -> bool {
        control.relative_gap.is_some_and(|relative| {
            let certificate = Certificate::new(self.problem, &self.beta, &self.gradient);
            certificate.gap <= relative * certificate.primal.abs()
        })
    }

    /// Whether the observer, if there is one, wants to go on.
    fn observed(&self, control: &mut Control<'_>) -> bool {
        let (iteration, total) = (self.steps, control.max_iterations);
        let progress = Progress { iteration, total, loss: self.value };
        control.observer.as_mut().is_none_or(|observer| observer.observe(&progress).is_continue())
    }

    /// Optimises over a set of variables; whether anything changed.
    fn round(
        &mut self,
        (set, kept): (&[usize], usize),
        violation: f64,
        control: &Control<'_>,
    ) -> Result<bool, Error> {
        let Self { columns, problem, rows, beta, gradient, value, workspace, greatest, .. } = self;
        let whole = set.len() == problem.len();
        let share = if whole { 0.0 } else { tolerance::INNER_SHARE * violation };
        let limits = Limits {
            tolerance: share.max(control.tolerance),
            max_steps: (STEPS_PER_VARIABLE * set.len())
                .max(10_000)
                .min(control.max_iterations - self.steps),
            free: problem.is_free(),
        };
        let of_set: Vec<usize> = set.iter().map(|&v| rows[v]).collect();
        let values = columns.values().filter(|_| !whole);
        if let Some(values) = values {
            workspace.compute(values, &of_set, kept)?;
        }
        let mut ended = None;
        columns.with(&of_set, &mut |columns| {
            let looked_up = values.is_none().then_some(columns);
            let square = workspace.fill(&of_set, kept, looked_up);
            let mut local = Local::new(problem, set, (beta, gradient), square);
            *greatest = local.diagonal[..set.len()].iter().copied().fold(*greatest, f64::max);
            ended = Some(inner::minimise(&mut local, square, limits));
            let moved: Vec<_> = (0..set.len()).filter(|&i| local.beta[i] != beta[set[i]]).collect();
            let by: Vec<_> = moved.iter().map(|&i| local.beta[i] - beta[set[i]]).collect();
            let changed: Vec<_> = moved.iter().map(|&i| columns[i]).collect();
            let before: Vec<_> = moved.iter().map(|&i| gradient[set[i]]).collect();
            add(gradient, &problem.segments, &changed, &by);
            for ((&i, by), before) in moved.iter().zip(by).zip(before) {
                let (v, old) = (set[i], beta[set[i]]);
                beta[v] = local.beta[i];
                // Exact for a quadratic function, but for the kinks of ε|β|.
                let kinks = problem.epsilon * (beta[v].abs() - old.abs());
                *value += 0.5 * by * (before + gradient[v]) + kinks;
            }
        })?;
        self.rounds += 1;
        let steps = ended.map_or(0, |ended| ended.steps);
        self.steps += steps;
        Ok(steps > 0)
    }
}
