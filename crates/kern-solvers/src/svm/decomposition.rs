//! Decomposition: outer iterations of SMO on blocks, with the gradient of all variables kept in
//! double precision.
//!
//! An outer iteration selects a block ([`WorkingSet`]), gathers its kernel values ([`Workspace`]),
//! minimises over it ([`smo`]), and adds the columns of the changed coefficients to the gradient.
//! Iterations stop at a violation of the optimality conditions; then the
//! [certificate](svm_certificate) is computed, and if it does not hold, iterations continue towards
//! a smaller violation. There is no shrinking: the selection of blocks already leaves out the
//! variables that shrinking would remove.

use super::dual_problem::{Dual, Reading};
use super::kernel_columns::KernelColumns;
use super::smo::{self, Limits};
use super::smo_block::{BLOCK, Local, WHOLE, Workspace, widest};
use super::svm_certificate::{self, Certificate, Solved};
use super::svm_solution::Solution;
use super::training::Control;
use super::working_set::WorkingSet;
use crate::{Error, Progress, Status, tolerance};
use kern_core::Scalar;
use kern_gram::{parallel, tile_ranges};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The distance of the reduced convex hulls of two classes, as a part of that of points in them, that is taken for none.
const NO_MARGIN: f64 = 1e-4;

/// The share of the violation that is allowed to which values of a support vector machine's function are certain, or
/// its certificate is computed from fresh kernel values: three digits of the violation are then right.
const CERTAIN_SHARE: f64 = 1e-3;

/// Steps per variable on a block in one outer iteration.
const STEPS_PER_VARIABLE: usize = 100;
/// Outer iterations without progress after which rounding is taken to be the cause.
const MOST_IDLE: usize = 1000;
/// Refused certificates with fresh kernel values after which rounding is taken to be the cause.
const MOST_REFUSED: usize = 8;
/// Steps per variable after which a missing margin ends the fit.
const STEPS_WITHOUT_MARGIN: usize = 100;
/// Rows of a stripe of the gradient; it stays in the first-level cache while columns are added.
const STRIPE: usize = 2048;

/// Solves a dual problem.
pub(super) fn solve<T: Scalar>(
    columns: &dyn KernelColumns<T>,
    problem: &Dual,
    control: &mut Control<'_>,
) -> Result<Solution, Error> {
    solve_in(&mut Workspace::default(), columns, problem, control)
}

/// [`solve`] with a workspace that is reused for several problems.
pub(super) fn solve_in<T: Scalar>(
    workspace: &mut Workspace<T>,
    columns: &dyn KernelColumns<T>,
    problem: &Dual,
    control: &mut Control<'_>,
) -> Result<Solution, Error> {
    let mut optimiser = Optimiser::new(columns, problem, workspace, control.violation)?;
    let (status, certificate) = optimiser.run(control)?;
    let Optimiser { beta, steps, rounds, .. } = optimiser;
    Ok(Solution { beta, certificate, status, steps, rounds })
}

struct Optimiser<'a, T: Scalar> {
    columns: &'a dyn KernelColumns<T>,
    problem: &'a Dual,
    /// The row of the kernel matrix of each variable.
    rows: Vec<usize>,
    beta: Vec<f64>,
    /// Kβ − p.
    gradient: Vec<f64>,
    /// The largest number of variables of a block.
    block: usize,
    workspace: &'a mut Workspace<T>,
    /// The largest diagonal entry of the kernel matrix seen so far.
    largest: f64,
    /// The largest (‖f‖/‖β‖₁)² so far, for ν-SVC.
    widest: f64,
    /// The rounding error accumulated in the gradient since it was last computed from scratch.
    drift: Drift,
    /// The target violation: the allowed one, or less after refused certificates.
    aim: f64,
    /// The unit of violations.
    unit: f64,
    refused: usize,
    steps: usize,
    rounds: usize,
}

impl<'a, T: Scalar> Optimiser<'a, T> {
    fn new(
        columns: &'a dyn KernelColumns<T>,
        problem: &'a Dual,
        workspace: &'a mut Workspace<T>,
        aim: f64,
    ) -> Result<Self, Error> {
        let n = problem.len();
        let block = block(n, columns);
        workspace.reserve(block)?;
        let mut optimiser = Self {
            columns,
            problem,
            rows: problem.rows(),
            beta: problem.start.clone(),
            gradient: Vec::new(),
            block,
            workspace,
            largest: 0.0,
            widest: 0.0,
            drift: Drift::default(),
            aim,
            unit: 1.0,
            refused: 0,
            steps: 0,
            rounds: 0,
        };
        optimiser.renew()?;
        Ok(optimiser)
    }

