//! How far a solution is from the optimum, and the bias that goes with it.

use super::problem::Problem;

/// The multipliers at which the variables of one sum would rest: those that can rise want one of at most `top`
/// for the sum, those that can fall one of at least `bottom`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Range {
    /// What the sum's multiplier is if no variable is free: the midpoint, as far as it is bounded.
    pub(super) fn midpoint(self) -> f64 {
        match (self.top.is_finite(), self.bottom.is_finite()) {
            (true, true) => 0.5 * (self.top + self.bottom),
            (true, false) => self.top,
            (false, true) => self.bottom,
            (false, false) => 0.0,
        }
    }
}

/// The evidence that a solution comes with.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) gap: f64,
    pub(super) violation: f64,
    /// The multiplier of each sum: the mean over its free variables, else the midpoint of what is left.
    pub(super) biases: Vec<f64>,
}

/// The ranges of all sums.
pub(super) fn ranges(problem: &Problem, beta: &[f64], gradient: &[f64]) -> Vec<Range> {
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
pub(super) fn violation(problem: &Problem, ranges: &[Range]) -> f64 {
    let of = |range: &Range| match problem.is_free() {
        true => range.top.max(-range.bottom),
        false => range.top - range.bottom,
    };
    ranges.iter().map(of).fold(0.0, f64::max)
}

/// ½βᵀKβ − pᵀβ + ε‖β‖₁, and ½βᵀKβ.
pub(super) fn objective(problem: &Problem, beta: &[f64], gradient: &[f64]) -> (f64, f64) {
    let (mut energy, mut linear) = (0.0, 0.0);
    for ((beta, g), p) in beta.iter().zip(gradient).zip(&problem.linear) {
        energy += 0.5 * beta * (g + p);
        linear += problem.epsilon * beta.abs() - p * beta;
    }
    (energy + linear, energy)
}

impl Certificate {
    /// Of (β, g).
    pub(super) fn new(problem: &Problem, beta: &[f64], gradient: &[f64]) -> Self {
        let ranges = ranges(problem, beta, gradient);
        let violation = violation(problem, &ranges);
        let middle: Vec<f64> = match problem.is_free() {
            true => vec![0.0],
            false => ranges.iter().map(|range| range.midpoint()).collect(),
        };
        let (value, energy) = objective(problem, beta, gradient);
        let dual = -value;
        let gap = if problem.is_hard() {
            hard_gap(problem, gradient, middle[0], (energy, dual))
        } else {
            soft_gap(problem, beta, gradient, &middle)
        };
        let biases = biases(problem, beta, gradient, middle);
        Self { primal: dual + gap, dual, gap, violation, biases }
    }
}

/// Primal minus dual objective, for these multipliers: a sum of terms that are at least 0 (Fenchel and Young).
pub(super) fn soft_gap(problem: &Problem, beta: &[f64], gradient: &[f64], middle: &[f64]) -> f64 {
    let term = |v: usize| {
        let (b, c) = (beta[v], -gradient[v] - middle[problem.coupling.side(v)]);
        let (above, below) = (c - problem.epsilon, -c - problem.epsilon);
        let loss = (problem.upper[v] * above.max(0.0)).max(-problem.lower[v] * below.max(0.0));
        (loss - c * b + problem.epsilon * b.abs()).max(0.0)
    };
    (0..beta.len()).map(term).sum()
}

/// The same without upper bounds: the function is scaled until all margins are 1; infinite if some are not
/// positive.
fn hard_gap(problem: &Problem, gradient: &[f64], bias: f64, (energy, dual): (f64, f64)) -> f64 {
    // y(f + b) with f = g + y.
    let margin = |(g, y): (&f64, &f64)| y * (g + y + bias);
    let least = gradient.iter().zip(&problem.linear).map(margin).fold(f64::INFINITY, f64::min);
    if least > 0.0 { (energy / (least * least).min(1.0) - dual).max(0.0) } else { f64::INFINITY }
}

/// The means over free variables; the given numbers where there is none.
pub(super) fn biases(
    problem: &Problem,
    beta: &[f64],
    gradient: &[f64],
    middle: Vec<f64>,
) -> Vec<f64> {
    if problem.is_free() {
        return middle;
    }
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
