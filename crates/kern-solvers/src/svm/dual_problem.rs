//! The dual problem that all support vector machines share, and its instances for regression, the
//! one-class SVM and SVDD.
//!
//! minimise ½βᵀKβ − pᵀβ + ε‖β‖₁ subject to lᵢ ≤ βᵢ ≤ uᵢ and Σβ = s; the table of the [module
//! above](super) lists p, l, u, ε and s of each estimator. Classification problems are built in
//! [`arranged`](super::arranged); [`restrict`] turns C-SVC into ν-SVC.

use super::training::Tube;
use crate::Error;
use kern_core::Scalar;
use std::ops::Range;

/// Iterations of equal moves after which the remainder is moved one coefficient at a time.
const MOST_ROUNDS: usize = 64;

/// The equality constraints: sums of coefficients that stay fixed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Coupling {
    /// None: no intercept.
    Free,
    /// The sum of all coefficients.
    Sum,
    /// The sum of each of two groups; true for the variables of the second.
    Groups(Vec<bool>),
}

impl Coupling {
    /// The number of sums; 1 if there is no constraint.
    pub(super) fn sides(&self) -> usize {
        if matches!(self, Self::Groups(_)) { 2 } else { 1 }
    }

    /// The index of the sum that variable `v` belongs to.
    pub(super) fn side(&self, v: usize) -> usize {
        match self {
            Self::Groups(second) => usize::from(second[v]),
            _ => 0,
        }
    }
}

/// The meaning of the Lagrange multipliers of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// One multiplier: the intercept.
    Plain,
    /// Two multipliers, b + ρ and b − ρ; the function is scaled so that the margin ρ is 1.
    Margin,
    /// Two multipliers, b + ε and b − ε.
    Tube,
    /// One multiplier: (R² − ‖a‖²)/2 of the ball with centre a = Σβᵢφ(xᵢ) and radius R.
    Ball,
}

/// minimise ½βᵀKβ − pᵀβ + ε‖β‖₁ over l ≤ β ≤ u, with the sums of `coupling` fixed at those of
/// `start`.
#[derive(Clone, Debug)]
pub(super) struct Dual {
    /// The rows of the kernel matrix of the variables, in their order. A row may occur twice.
    pub(super) segments: Vec<Range<usize>>,
    /// p.
    pub(super) linear: Vec<f64>,
    /// l ≤ 0.
    pub(super) lower: Vec<f64>,
    /// u ≥ 0.
    pub(super) upper: Vec<f64>,
    /// ε.
    pub(super) epsilon: f64,
    pub(super) coupling: Coupling,
    pub(super) reading: Reading,
    /// A feasible β.
    pub(super) start: Vec<f64>,
}

impl Dual {
    /// The number of variables.
    pub(super) fn len(&self) -> usize {
        self.linear.len()
    }

    /// The row of the kernel matrix of each variable.
    pub(super) fn rows(&self) -> Vec<usize> {
        self.segments.iter().cloned().flatten().collect()
    }

    /// True without equality constraints.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.coupling, Coupling::Free)
    }

    /// True if a bound is infinite (hard margin).
    pub(super) fn is_hard(&self) -> bool {
        self.upper.iter().any(|u| u.is_infinite()) || self.lower.iter().any(|l| l.is_infinite())
    }

    /// Sets the linear term to ½K(x, x) of each row, as SVDD requires.
    pub(super) fn enclose(&mut self, diagonal: &[f64]) {
        let rows = self.rows().into_iter();
        self.linear = rows.map(|row| 0.5 * diagonal[row]).collect();
    }

    /// The offset that makes `rise` − g the gain per unit of raising β; −∞ at the upper bound.
    #[inline(always)]
    pub(super) fn rise(&self, v: usize, beta: f64) -> f64 {
        rise(beta, self.upper[v], self.epsilon)
    }

    /// The offset that makes g − `fall` the gain per unit of lowering β; +∞ at the lower bound.
    #[inline(always)]
    pub(super) fn fall(&self, v: usize, beta: f64) -> f64 {
        fall(beta, self.lower[v], self.epsilon)
    }
}

/// The segments of a problem with a variable for each of n rows.
pub(super) fn whole(n: usize) -> Vec<Range<usize>> {
    std::iter::once(0..n).collect()
}

/// [`Dual::rise`] of one variable.
#[inline(always)]
pub(super) fn rise(beta: f64, upper: f64, epsilon: f64) -> f64 {
    if beta >= upper {
        f64::NEG_INFINITY
    } else if beta >= 0.0 {
        -epsilon
    } else {
        epsilon
    }
}

/// [`Dual::fall`] of one variable.
#[inline(always)]
pub(super) fn fall(beta: f64, lower: f64, epsilon: f64) -> f64 {
    if beta <= lower {
        f64::INFINITY
    } else if beta > 0.0 {
        -epsilon
    } else {
        epsilon
    }
}

