//! Support vector machines: ½‖f‖² + Σ Cᵢℓ(f(xᵢ) + b), against the dual objective at the coefficients of the model.
//!
//! The coefficients are moved into their box, and by as little as possible to the sum that they must have, which only makes
//! the dual objective less; what the model rounded away, δ, costs at most δ·maxᵢ(|pᵢ| + |f(xᵢ)| + |b| + ε) + ½δ²·max K. An error eᵢ of f(xᵢ) moves
//! the primal objective by at most Cᵢeᵢ, and both by |βᵢ|eᵢ. A machine that has converged has a gap of its tolerance, or without one of its
//! violation v, relative to the objective; by its violation alone, of v·ΣCᵢ, but no more than a hundredth of the objective, or v of it. A
//! thousandth of v·ΣCᵢ may be left to the rounding of the solver's sums, for which ten are allowed here.

use super::exact::quad;
use super::span::Span;
use super::{Given, Losses, Verdict};
use kern_core::Scalar;
use kern_solvers::Status;
use qd::Quad;

/// The relative rounding of the verdict itself.
const SLACK: f64 = 1.0 + 1e-6;

/// The share of the violation that the rounding of sums may take.
const SUMS: f64 = 1e-2;

/// The share of the objective that the gap of a machine may have which has converged by its violation, unless that is coarse.
const LOOSEST: f64 = 0.01;

/// A point with its bounds.
struct Point {
    group: usize,
    target: f64,
    bound: f64,
    beta: f64,
}

pub(super) fn verdict<T: Scalar>(given: &Given<'_, T>, span: &Span, b: f64) -> Option<Verdict> {
    let mut classes = given.problem.labels.clone();
    classes.sort_unstable();
    classes.dedup();
    if given.losses == Losses::Hinges && classes.len() != 2 {
        return None;
    }
    let epsilon = if given.losses == Losses::Tube { given.real("epsilon")? } else { 0.0 };
    let points = points(given, span)?;
    let losses = given.losses;
    let loss = |point: &Point, f: Quad| match losses {
        Losses::Hinges => positive(quad(1.0) - quad(point.target) * f),
        Losses::Tube => {
            let residual = quad(point.target) - f;
            let size = if residual.0 < 0.0 { -residual } else { residual };
            positive(size - quad(epsilon))
        }
        // b = −ρ.
        _ => positive(-f),
    };
    let total: f64 = points.iter().map(|point| point.bound).sum();
    let mut primal = quad(0.5) * span.energy();
    let (mut moved, mut largest) = (0.0, 0.0_f64);
    for point in &points {
        let group = &span.groups[point.group];
        primal += quad(point.bound) * loss(point, group.value + quad(b));
        let size = point.target.abs() + group.value.0.abs() + b.abs();
        let error = group.error + 8.0 * f64::EPSILON * size;
        moved += (point.bound + 2.0 * point.beta.abs()) * error;
        largest = largest.max(size + epsilon);
    }
    let sum = match losses {
        Losses::Region => {
            let sum = given.real("nu")? * total;
            primal += quad(b) * quad(sum);
            Some(sum)
        }
        _ => given.flag("intercept").then_some(0.0),
    };
    let (beta, off) = feasible(&points, sum, losses)?;
    let dual = dual(span, &points, &beta, epsilon, losses);
    let rounded = |point: &Point| T::UNIT_ROUNDOFF * point.beta.abs() + smallest::<T>();
    let off = off + points.iter().map(rounded).sum::<f64>();
    moved += 2.0 * off * largest + 0.5 * off * off * span.largest();
    let (gap, objective) = ((primal - dual).0, primal.0);
    let given_violation = given.real("violation")?;
    let violation = given_violation * total;
    let allowed = match given.report.status {
        Status::ConvergedByViolation => {
            violation.min(given_violation.max(LOOSEST) * objective.abs())
        }
        _ => given.real("tolerance").unwrap_or(given_violation) * objective.abs(),
    };
    let base = given.report.gap.unwrap_or(f64::INFINITY);
    let sums = SUMS * violation + 16.0 * f64::EPSILON * (objective.abs() + dual.0.abs());
    Some(Verdict {
        gap,
        objective,
        reported: (base + moved + sums) * SLACK,
        solved: (allowed + moved + sums) * SLACK,
    })
}

