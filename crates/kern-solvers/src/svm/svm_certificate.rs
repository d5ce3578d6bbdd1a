//! The certificate of a solution: how far the function that is handed out is from the optimum.
//!
//! A function is handed out with coefficients and an intercept in the type of the points, for some scale. With f̃ for the
//! function that they make, f = Σβᵢφ(xᵢ) for the solution β in double precision and λ for the multipliers that the intercept
//! stands for, primal minus dual objective are, by Fenchel's and Young's inequality,
//!
//! ½‖f̃ − f‖² + Σᵢ (ℓᵢ(cᵢ) − cᵢβᵢ + ε|βᵢ|), cᵢ = pᵢ − f̃(xᵢ) − λ, ℓᵢ(c) = max(0, uᵢ(c − ε), −lᵢ(−c − ε)),
//!
//! whose terms are all at least 0.

use super::dual_problem::{Dual, Reading, round_into};
use crate::{Error, Status, tolerance};
use kern_core::Scalar;
use kern_gram::zero_vec;

/// The multipliers at which the variables of one sum would rest: those that can rise want one of at most `top`
/// for the sum, those that can fall one of at least `bottom`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Range {
    /// The sum's multiplier if no variable is free: the midpoint, as far as it is bounded.
    pub(super) fn midpoint(self) -> f64 {
        match (self.top.is_finite(), self.bottom.is_finite()) {
            (true, true) => 0.5 * (self.top + self.bottom),
            (true, false) => self.top,
            (false, true) => self.bottom,
            (false, false) => 0.0,
        }
    }
}

/// The evidence that a solution comes with, and how it is handed out.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    /// Infinite where a hard margin is not one.
    pub(super) gap: f64,
    /// dual + gap; of a hard margin ½‖f̃‖².
    pub(super) primal: f64,
    pub(super) dual: f64,
    /// Of the optimality conditions, in units of the margin.
    pub(super) violation: f64,
    /// The error that rounding of kernel values leaves in a value of the function; all else is of the values as they are.
    pub(super) blur: f64,
    /// The unit of blur, where it is that of violations: the squared radius of a ball.
    pub(super) scale: f64,
    /// The factor of the coefficients that are handed out.
    pub(super) factor: f64,
    /// The intercept that is handed out, a number of the type of the points.
    pub(super) intercept: f64,
    /// ρ before scaling, ε, or R.
    pub(super) width: Option<f64>,
}

impl Certificate {
    /// In squares of distances, twice the terms of the dual problem, for ½‖a‖² of the centre and this unit of violations.
    pub(super) fn of_ball(self, energy: f64, unit: f64) -> Self {
        let Self { gap, primal, dual, blur, intercept, .. } = self;
        let square = 2.0 * (energy + intercept);
        let width = Some(square.max(0.0).sqrt());
        let (gap, primal, dual, blur) = (2.0 * gap, 2.0 * primal, 2.0 * dual, 2.0 * blur);
        Self { gap, primal, dual, blur, width, scale: 2.0 * unit, ..self }
    }

    /// The conditions of a pair of variables hold as far as the values of both are known: to so much.
    pub(super) fn pair_blur(&self) -> f64 {
        2.0 * self.blur / self.scale
    }

    /// The status of a solution that will do, for a violation and perhaps a gap that were asked for; none of another.
    ///
    /// Without a gap the violation is the tolerance of the gap, too.
    pub(super) fn verdict(
        &self,
        problem: &Dual,
        violation: f64,
        gap: Option<f64>,
    ) -> Option<Status> {
        let is_optimal = self.violation.max(self.pair_blur()) <= violation;
        let is_closed = self.is_closed(problem, gap.unwrap_or(violation));
        match self.gap.is_finite() {
            true if is_closed && (is_optimal || gap.is_some()) => Some(Status::Converged),
            true if is_optimal && self.is_closed(problem, tolerance::loosest_gap(violation)) => {
                Some(Status::ConvergedByViolation)
            }
            _ => None,
        }
    }

    /// Tells whether the gap is so small relative to the objective, or nothing but rounding.
    fn is_closed(&self, problem: &Dual, relative: f64) -> bool {
        self.gap <= relative * self.primal.abs() || self.is_rounding(problem)
    }

    /// Tells whether all of the gap is rounding: equal points are in a ball of radius 0, and a constant is a function of norm 0
    /// without a loss.
    fn is_rounding(&self, problem: &Dual) -> bool {
        let rounding = match problem.reading {
            Reading::Ball => self.blur,
            _ if self.dual == 0.0 => tolerance::ZERO_GAP * losses_of_zero(problem),
            _ => return false,
        };
        rounding.is_finite() && self.gap <= rounding
    }
}

/// The losses of the function 0, as if there were no tube: deviations that are rounding are lost in one.
fn losses_of_zero(problem: &Dual) -> f64 {
    let sides = problem.upper.iter().zip(&problem.lower).zip(&problem.linear);
    sides.map(|((upper, lower), p)| (upper * p).max(lower * p).max(0.0)).sum()
}

