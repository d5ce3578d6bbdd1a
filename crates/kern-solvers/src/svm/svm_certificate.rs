//! The certificate of a solution: a bound on the distance of the returned function from the
//! optimum.
//!
//! The returned coefficients and intercept are rounded to the scalar type of the points, at some
//! scale. Let f̃ be the function with these coefficients, f = Σβᵢφ(xᵢ) that of the solution β in
//! double precision, and λ the multipliers that the intercept stands for. Primal minus dual
//! objective is
//!
//! ½‖f̃ − f‖² + Σᵢ (ℓᵢ(cᵢ) − cᵢβᵢ + ε|βᵢ|), cᵢ = pᵢ − f̃(xᵢ) − λ,
//! ℓᵢ(c) = max(0, uᵢ(c − ε), −lᵢ(−c − ε)),
//!
//! and every term is at least 0 by the inequalities of Fenchel and Young.

use super::dual_problem::{Dual, Reading, round_into};
use crate::{Error, Status, tolerance};
use kern_core::Scalar;
use kern_gram::zero_vec;

/// The gap of a support vector machine whose optimum is zero, relative to the losses of the function 0: each of these is rounded
/// a few times.
const ZERO_GAP: f64 = 8.0 * f64::EPSILON;

/// The least margin of a ν-machine that is one, relative to the greatest value of its function: a thousandth of it is a
/// violation that double precision still sees in values of ten thousand terms.
const SMALLEST_MARGIN: f64 = 1e-8;

/// The least squared radius of a ball that violations are measured by, relative to the greatest K(x, x): differences of so few units
/// of rounding, ten thousand, are the distances of equal points.
fn smallest_ball<T: Scalar>() -> f64 {
    1e4 * T::UNIT_ROUNDOFF
}

/// The range of the Lagrange multiplier of one sum that the optimality conditions allow: variables
/// that can rise require at least `top`, those that can fall at most `bottom`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Range {
    /// The multiplier if no variable is free: the midpoint, as far as the range is bounded.
    pub(super) fn midpoint(self) -> f64 {
        match (self.top.is_finite(), self.bottom.is_finite()) {
            (true, true) => 0.5 * (self.top + self.bottom),
            (true, false) => self.top,
            (false, true) => self.bottom,
            (false, false) => 0.0,
        }
    }
}

/// The certificate of a solution, with the scale of the returned function.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    /// The duality gap; infinite if a hard margin does not separate the classes.
    pub(super) gap: f64,
    /// dual + gap; for a hard margin ½‖f̃‖².
    pub(super) primal: f64,
    pub(super) dual: f64,
    /// The violation of the optimality conditions, in units of the margin.
    pub(super) violation: f64,
    /// The rounding error of a function value due to rounded kernel values; the other fields take
    /// kernel values as given.
    pub(super) rounding_error: f64,
    /// The unit of `rounding_error`, if it is that of violations: the squared radius of a ball.
    pub(super) scale: f64,
    /// The factor of the returned coefficients.
    pub(super) factor: f64,
    /// The returned intercept, rounded to the scalar type of the points.
    pub(super) intercept: f64,
    /// ρ before scaling, ε, or R.
    pub(super) width: Option<f64>,
}

impl Certificate {
    /// Converts to squared distances, which are twice the terms of the dual problem, for ½‖a‖² of
    /// the centre and this unit of violations.
    pub(super) fn of_ball(self, energy: f64, unit: f64) -> Self {
        let Self { gap, primal, dual, rounding_error, intercept, .. } = self;
        let square = 2.0 * (energy + intercept);
        let width = Some(square.max(0.0).sqrt());
        let (gap, primal, dual, rounding_error) =
            (2.0 * gap, 2.0 * primal, 2.0 * dual, 2.0 * rounding_error);
        Self { gap, primal, dual, rounding_error, width, scale: 2.0 * unit, ..self }
    }

    /// The accuracy to which the optimality conditions of a pair of variables can be known.
    pub(super) fn pair_rounding_error(&self) -> f64 {
        2.0 * self.rounding_error / self.scale
    }