    /// Recomputes the gradient from scratch.
    fn renew(&mut self) -> Result<(), Error> {
        let mut gradient: Vec<f64> = self.problem.linear.iter().map(|p| -p).collect();
        self.add(&self.beta, &mut gradient)?;
        (self.gradient, self.drift) = (gradient, Drift::default());
        Ok(())
    }

    /// gradient += K·changes, with one change per variable.
    fn add(&self, changes: &[f64], gradient: &mut [f64]) -> Result<(), Error> {
        let changed: Vec<usize> = (0..changes.len()).filter(|&v| changes[v] != 0.0).collect();
        let by: Vec<f64> = changed.iter().map(|&v| changes[v]).collect();
        self.add_some(&changed, &by, gradient)
    }

    /// gradient += K·changes, for the variables in `changed`.
    fn add_some(&self, changed: &[usize], by: &[f64], gradient: &mut [f64]) -> Result<(), Error> {
        let Self { columns, problem, rows, .. } = self;
        let most = columns.most().clamp(1, BLOCK);
        for (part, by) in changed.chunks(most).zip(by.chunks(most)) {
            let rows: Vec<usize> = part.iter().map(|&v| rows[v]).collect();
            columns.with(&rows, &mut |columns| add(gradient, &problem.segments, columns, by))?;
        }
        Ok(())
    }

    fn run(&mut self, control: &mut Control<'_>) -> Result<(Status, Certificate), Error> {
        loop {
            let status = self.approach(control)?;
            let bound = control.violation * CERTAIN_SHARE * self.scale();
            let renewed = self.drift.bound(self.largest) > bound;
            if renewed {
                self.renew()?;
            }
            let certificate = self.certify(bound)?;
            let is_hidden = certificate.pair_rounding_error() > control.violation;
            let verdict = certificate.verdict(self.problem, control.violation, control.gap);
            match (status, verdict) {
                (Status::Stopped, _) => return Ok((status, certificate)),
                (_, Some(verdict)) => return Ok((verdict, certificate)),
                (Status::Converged, None) if is_hidden => {
                    return Ok((Status::Stalled, certificate));
                }
                (Status::Converged, None) => (),
                (_, None) => return Ok((status, certificate)),
            }
            self.refused += 1;
            if self.refused > MOST_REFUSED {
                return Ok((Status::Stalled, certificate));
            }
            // A violation that only a fresh gradient shows may vanish with more steps; one due to
            // rounding of the model vanishes only at a smaller target. A far too large gap needs a
            // far smaller target.
            let Certificate { gap, primal, .. } = certificate;
            let missing = tolerance::loosest_gap(control.violation) * primal.abs() / gap;
            let share = if missing.is_finite() { missing.clamp(0.01, 0.5) } else { 0.5 };
            self.aim *= if renewed && share >= 0.5 { 1.0 } else { share };
        }
    }

    /// The certificate of the returned model; values are recomputed if rounding moves them by more
    /// than `spared`.
    fn certify(&self, spared: f64) -> Result<Certificate, Error> {
        let Self { problem, beta, gradient, largest, .. } = self;
        let solved = Solved { problem, beta, gradient, largest: *largest };
        solved.certify::<T>(spared, |changes, gradient| self.add(changes, gradient))
    }

    /// The unit of function values relative to that of the kernel: half of the squared radius for a
    /// ball, otherwise 1.
    fn scale(&self) -> f64 {
        if self.problem.reading == Reading::Ball { self.unit } else { 1.0 }
    }

    /// Performs outer iterations until the updated gradient meets the stopping criterion.
    fn approach(&mut self, control: &mut Control<'_>) -> Result<Status, Error> {
        let hard = self.problem.is_hard();
        let (mut idle, mut lowest) = (0, (f64::INFINITY, f64::INFINITY));
        let mut set = WorkingSet::default();
        loop {
            let ranges = svm_certificate::ranges(self.problem, &self.beta, &self.gradient);
            let violation = svm_certificate::violation(self.problem, &ranges);
            self.unit =
                svm_certificate::unit::<T>(self.problem, &self.beta, &self.gradient, &ranges);
            let (value, energy) =
                svm_certificate::objective(self.problem, &self.beta, &self.gradient);
            if !value.is_finite() {
                return Err(self.overflow(value));
            }
            if violation <= self.aim * self.unit || self.gap_is_small(control) {
                return Ok(Status::Converged);
            }
            if !self.observed(control, value, violation) {
                return Ok(Status::Stopped);
            }
            if self.steps >= control.max_iterations {
                return Ok(Status::IterationsDone);
            }
            if hard && self.is_inseparable(energy) || self.has_no_margin(energy) {
                return Ok(Status::Stalled);
            }
            // Rounding is the limit if neither the objective nor the violation decreases.
            idle = if value < lowest.0 || violation < lowest.1 { 0 } else { idle + 1 };
            lowest = (value.min(lowest.0), violation.min(lowest.1));
            if idle >= MOST_IDLE {
                return Ok(Status::Stalled);
            }
            if self.block >= self.problem.len() {
                set.whole(self.problem.len());
            } else {
                set.advance(self.problem, &self.beta, &self.gradient, &ranges, self.block);
            }
            if !self.round(&set, violation, control)? {
                return Ok(Status::Stalled);
            }
        }
    }