/// The bound of a coefficient: C times the weight of its point.
pub(super) fn bound(c: f64, weight: f64) -> Result<f64, Error> {
    let given = c * weight;
    if given.is_infinite() && c.is_finite() {
        return Err(Error::Range { what: "C times the weight of a point", given });
    }
    Ok(given)
}

/// The sum of all bounds, to which ν applies.
fn total<'b>(bounds: impl IntoIterator<Item = &'b f64>) -> Result<f64, Error> {
    let given: f64 = bounds.into_iter().map(|bound| bound.abs()).sum();
    let what = "the sum of C times the weights of the points";
    if given.is_finite() { Ok(given) } else { Err(Error::Range { what, given }) }
}

/// The dual of support vector regression on these targets, with weighted points.
pub(super) fn regression(
    values: Vec<f64>,
    weights: &[f64],
    c: f64,
    tube: Tube,
    intercept: bool,
) -> Result<Dual, Error> {
    let bounds = weights.iter().map(|&weight| bound(c, weight));
    let bounds = bounds.collect::<Result<Vec<f64>, Error>>()?;
    let n = values.len();
    let epsilon = match tube {
        Tube::Nu(nu) => {
            let share = nu * total(&bounds)?;
            return Ok(doubled(&values, &bounds, share));
        }
        Tube::Epsilon(epsilon) => epsilon,
        Tube::Quantile(_) => 0.0,
    };
    let (lower, upper) = bounds.into_iter().map(|c| tube.bounds(c)).unzip();
    Ok(Dual {
        segments: whole(n),
        linear: values,
        lower,
        upper,
        epsilon,
        coupling: if intercept { Coupling::Sum } else { Coupling::Free },
        reading: Reading::Plain,
        start: vec![0.0; n],
    })
}

/// The dual of ν-SVR: two variables per point, one for each sign; each sign has the sum ±νΣC/2.
fn doubled(values: &[f64], bounds: &[f64], share: f64) -> Dual {
    let n = values.len();
    let start = filled(bounds, 0.5 * share);
    let zeros = vec![0.0; n];
    let negative = |of: &[f64]| of.iter().map(|x| -x).collect::<Vec<f64>>();
    Dual {
        segments: vec![0..n, 0..n],
        linear: values.repeat(2),
        lower: [zeros.clone(), negative(bounds)].concat(),
        upper: [bounds.to_vec(), zeros].concat(),
        epsilon: 0.0,
        coupling: Coupling::Groups((0..2 * n).map(|v| v >= n).collect()),
        reading: Reading::Tube,
        start: [start.clone(), negative(&start)].concat(),
    }
}

/// The dual of the one-class SVM on rows with these weights.
pub(super) fn region(weights: &[f64], nu: f64) -> Result<Dual, Error> {
    let n = weights.len();
    Ok(Dual {
        segments: whole(n),
        linear: vec![0.0; n],
        start: filled(weights, nu * total(weights)?),
        lower: vec![0.0; n],
        upper: weights.to_vec(),
        epsilon: 0.0,
        coupling: Coupling::Sum,
        reading: Reading::Plain,
    })
}

/// The dual of SVDD on rows with these weights, without its linear term; see [`Dual::enclose`]. No
/// coefficient exceeds their sum, so a larger bound is reduced to 1: the ball is then hard.
pub(super) fn ball(weights: &[f64], nu: f64) -> Result<Dual, Error> {
    let share = nu * total(weights)?;
    let upper: Vec<f64> = weights.iter().map(|weight| (weight / share).min(1.0)).collect();
    Ok(Dual { start: filled(&upper, 1.0), upper, reading: Reading::Ball, ..region(weights, nu)? })
}

/// Turns the dual of C-SVC with C = 1 into that of ν-SVC: no linear term, and one sum per class.
pub(super) fn restrict(dual: &mut Dual, nu: f64) -> Result<(), Error> {
    let total = total(dual.lower.iter().chain(&dual.upper))?;
    let mut left = [0.5 * nu * total; 2];
    for v in 0..dual.len() {
        let positive = usize::from(dual.linear[v] > 0.0);
        let bound = if positive == 1 { dual.upper[v] } else { -dual.lower[v] };
        let part = left[positive].min(bound);
        left[positive] -= part;
        dual.start[v] = if positive == 1 { part } else { -part };
    }
    let short = left[0].max(left[1]);
    if short > f64::EPSILON * total {
        let largest = nu - 2.0 * short / total;
        return Err(Error::Nu { given: nu, largest });
    }
    dual.coupling = Coupling::Groups(dual.linear.iter().map(|&y| y > 0.0).collect());
    dual.reading = Reading::Margin;
    dual.linear.fill(0.0);
    Ok(())
}

/// Fills coefficients up to their bounds, in order, until they sum to `left`.
fn filled(bounds: &[f64], mut left: f64) -> Vec<f64> {
    let fill = |&bound: &f64| {
        let part = left.min(bound);
        left -= part;
        part
    };
    bounds.iter().map(fill).collect()
}