    /// The status of a solution that is accurate enough for the allowed violation and, if given,
    /// relative gap; `None` otherwise.
    ///
    /// Without a gap, the violation is also the tolerance of the relative gap.
    pub(super) fn verdict(
        &self,
        problem: &Dual,
        violation: f64,
        gap: Option<f64>,
    ) -> Option<Status> {
        let is_optimal = self.violation.max(self.pair_rounding_error()) <= violation;
        let is_closed = self.is_closed(problem, gap.unwrap_or(violation));
        match self.gap.is_finite() {
            true if is_closed && (is_optimal || gap.is_some()) => Some(Status::Converged),
            true if is_optimal && self.is_closed(problem, tolerance::loosest_gap(violation)) => {
                Some(Status::ConvergedByViolation)
            }
            _ => None,
        }
    }

    /// True if the gap is at most `relative` times the objective, or is due to rounding.
    fn is_closed(&self, problem: &Dual, relative: f64) -> bool {
        self.gap <= relative * self.primal.abs() || self.is_rounding(problem)
    }

    /// True if the whole gap is due to rounding: identical points have a ball of radius 0, and a
    /// constant function has norm 0 and no loss.
    fn is_rounding(&self, problem: &Dual) -> bool {
        let rounding = match problem.reading {
            Reading::Ball => self.rounding_error,
            _ if self.dual == 0.0 => ZERO_GAP * losses_of_zero(problem),
            _ => return false,
        };
        rounding.is_finite() && self.gap <= rounding
    }
}

/// The losses of the function 0, ignoring the tube, which would hide deviations due to rounding.
fn losses_of_zero(problem: &Dual) -> f64 {
    let sides = problem.upper.iter().zip(&problem.lower).zip(&problem.linear);
    sides.map(|((upper, lower), p)| (upper * p).max(lower * p).max(0.0)).sum()
}

/// The multiplier ranges of all sums.
pub(super) fn ranges(problem: &Dual, beta: &[f64], gradient: &[f64]) -> Vec<Range> {
    let none = Range { top: f64::NEG_INFINITY, bottom: f64::INFINITY };
    let mut ranges = vec![none; problem.coupling.sides()];
    for (v, (&beta, &g)) in beta.iter().zip(gradient).enumerate() {
        let range = &mut ranges[problem.coupling.side(v)];
        range.top = range.top.max(problem.rise(v, beta) - g);
        range.bottom = range.bottom.min(problem.fall(v, beta) - g);
    }
    ranges
}

/// The violation m − M, the largest of all sums; without sums the largest slope.
pub(super) fn violation(problem: &Dual, ranges: &[Range]) -> f64 {
    let of = |range: &Range| match problem.is_free() {
        true => range.top.max(-range.bottom),
        false => range.top - range.bottom,
    };
    ranges.iter().map(of).fold(0.0, f64::max)
}

/// The values ½βᵀKβ − pᵀβ + ε‖β‖₁ and ½βᵀKβ.
pub(super) fn objective(problem: &Dual, beta: &[f64], gradient: &[f64]) -> (f64, f64) {
    let (mut energy, mut linear) = (0.0, 0.0);
    for ((beta, g), p) in beta.iter().zip(gradient).zip(&problem.linear) {
        energy += 0.5 * beta * (g + p);
        linear += problem.epsilon * beta.abs() - p * beta;
    }
    (energy + linear, energy)
}

/// The duality gap at β with the best multipliers, and the dual objective.
pub(super) fn gap(problem: &Dual, beta: &[f64], gradient: &[f64]) -> (f64, f64) {
    let (value, energy) = objective(problem, beta, gradient);
    let multipliers = multipliers(problem, beta, gradient);
    let gap = if problem.is_hard() {
        hard_gap(energy, smallest_margin(problem, gradient, multipliers[0]), value)
    } else {
        soft_gap(problem, beta, gradient, &multipliers)
    };
    (gap, -value)
}

