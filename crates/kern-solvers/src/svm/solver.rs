//! Rounds of optimisation on blocks, with the gradient of all variables kept in double precision.

use super::certificate::{self, Certificate};
use super::columns::Columns;
use super::inner::{self, Limits};
use super::local::{LANES, Local, Square};
use super::problem::Problem;
use super::working_set;
use crate::{Error, Observer, Progress, Status, tolerance};
use kern_core::Scalar;
use kern_gram::{parallel, tile_ranges, zero_vec};
use pulp::{Simd, WithSimd};

/// Problems of up to so many variables are one block.
pub(super) const WHOLE: usize = 1024;
/// Variables of a block of larger problems.
pub(super) const BLOCK: usize = 512;
/// Steps that a block gets in one round, per variable.
const STEPS_PER_VARIABLE: usize = 100;
/// Rounds without any progress after which rounding must be the cause.
const MOST_IDLE: usize = 1000;
/// Rows of a stripe of the gradient: it stays in the first-level cache while columns are added to it.
const STRIPE: usize = 2048;

/// When to stop.
pub(super) struct Control<'o> {
    pub(super) tolerance: f64,
    pub(super) relative_gap: Option<f64>,
    pub(super) max_iterations: usize,
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
    /// Variables of a block, at most.
    block: usize,
    square: Vec<f64>,
    /// The greatest diagonal entry of the kernel matrix that was seen.
    greatest: f64,
    steps: usize,
    rounds: usize,
}

impl<'a, T: Scalar> State<'a, T> {
    fn new(columns: &'a dyn Columns<T>, problem: &'a Problem) -> Result<Self, Error> {
        let n = problem.len();
        let block = if n <= WHOLE { n } else { BLOCK }.min(columns.most());
        let stride = block.next_multiple_of(LANES);
        let mut state = Self {
            columns,
            problem,
            rows: problem.rows(),
            beta: problem.start.clone(),
            gradient: problem.linear.iter().map(|p| -p).collect(),
            block,
            square: zero_vec(block * stride)?,
            greatest: 0.0,
            steps: 0,
            rounds: 0,
        };
        let started: Vec<usize> = (0..n).filter(|&v| state.beta[v] != 0.0).collect();
        for part in started.chunks(block.max(1)) {
            let rows: Vec<usize> = part.iter().map(|&v| state.rows[v]).collect();
            let weights: Vec<f64> = part.iter().map(|&v| state.beta[v]).collect();
            let (gradient, segments) = (&mut state.gradient, &problem.segments);
            columns.with(&rows, &mut |columns| add(gradient, segments, columns, &weights))?;
        }
        Ok(state)
    }

    fn run(&mut self, control: &mut Control<'_>) -> Result<Status, Error> {
        let hard = self.problem.is_hard();
        let (mut set, mut idle, mut lowest) = (Vec::new(), 0, (f64::INFINITY, f64::INFINITY));
        loop {
            let ranges = certificate::ranges(self.problem, &self.beta, &self.gradient);
            let violation = certificate::violation(self.problem, &ranges);
            let (value, energy) = certificate::objective(self.problem, &self.beta, &self.gradient);
            if !value.is_finite() {
                return Err(self.overflow(value));
            }
            if violation <= control.tolerance || self.gap_is_small(control) {
                return Ok(Status::Converged);
            }
            if !self.observed(control, value) {
                return Ok(Status::Stopped);
            }
            if self.steps >= control.max_iterations {
                return Ok(Status::IterationsDone);
            }
            if hard && self.is_inseparable(energy) {
                return Ok(Status::Stalled);
            }
            // Rounding is the limit where neither the objective nor the violation falls.
            idle = if value < lowest.0 || violation < lowest.1 { 0 } else { idle + 1 };
            lowest = (value.min(lowest.0), violation.min(lowest.1));
            if idle >= MOST_IDLE {
                return Ok(Status::Stalled);
            }
            let (before, mut kept) = (set.len(), 0);
            if self.block >= self.problem.len() {
                set = (0..self.problem.len()).collect();
            } else {
                let at = (&*self.beta, &*self.gradient);
                (set, kept) = working_set::select(self.problem, at, &ranges, &set, self.block);
            }
            let kept = if set.len() == before { kept } else { 0 };
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
    fn observed(&self, control: &mut Control<'_>, value: f64) -> bool {
        let (iteration, total) = (self.steps, control.max_iterations);
        let progress = Progress { iteration, total, loss: value };
        control.observer.as_mut().is_none_or(|observer| observer.observe(&progress).is_continue())
    }

    /// Optimises over a set of variables; whether anything changed.
    fn round(
        &mut self,
        (set, kept): (&[usize], usize),
        violation: f64,
        control: &Control<'_>,
    ) -> Result<bool, Error> {
        let Self { columns, problem, rows, beta, gradient, square, greatest, .. } = self;
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
        let mut ended = None;
        columns.with(&of_set, &mut |columns| {
            let square = gather(square, columns, &of_set, kept);
            let mut local = Local::new(problem, set, (beta, gradient), square);
            *greatest = local.diagonal[..set.len()].iter().copied().fold(*greatest, f64::max);
            ended = Some(inner::minimise(&mut local, square, limits));
            let (mut changed, mut by) = (Vec::new(), Vec::new());
            for ((&v, &value), column) in set.iter().zip(&local.beta).zip(columns) {
                let change = value - beta[v];
                if change != 0.0 {
                    changed.push(*column);
                    by.push(change);
                    beta[v] = value;
                }
            }
            add(gradient, &problem.segments, &changed, &by);
        })?;
        self.rounds += 1;
        let steps = ended.map_or(0, |ended| ended.steps);
        self.steps += steps;
        Ok(steps > 0)
    }
}

/// The values between the points `rows`, whose columns these are. The first `kept` of them were the last ones of
/// the block before, which had the same size: values among them are at hand, and those with the others lie in the
/// columns of these. To gather is to wait for memory.
fn gather<'s, T: Scalar>(
    square: &'s mut [f64],
    columns: &[&[T]],
    rows: &[usize],
    kept: usize,
) -> Square<'s> {
    let stride = rows.len().next_multiple_of(LANES);
    let offset = rows.len() - kept;
    for a in 0..kept {
        let from = (a + offset) * stride + offset;
        square.copy_within(from..from + kept, a * stride);
    }
    let (old, new) = square.split_at_mut(kept * stride);
    let tasks = new.chunks_exact_mut(stride.max(1)).zip(&columns[kept..]).collect();
    parallel::for_each_init(
        tasks,
        || (),
        |(), (out, column)| {
            out.iter_mut().zip(rows).for_each(|(out, &row)| *out = column[row].to_f64());
        },
    );
    for (a, out) in old.chunks_exact_mut(stride.max(1)).enumerate() {
        let below = out[kept..rows.len()].iter_mut().zip(new.chunks_exact(stride));
        below.for_each(|(out, mirrored)| *out = mirrored[a]);
    }
    Square { values: square, stride }
}

/// gradient += columns·weights, each row in the order of the columns.
fn add<T: Scalar>(
    gradient: &mut [f64],
    segments: &[std::ops::Range<usize>],
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
            pulp::Arch::new().dispatch(Add { stripe, start, columns, weights });
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