/// Warm start: takes the coefficients of the rows and moves them as little as the bounds and Σβ = 0
/// require. ν-SVC and ν-SVR keep their own start.
pub(super) fn start_at(dual: &mut Dual, beta: impl Fn(usize) -> f64) {
    let mut start: Vec<f64> = dual.rows().into_iter().map(beta).collect();
    match dual.coupling {
        Coupling::Free => {
            let bounds = dual.lower.iter().zip(&dual.upper);
            start.iter_mut().zip(bounds).for_each(|(b, (&l, &u))| *b = b.clamp(l, u));
        }
        Coupling::Sum => balance(&mut start, &dual.lower, &dual.upper, 0.0),
        Coupling::Groups(_) => return,
    }
    dual.start = start;
}

/// Moves β within its bounds until Σβ = `sum`: first the free non-zero coefficients, all by the
/// same amount as far as the bounds allow, then the others. Coefficients outside of their bounds
/// are clipped first.
pub(super) fn balance(beta: &mut [f64], lower: &[f64], upper: &[f64], sum: f64) {
    for ((b, &l), &u) in beta.iter_mut().zip(lower).zip(upper) {
        *b = b.clamp(l, u);
    }
    let free = |&v: &usize| beta[v] != 0.0 && beta[v] > lower[v] && beta[v] < upper[v];
    let (free, bound): (Vec<usize>, Vec<usize>) = (0..beta.len()).partition(free);
    spread(beta, lower, upper, free, sum);
    // A rounding error must not create support vectors.
    let left = sum - beta.iter().sum::<f64>();
    let size: f64 = beta.iter().map(|b| b.abs()).sum::<f64>() + sum.abs();
    if left.abs() > beta.len() as f64 * f64::EPSILON * size {
        spread(beta, lower, upper, bound, sum);
    }
}

/// Moves the coefficients of a group by equal amounts; after [`MOST_ROUNDS`] iterations, one at a
/// time.
fn spread(beta: &mut [f64], lower: &[f64], upper: &[f64], mut group: Vec<usize>, sum: f64) {
    let mut last = f64::INFINITY;
    for round in 0..=MOST_ROUNDS {
        let mut left = sum - beta.iter().sum::<f64>();
        let bound = if left > 0.0 { upper } else { lower };
        group.retain(|&v| bound[v] - beta[v] != 0.0);
        // A remainder due to rounding stops shrinking.
        if left == 0.0 || group.is_empty() || left.abs() >= last {
            return;
        }
        last = left.abs();
        let equal = left / group.len() as f64;
        for &v in &group {
            let before = beta[v];
            let share = if round < MOST_ROUNDS { equal } else { left };
            let reaches = (bound[v] - before).abs() <= share.abs();
            beta[v] = if reaches { bound[v] } else { before + share };
            left -= beta[v] - before;
        }
    }
}

/// Adds the coefficients of the variables, times `factor`, to those of their rows, in the type T.
pub(super) fn round_into<T: Scalar>(problem: &Dual, beta: &[f64], factor: f64, column: &mut [T]) {
    // A row may have two variables; one of them is zero at the optimum.
    for (row, beta) in problem.segments.iter().cloned().flatten().zip(beta) {
        column[row] += T::from_f64(beta * factor);
    }
}

/// The number of bounded coefficients: non-zero and at a bound.
pub(super) fn bounded(problem: &Dual, beta: &[f64]) -> usize {
    let bounds = problem.lower.iter().zip(&problem.upper);
    let at_bound = |&(&b, (&l, &u)): &(&f64, (&f64, &f64))| b != 0.0 && (b <= l || b >= u);
    beta.iter().zip(bounds).filter(at_bound).count()
}

#[cfg(test)]
mod tests {
    use super::balance;

    fn equal(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15)
    }

    #[test]
    fn free_coefficients_move_first_and_none_leaves_its_bounds() {
        let (lower, upper) = ([0.0, 0.0, -1.0, -1.0], [1.0, 1.0, 0.0, 0.0]);
        let mut beta = [0.5, 1.0, -0.25, 0.0];
        balance(&mut beta, &lower, &upper, 1.0);
        assert!(equal(&beta, &[0.375, 1.0, -0.375, 0.0]), "{beta:?}");
        balance(&mut beta, &lower, &upper, -1.5);
        assert!((beta.iter().sum::<f64>() + 1.5).abs() < 1e-15, "{beta:?}");
        assert!(beta.iter().zip(lower.iter().zip(&upper)).all(|(b, (l, u))| l <= b && b <= u));
        let mut outside = [7.0, 0.0, -9.0, 0.0];
        balance(&mut outside, &lower, &upper, 2.0);
        assert!(equal(&outside, &[1.0, 1.0, 0.0, 0.0]), "{outside:?}");
    }
}