/// The unit of violations. For ν-SVC it is the margin, if smaller than 1 and not due to rounding,
/// because the function is scaled by it; for SVDD it is half of the squared radius, with the same
/// caveat; otherwise 1.
pub(super) fn unit<T: Scalar>(
    problem: &Dual,
    beta: &[f64],
    gradient: &[f64],
    ranges: &[Range],
) -> f64 {
    match (problem.reading, ranges) {
        (Reading::Ball, [range]) => {
            let (_, energy) = objective(problem, beta, gradient);
            let largest = problem.linear.iter().copied().fold(0.0, f64::max);
            let unit = (energy + range.midpoint()).max(smallest_ball::<T>() * largest);
            if unit > 0.0 { unit } else { 1.0 }
        }
        (Reading::Margin, [first, second]) => {
            let margin = 0.5 * (first.midpoint() - second.midpoint());
            let largest = gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
            if margin > SMALLEST_MARGIN * largest { margin.min(1.0) } else { 1.0 }
        }
        _ => 1.0,
    }
}

/// A solution with its gradient, and the largest kernel value seen.
pub(super) struct Solved<'s> {
    pub(super) problem: &'s Dual,
    pub(super) beta: &'s [f64],
    pub(super) gradient: &'s [f64],
    pub(super) largest: f64,
}

impl Solved<'_> {
    /// The certificate of the function returned in the type T. `apply` adds K times changes of
    /// variables to a gradient; it is called if rounding moves the function by more than `spared`.
    pub(super) fn certify<T: Scalar>(
        &self,
        spared: f64,
        apply: impl FnOnce(&[f64], &mut [f64]) -> Result<(), Error>,
    ) -> Result<Certificate, Error> {
        let Self { problem, beta, gradient, .. } = *self;
        let mut multipliers = multipliers(problem, beta, gradient);
        let factor = factor(problem, gradient, &multipliers);
        let changes = self.rounding::<T>(factor)?;
        let (mut values, mut apart) = (gradient.to_vec(), 0.0);
        let changed: f64 = changes.iter().map(|change| change.abs()).sum();
        let seen = self.largest > 0.0;
        if changed * self.largest > spared || (changed > 0.0 && !seen) {
            apply(&changes, &mut values)?;
            let moved = values.iter().zip(gradient).map(|(after, before)| after - before);
            apart =
                changes.iter().zip(moved).map(|(d, moved)| 0.5 * d * moved).sum::<f64>().max(0.0);
            multipliers = self::multipliers(problem, beta, &values);
        }
        let (intercept, width) = read::<T>(problem, factor, &mut multipliers);
        let (value, energy) = objective(problem, beta, gradient);
        let rounding_error = rounding_error::<T>(self.largest, beta);
        let sums = gradient.iter().zip(&problem.linear).map(|(g, p)| g + p);
        let cross: f64 = changes.iter().zip(sums).map(|(d, sum)| d * sum).sum();
        let own = energy + cross + apart;
        let (gap, primal) = if problem.is_hard() {
            let primal = factor * factor * own;
            let smallest = smallest_margin(problem, &values, multipliers[0]) * factor;
            (hard_gap(primal, smallest, value), primal)
        } else {
            let gap = soft_gap(problem, beta, &values, &multipliers) + apart;
            (gap, gap - value)
        };
        let ranges = ranges(problem, beta, &values);
        let unit = unit::<T>(problem, beta, &values, &ranges);
        let violation = violation(problem, &ranges) / unit;
        let dual = -value;
        let scale = 1.0;
        let found = Certificate {
            gap,
            primal,
            dual,
            violation,
            rounding_error,
            scale,
            factor,
            intercept,
            width,
        };
        Ok(if problem.reading == Reading::Ball { found.of_ball(own, unit) } else { found })
    }

    /// The returned coefficients, in units of β, minus β; the coefficient of a row is assigned to
    /// its first variable.
    fn rounding<T: Scalar>(&self, factor: f64) -> Result<Vec<f64>, Error> {
        let Self { problem, beta, .. } = *self;
        let rows = problem.segments.iter().map(|segment| segment.end).max().unwrap_or(0);
        let mut column = zero_vec::<T>(rows)?;
        round_into(problem, beta, factor, &mut column);
        let taken = |(row, beta): (usize, &f64)| {
            std::mem::replace(&mut column[row], T::ZERO).to_f64() / factor - beta
        };
        Ok(problem.segments.iter().cloned().flatten().zip(beta).map(taken).collect())
    }
}