/// The ranges of all sums.
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

/// m − M, the greatest of all sums; without sums the greatest slope.
pub(super) fn violation(problem: &Dual, ranges: &[Range]) -> f64 {
    let of = |range: &Range| match problem.is_free() {
        true => range.top.max(-range.bottom),
        false => range.top - range.bottom,
    };
    ranges.iter().map(of).fold(0.0, f64::max)
}

/// ½βᵀKβ − pᵀβ + ε‖β‖₁, and ½βᵀKβ.
pub(super) fn objective(problem: &Dual, beta: &[f64], gradient: &[f64]) -> (f64, f64) {
    let (mut energy, mut linear) = (0.0, 0.0);
    for ((beta, g), p) in beta.iter().zip(gradient).zip(&problem.linear) {
        energy += 0.5 * beta * (g + p);
        linear += problem.epsilon * beta.abs() - p * beta;
    }
    (energy + linear, energy)
}

/// Primal minus dual objective at β with its own function and the best multipliers, and the dual objective.
pub(super) fn gap(problem: &Dual, beta: &[f64], gradient: &[f64]) -> (f64, f64) {
    let (value, energy) = objective(problem, beta, gradient);
    let multipliers = multipliers(problem, beta, gradient);
    let gap = if problem.is_hard() {
        hard_gap(energy, least_margin(problem, gradient, multipliers[0]), value)
    } else {
        soft_gap(problem, beta, gradient, &multipliers)
    };
    (gap, -value)
}

/// The unit of violations: the margin of a ν-machine that is smaller than 1, whose function is scaled by it, unless it may be
/// nothing but rounding; half of the squared radius of a ball, with the same reserve.
pub(super) fn unit<T: Scalar>(
    problem: &Dual,
    beta: &[f64],
    gradient: &[f64],
    ranges: &[Range],
) -> f64 {
    match (problem.reading, ranges) {
        (Reading::Ball, [range]) => {
            let (_, energy) = objective(problem, beta, gradient);
            let greatest = problem.linear.iter().copied().fold(0.0, f64::max);
            let unit = (energy + range.midpoint()).max(tolerance::least_ball::<T>() * greatest);
            if unit > 0.0 { unit } else { 1.0 }
        }
        (Reading::Margin, [first, second]) => {
            let margin = 0.5 * (first.midpoint() - second.midpoint());
            let greatest = gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
            if margin > tolerance::LEAST_MARGIN * greatest { margin.min(1.0) } else { 1.0 }
        }
        _ => 1.0,
    }
}

/// A solution with its gradient, and the greatest entry of the kernel matrix that was seen.
pub(super) struct Solved<'s> {
    pub(super) problem: &'s Dual,
    pub(super) beta: &'s [f64],
    pub(super) gradient: &'s [f64],
    pub(super) greatest: f64,
}

impl Solved<'_> {
    /// The certificate of the function that is handed out in numbers of the type T. `apply` adds K times changes of variables
    /// to a gradient; it is called if rounding moves the function by more than `spared`.
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
        let seen = self.greatest > 0.0;
        if changed * self.greatest > spared || (changed > 0.0 && !seen) {
            apply(&changes, &mut values)?;
            let moved = values.iter().zip(gradient).map(|(after, before)| after - before);
            apart =
                changes.iter().zip(moved).map(|(d, moved)| 0.5 * d * moved).sum::<f64>().max(0.0);
            multipliers = self::multipliers(problem, beta, &values);
        }
        let (intercept, width) = read::<T>(problem, factor, &mut multipliers);
        let (value, energy) = objective(problem, beta, gradient);
        let blur = blur::<T>(self.greatest, beta);
        let sums = gradient.iter().zip(&problem.linear).map(|(g, p)| g + p);
        let cross: f64 = changes.iter().zip(sums).map(|(d, sum)| d * sum).sum();
        let own = energy + cross + apart;
        let (gap, primal) = if problem.is_hard() {
            let primal = factor * factor * own;
            let least = least_margin(problem, &values, multipliers[0]) * factor;
            (hard_gap(primal, least, value), primal)
        } else {
            let gap = soft_gap(problem, beta, &values, &multipliers) + apart;
            (gap, gap - value)
        };
        let ranges = ranges(problem, beta, &values);
        let unit = unit::<T>(problem, beta, &values, &ranges);
        let violation = violation(problem, &ranges) / unit;
        let dual = -value;
        let scale = 1.0;
        let found =
            Certificate { gap, primal, dual, violation, blur, scale, factor, intercept, width };
        Ok(if problem.reading == Reading::Ball { found.of_ball(own, unit) } else { found })
    }

    /// The coefficients that are handed out, in units of β, minus β: all of a row with its first variable.
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