    /// True if the hard margin is no larger than rounding. ‖f‖/‖β‖₁ bounds the margins of all
    /// functions of norm 1; if the classes are not separable, it falls to 0 while β grows without
    /// bound.
    fn is_inseparable(&self, energy: f64) -> bool {
        let sum: f64 = self.beta.iter().map(|beta| beta.abs()).sum();
        let rounding = f64::EPSILON * self.beta.len() as f64 * self.largest;
        sum > 0.0 && 2.0 * energy <= rounding * sum * sum
    }

    /// True if no function has a margin, judged by [`NO_MARGIN`] of the widest so far: ν
    /// is so small that the reduced convex hulls of the classes meet (Crisp & Burges 1999).
    /// ‖f‖/‖β‖₁, half of their distance, then falls to 0.
    fn has_no_margin(&mut self, energy: f64) -> bool {
        if self.problem.reading != Reading::Margin {
            return false;
        }
        let sum: f64 = self.beta.iter().map(|beta| beta.abs()).sum();
        let squared = if sum > 0.0 { 2.0 * energy / (sum * sum) } else { f64::INFINITY };
        self.widest = if squared.is_finite() { self.widest.max(squared) } else { self.widest };
        let is_late = self.steps > STEPS_WITHOUT_MARGIN * self.problem.len();
        is_late && squared <= NO_MARGIN.powi(2) * self.widest
    }

    /// The error for a non-finite objective.
    fn overflow(&self, objective: f64) -> Error {
        let found = self.gradient.iter().position(|g| !g.is_finite());
        let product = |v: usize| {
            let (row, given) = (self.rows[v], self.gradient[v]);
            kern_gram::Error::ProductNotFinite { row, col: 0, given }.into()
        };
        found.map_or(Error::Range { what: "the dual objective", given: objective }, product)
    }

    fn gap_is_small(&self, control: &Control<'_>) -> bool {
        let share = self.aim / control.violation;
        control.gap.is_some_and(|relative| {
            let (gap, dual) = svm_certificate::gap(self.problem, &self.beta, &self.gradient);
            gap <= share * relative * (dual + gap).abs()
        })
    }

    /// Reports progress to the observer, if there is one; true to continue.
    fn observed(&self, control: &mut Control<'_>, value: f64, violation: f64) -> bool {
        let progress = Progress::new(self.steps, control.max_iterations, value);
        let progress = progress.with_violation(violation / self.unit, self.aim);
        control.observer.as_mut().is_none_or(|observer| observer.observe(&progress).is_continue())
    }

    /// Performs one outer iteration on a working set; true if anything changed.
    fn round(
        &mut self,
        set: &WorkingSet,
        violation: f64,
        control: &Control<'_>,
    ) -> Result<bool, Error> {
        let variables = &set.variables;
        let rows: Vec<usize> = variables.iter().map(|&v| self.rows[v]).collect();
        let whole = variables.len() == self.problem.len();
        let limits = self.limits(variables.len(), whole, violation, control);
        let mut ended = Improved::default();
        // Not requested for a single block: measuring the cost of values takes longer than small
        // problems do.
        let values = if whole { None } else { self.columns.values() };
        if let Some(values) = values {
            self.workspace.compute(values, set, &rows)?;
            ended = self.improve(variables, limits);
            let changed: Vec<usize> = ended.moved.iter().map(|&i| variables[i]).collect();
            let mut gradient = std::mem::take(&mut self.gradient);
            self.add_some(&changed, &ended.by, &mut gradient)?;
            self.gradient = gradient;
        } else {
            let columns = self.columns;
            columns.with(&rows, &mut |columns| {
                self.workspace.look_up(columns, set, &rows);
                ended = self.improve(variables, limits);
                let changed: Vec<_> = ended.moved.iter().map(|&i| columns[i]).collect();
                add(&mut self.gradient, &self.problem.segments, &changed, &ended.by);
            })?;
        }
        self.drift.add(&self.gradient, &ended.by);
        self.rounds += 1;
        self.steps += ended.steps;
        Ok(ended.steps > 0)
    }

    /// The stopping rules of SMO on this block.
    fn limits(&self, len: usize, whole: bool, violation: f64, control: &Control<'_>) -> Limits {
        let share = if whole { 0.0 } else { tolerance::INNER_SHARE * violation };
        let most = (STEPS_PER_VARIABLE * len).max(10_000);
        Limits {
            tolerance: share.max(self.aim * self.unit),
            max_steps: most.min(control.max_iterations - self.steps),
            free: self.problem.is_free(),
        }
    }