/// The factor of the returned coefficients; it makes the margin 1.
pub(super) fn factor(problem: &Dual, gradient: &[f64], multipliers: &[f64]) -> f64 {
    let margin = match problem.reading {
        Reading::Margin => 0.5 * (multipliers[0] - multipliers[1]),
        _ if problem.is_hard() => smallest_margin(problem, gradient, multipliers[0]).min(1.0),
        _ => 1.0,
    };
    if margin > 0.0 { 1.0 / margin } else { 1.0 }
}

/// The returned intercept, and half the width of the margin or tube; updates the multipliers to
/// those of this intercept.
pub(super) fn read<T: Scalar>(
    problem: &Dual,
    factor: f64,
    multipliers: &mut [f64],
) -> (f64, Option<f64>) {
    let (b, half) = match *multipliers {
        [first, second] => (0.5 * (first + second), 0.5 * (first - second)),
        _ => (multipliers[0], 0.0),
    };
    let intercept = T::from_f64(b * factor).to_f64();
    let b = intercept / factor;
    match multipliers {
        [first, second] => (*first, *second) = (b + half, b - half),
        _ => multipliers[0] = b,
    }
    let width = match problem.reading {
        Reading::Plain | Reading::Ball => (problem.epsilon > 0.0).then_some(problem.epsilon),
        Reading::Margin | Reading::Tube => Some(half),
    };
    (intercept, width)
}

/// The rounding error of a value Σβᵢkᵢ, for kernel values of at most `largest`, each rounded
/// independently.
pub(super) fn rounding_error<T: Scalar>(largest: f64, beta: &[f64]) -> f64 {
    let longest = beta.iter().map(|b| b.abs()).fold(0.0, f64::max);
    if longest == 0.0 {
        return 0.0;
    }
    // Scaled, so that squares of large coefficients do not overflow.
    let squares: f64 = beta.iter().map(|b| (b / longest) * (b / longest)).sum();
    T::UNIT_ROUNDOFF * largest * longest * squares.sqrt()
}

/// The terms of the gap other than ½‖f̃ − f‖².
pub(super) fn soft_gap(problem: &Dual, beta: &[f64], gradient: &[f64], multipliers: &[f64]) -> f64 {
    let term = |v: usize| {
        let (b, c) = (beta[v], -gradient[v] - multipliers[problem.coupling.side(v)]);
        let (above, below) = (c - problem.epsilon, -c - problem.epsilon);
        let loss = (problem.upper[v] * above.max(0.0)).max(-problem.lower[v] * below.max(0.0));
        (loss - c * b + problem.epsilon * b.abs()).max(0.0)
    };
    (0..beta.len()).map(term).sum()
}

/// The gap of a function scaled to smallest margin 1, given the dual value; infinite without a
/// margin.
pub(super) fn hard_gap(energy: f64, smallest: f64, value: f64) -> f64 {
    let whole = energy / (smallest * smallest).min(1.0);
    if smallest > 0.0 { (whole + value).max(0.0) } else { f64::INFINITY }
}

/// The smallest margin y(f + b), with f = g + y.
pub(super) fn smallest_margin(problem: &Dual, gradient: &[f64], b: f64) -> f64 {
    let margin = |(g, y): (&f64, &f64)| y * (g + y + b);
    gradient.iter().zip(&problem.linear).map(margin).fold(f64::INFINITY, f64::min)
}