/// The least number of the type of the points, below which a coefficient is 0.
fn smallest<T: Scalar>() -> f64 {
    if T::UNIT_ROUNDOFF < f64::from(f32::EPSILON) / 4.0 {
        f64::MIN_POSITIVE
    } else {
        f64::from(f32::MIN_POSITIVE)
    }
}

fn positive(number: Quad) -> Quad {
    if number.0 > 0.0 { number } else { quad(0.0) }
}

/// All points with a coefficient each; none without a bound, or if the coefficients cannot be told.
fn points<T: Scalar>(given: &Given<'_, T>, span: &Span) -> Option<Vec<Point>> {
    let penalty = if given.losses == Losses::Region { 1.0 } else { given.real("c")? };
    let point = |i: usize| Point {
        group: span.group(i),
        target: given.target(i),
        bound: penalty * given.weight(i),
        beta: 0.0,
    };
    let mut points: Vec<Point> = (0..given.problem.labels.len()).map(point).collect();
    if span.support.len() != span.coefficients.len() {
        return None;
    }
    for (&i, &beta) in span.support.iter().zip(&span.coefficients) {
        points.get_mut(i)?.beta = beta;
    }
    // The sums of equal points are those of the model, or the points are others.
    let sums = |(a, group): (usize, &super::span::Group)| {
        let own = points.iter().filter(|point| point.group == a);
        let sum = own.fold(quad(0.0), |sum, point| sum + quad(point.beta));
        (sum - group.coefficient).0 == 0.0
    };
    span.groups.iter().enumerate().all(sums).then_some(points)
}

/// Coefficients in their box with this sum, near those of the model, and how far they are from them.
fn feasible(points: &[Point], sum: Option<f64>, losses: Losses) -> Option<(Vec<Quad>, f64)> {
    let ends = |point: &Point| match losses {
        Losses::Hinges if point.target > 0.0 => (0.0, point.bound),
        Losses::Hinges => (-point.bound, 0.0),
        Losses::Tube => (-point.bound, point.bound),
        _ => (0.0, point.bound),
    };
    let clamped = |point: &Point| {
        let (smallest, largest) = ends(point);
        quad(point.beta.max(smallest).min(largest))
    };
    let mut beta: Vec<Quad> = points.iter().map(clamped).collect();
    if let Some(sum) = sum {
        let mut left = beta.iter().fold(quad(sum), |left, beta| left - *beta);
        // Those of the support first: the others would have another loss.
        for pass in [true, false] {
            for (point, beta) in points.iter().zip(&mut beta) {
                if (point.beta != 0.0) != pass {
                    continue;
                }
                let (smallest, largest) = ends(point);
                let end = if left.0 > 0.0 { largest } else { smallest };
                let room = quad(end) - *beta;
                let step = if room.0.abs() < left.0.abs() { room } else { left };
                *beta += step;
                left -= step;
            }
        }
        if left.0.abs() > 0.0 {
            return None;
        }
    }
    let apart = points.iter().zip(&beta).map(|(point, beta)| (*beta - quad(point.beta)).0.abs());
    let off = apart.sum();
    Some((beta, off))
}

/// pᵀβ − ε‖β‖₁ − ½βᵀKβ.
fn dual(span: &Span, points: &[Point], beta: &[Quad], epsilon: f64, losses: Losses) -> Quad {
    let mut sums = vec![quad(0.0); span.groups.len()];
    let mut linear = quad(0.0);
    for (point, beta) in points.iter().zip(beta) {
        sums[point.group] += *beta;
        let size = if beta.0 < 0.0 { -*beta } else { *beta };
        let p = if losses == Losses::Region { 0.0 } else { point.target };
        linear = linear + quad(p) * *beta - quad(epsilon) * size;
    }
    linear - quad(0.5) * span.product(&sums, &sums)
}