    /// Minimises over a working set with values in the workspace, and stores the coefficients; the
    /// gradient is not updated yet.
    fn improve(&mut self, set: &[usize], limits: Limits) -> Improved {
        let Self { problem, beta, gradient, workspace, largest, .. } = self;
        let square = workspace.square(set.len());
        let mut local = Local::new(problem, set, beta, gradient, square);
        *largest = local.diagonal[..set.len()].iter().copied().fold(*largest, f64::max);
        let steps = smo::minimise(&mut local, square, limits);
        let change = |i: usize| local.beta[i] - beta[set[i]];
        let moved: Vec<usize> = (0..set.len()).filter(|&i| change(i) != 0.0).collect();
        let by = moved.iter().map(|&i| change(i)).collect();
        moved.iter().for_each(|&i| beta[set[i]] = local.beta[i]);
        Improved { steps, moved, by }
    }
}

/// The changes made on a block.
#[derive(Default)]
struct Improved {
    steps: usize,
    /// The variables that moved, and their changes.
    moved: Vec<usize>,
    by: Vec<f64>,
}

/// The block size of a problem of n variables. If values within a block are computed rather than
/// read from its columns, only the columns of changed variables are needed; large problems then get
/// larger and fewer blocks.
pub(super) fn block<T: Scalar>(n: usize, columns: &dyn KernelColumns<T>) -> usize {
    let most = columns.most();
    if n <= WHOLE || columns.values().is_none() {
        return if n <= WHOLE { n } else { BLOCK }.min(most);
    }
    // The values within a block take at most half of the memory of the columns.
    let room = (n.saturating_mul(most) / 2).isqrt();
    widest(n).min(room.max(most.min(BLOCK)))
}

/// A bound on the rounding error of additions: each is off by at most one unit roundoff of the
/// partial sum.
#[derive(Clone, Copy, Debug, Default)]
struct Drift {
    /// Sum over the additions: number of columns, times the largest gradient entry.
    gradient: f64,
    /// Sum over the additions: number of columns, times the sum of their absolute weights.
    weights: f64,
}

impl Drift {
    /// Records the addition of columns with these weights to a gradient.
    fn add(&mut self, gradient: &[f64], by: &[f64]) {
        let count = by.len() as f64;
        self.gradient += count * gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
        self.weights += count * by.iter().map(|by| by.abs()).sum::<f64>();
    }

    /// The bound for kernel values of at most `largest`.
    fn bound(self, largest: f64) -> f64 {
        f64::EPSILON * (self.gradient + self.weights * largest)
    }
}

/// gradient += columns·weights, each row summed in the order of the columns.
fn add<T: Scalar>(
    gradient: &mut [f64],
    segments: &[Range<usize>],
    columns: &[&[T]],
    weights: &[f64],
) {
    let mut tasks = Vec::new();
    let mut rest = gradient;
    for segment in segments {
        for part in tile_ranges(segment.len(), STRIPE) {
            let (stripe, after) = rest.split_at_mut(part.len());
            rest = after;
            tasks.push((stripe, segment.start + part.start));
        }
    }
    parallel::for_each_init(
        tasks,
        || (),
        |(), (stripe, start)| {
            kern_core::instruction_set().dispatch(Add { stripe, start, columns, weights });
        },
    );
}

struct Add<'a, T> {
    stripe: &'a mut [f64],
    start: usize,
    columns: &'a [&'a [T]],
    weights: &'a [f64],
}

impl<T: Scalar> WithSimd for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { stripe, start, columns, weights } = self;
        let end = start + stripe.len();
        let piece = |b: usize| &columns[b][start..end];
        let fours = columns.len() / 4 * 4;
        for b in (0..fours).step_by(4) {
            let [k0, k1, k2, k3] = [piece(b), piece(b + 1), piece(b + 2), piece(b + 3)];
            let w = [weights[b], weights[b + 1], weights[b + 2], weights[b + 3]];
            let values = k0.iter().zip(k1).zip(k2.iter().zip(k3));
            for (g, ((k0, k1), (k2, k3))) in stripe.iter_mut().zip(values) {
                let low = w[1].mul_add(k1.to_f64(), w[0].mul_add(k0.to_f64(), *g));
                *g = w[3].mul_add(k3.to_f64(), w[2].mul_add(k2.to_f64(), low));
            }
        }
        for (b, weight) in weights.iter().enumerate().skip(fours) {
            for (g, k) in stripe.iter_mut().zip(piece(b)) {
                *g = weight.mul_add(k.to_f64(), *g);
            }
        }
    }
}