/// The multipliers of the sums: the means over free variables, or without free variables the
/// midpoints of the allowed ranges; or other values in the ranges if they reduce the gap.
pub(super) fn multipliers(problem: &Dual, beta: &[f64], gradient: &[f64]) -> Vec<f64> {
    if problem.is_free() {
        return vec![0.0];
    }
    let ranges = ranges(problem, beta, gradient);
    let middle = ranges.iter().map(|range| range.midpoint()).collect();
    let mut found = means(problem, beta, gradient, middle);
    if problem.is_hard() {
        let widest = vec![widest(problem, gradient)];
        let smallest = |at: &[f64]| smallest_margin(problem, gradient, at[0]);
        let better = smallest(&widest) > smallest(&found) * (1.0 + tolerance::SAME_GAP);
        return if better { widest } else { found };
    }
    // If several are equally good, the means are taken.
    let margin = tolerance::SAME_GAP * objective(problem, beta, gradient).0.abs();
    for (side, best) in minimisers(problem, beta, gradient, &ranges).into_iter().enumerate() {
        let before = soft_gap(problem, beta, gradient, &found);
        let mean = std::mem::replace(&mut found[side], best);
        if soft_gap(problem, beta, gradient, &found) + margin >= before {
            found[side] = mean;
        }
    }
    found
}

/// The intercept that maximises the smallest margin.
pub(super) fn widest(problem: &Dual, gradient: &[f64]) -> f64 {
    let (mut above, mut below) = (f64::NEG_INFINITY, f64::INFINITY);
    for (&g, &y) in gradient.iter().zip(&problem.linear) {
        if y > 0.0 { above = above.max(-g) } else { below = below.min(-g) }
    }
    Range { top: above, bottom: below }.midpoint()
}

/// The means over free variables; the values in `middle` where there are none.
pub(super) fn means(problem: &Dual, beta: &[f64], gradient: &[f64], middle: Vec<f64>) -> Vec<f64> {
    let mut sums = vec![(0.0, 0_usize); middle.len()];
    for (v, (&beta, &g)) in beta.iter().zip(gradient).enumerate() {
        let (rise, fall) = (problem.rise(v, beta), problem.fall(v, beta));
        if rise.is_finite() && rise.to_bits() == fall.to_bits() {
            let sum = &mut sums[problem.coupling.side(v)];
            *sum = (sum.0 + rise - g, sum.1 + 1);
        }
    }
    let mean = |((sum, count), middle): ((f64, usize), f64)| match count {
        0 => middle,
        _ => sum / count as f64,
    };
    sums.into_iter().zip(middle).map(mean).collect()
}

/// The multipliers that minimise the gap. As a function of one multiplier, the gap is convex and
/// piecewise linear; outside of the range that the optimality conditions allow it only grows.
pub(super) fn minimisers(
    problem: &Dual,
    beta: &[f64],
    gradient: &[f64],
    ranges: &[Range],
) -> Vec<f64> {
    let sides = ranges.iter().enumerate();
    sides.map(|(side, &range)| minimiser(problem, beta, gradient, side, range)).collect()
}

/// The multiplier of one sum that minimises the gap.
fn minimiser(problem: &Dual, beta: &[f64], gradient: &[f64], side: usize, range: Range) -> f64 {
    let Range { top, bottom } = range;
    if !(top > bottom && top.is_finite() && bottom.is_finite()) {
        return range.midpoint();
    }
    let members = || (0..beta.len()).filter(|&v| problem.coupling.side(v) == side);
    // The points where the loss of a variable begins, from either side, and its slope there.
    let kinks = |v: usize| {
        let (at, width) = (-gradient[v], problem.epsilon);
        [(at - width, problem.upper[v]), (at + width, -problem.lower[v])]
    };
    let slope = |v: usize| {
        let [(above, upper), (below, lower)] = kinks(v);
        let falling = if above >= bottom { upper } else { 0.0 };
        beta[v] - falling + if below < bottom { lower } else { 0.0 }
    };
    let mut slope: f64 = members().map(slope).sum();
    let inside = |&(at, jump): &(f64, f64)| jump > 0.0 && bottom <= at && at <= top;
    let all = || members().flat_map(kinks).filter(inside);
    // Allocates exactly what is needed.
    let mut found = Vec::with_capacity(all().count());
    found.extend(all());
    found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let turns = |(_, jump): &&(f64, f64)| {
        slope += jump;
        slope >= 0.0
    };
    found.iter().find(turns).map_or(top, |&(at, _)| at)
}