/// The factor of the coefficients: makes margins 1.
fn factor(problem: &Dual, gradient: &[f64], multipliers: &[f64]) -> f64 {
    let margin = match problem.reading {
        Reading::Margin => 0.5 * (multipliers[0] - multipliers[1]),
        _ if problem.is_hard() => least_margin(problem, gradient, multipliers[0]).min(1.0),
        _ => 1.0,
    };
    if margin > 0.0 { 1.0 / margin } else { 1.0 }
}

/// The intercept that is handed out and half the width of margin or tube; the multipliers become those of this intercept.
fn read<T: Scalar>(problem: &Dual, factor: f64, multipliers: &mut [f64]) -> (f64, Option<f64>) {
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

/// The error of a value Σβᵢkᵢ of kernel values of at most `greatest`, each of which is rounded on its own.
fn blur<T: Scalar>(greatest: f64, beta: &[f64]) -> f64 {
    let longest = beta.iter().map(|b| b.abs()).fold(0.0, f64::max);
    if longest == 0.0 {
        return 0.0;
    }
    // Scaled, so that squares of great coefficients do not overflow.
    let squares: f64 = beta.iter().map(|b| (b / longest) * (b / longest)).sum();
    T::UNIT_ROUNDOFF * greatest * longest * squares.sqrt()
}

/// The sum of the terms of the gap that are not ½‖f̃ − f‖².
fn soft_gap(problem: &Dual, beta: &[f64], gradient: &[f64], multipliers: &[f64]) -> f64 {
    let term = |v: usize| {
        let (b, c) = (beta[v], -gradient[v] - multipliers[problem.coupling.side(v)]);
        let (above, below) = (c - problem.epsilon, -c - problem.epsilon);
        let loss = (problem.upper[v] * above.max(0.0)).max(-problem.lower[v] * below.max(0.0));
        (loss - c * b + problem.epsilon * b.abs()).max(0.0)
    };
    (0..beta.len()).map(term).sum()
}

/// The gap of a function whose least margin is scaled to 1, for the value of the dual; infinite if it has none.
fn hard_gap(energy: f64, least: f64, value: f64) -> f64 {
    let whole = energy / (least * least).min(1.0);
    if least > 0.0 { (whole + value).max(0.0) } else { f64::INFINITY }
}

/// The least margin y(f + b), with f = g + y.
fn least_margin(problem: &Dual, gradient: &[f64], b: f64) -> f64 {
    let margin = |(g, y): (&f64, &f64)| y * (g + y + b);
    gradient.iter().zip(&problem.linear).map(margin).fold(f64::INFINITY, f64::min)
}

/// The multipliers of the sums: the means over free variables, or midpoints of what the optimality conditions leave
/// where there is none, unless others within what they leave make the gap smaller.
fn multipliers(problem: &Dual, beta: &[f64], gradient: &[f64]) -> Vec<f64> {
    if problem.is_free() {
        return vec![0.0];
    }
    let ranges = ranges(problem, beta, gradient);
    let middle = ranges.iter().map(|range| range.midpoint()).collect();
    let mut found = means(problem, beta, gradient, middle);
    if problem.is_hard() {
        let widest = vec![widest(problem, gradient)];
        let least = |at: &[f64]| least_margin(problem, gradient, at[0]);
        let better = least(&widest) > least(&found) * (1.0 + tolerance::SAME_GAP);
        return if better { widest } else { found };
    }
    // Where many are as good, the means are taken.
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

/// The intercept of the greatest least margin.
fn widest(problem: &Dual, gradient: &[f64]) -> f64 {
    let (mut above, mut below) = (f64::NEG_INFINITY, f64::INFINITY);
    for (&g, &y) in gradient.iter().zip(&problem.linear) {
        if y > 0.0 { above = above.max(-g) } else { below = below.min(-g) }
    }
    Range { top: above, bottom: below }.midpoint()
}

/// The means over free variables; the given numbers where there is none.
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

/// The multipliers of least gap. As a function of one of them the gap is convex and piecewise linear; outside of the
/// range of the optimality conditions it only grows.
pub(super) fn minimisers(
    problem: &Dual,
    beta: &[f64],
    gradient: &[f64],
    ranges: &[Range],
) -> Vec<f64> {
    let sides = ranges.iter().enumerate();
    sides.map(|(side, &range)| minimiser(problem, beta, gradient, side, range)).collect()
}

/// The multiplier of one sum with the least gap.
fn minimiser(problem: &Dual, beta: &[f64], gradient: &[f64], side: usize, range: Range) -> f64 {
    let Range { top, bottom } = range;
    if !(top > bottom && top.is_finite() && bottom.is_finite()) {
        return range.midpoint();
    }
    let members = || (0..beta.len()).filter(|&v| problem.coupling.side(v) == side);
    // Where the loss of a variable begins, from either end, and its slope there.
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
    // No more memory than they need.
    let mut found = Vec::with_capacity(all().count());
    found.extend(all());
    found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let turns = |(_, jump): &&(f64, f64)| {
        slope += jump;
        slope >= 0.0
    };
    found.iter().find(turns).map_or(top, |&(at, _)| at)
}
