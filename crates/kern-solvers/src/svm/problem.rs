//! The dual problem that all support vector machines are an instance of.

use super::feature::balance;
use super::solver::Solution;
use crate::Error;
use crate::labels::{check_length, check_targets};
use faer::MatRef;
use std::ops::Range;

/// What the coefficients sum to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Coupling {
    /// Nothing couples them: a machine without bias.
    Free,
    /// All of them keep their sum.
    Sum,
    /// Those of each of two groups keep their sum; says of each variable whether it is in the second.
    Groups(Vec<bool>),
}

impl Coupling {
    /// How many sums are kept, and one for none.
    pub(super) fn sides(&self) -> usize {
        if matches!(self, Self::Groups(_)) { 2 } else { 1 }
    }

    /// The sum that a variable belongs to.
    pub(super) fn side(&self, v: usize) -> usize {
        match self {
            Self::Groups(second) => usize::from(second[v]),
            _ => 0,
        }
    }
}

/// minimise ½βᵀKβ − pᵀβ + ε‖β‖₁ over l ≤ β ≤ u, with the sums of `coupling` fixed at those of `start`.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The rows of the kernel matrix that the variables belong to, in their order. A row may occur twice.
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
    /// A feasible β.
    pub(super) start: Vec<f64>,
}

impl Problem {
    /// The number of variables.
    pub(super) fn len(&self) -> usize {
        self.linear.len()
    }

    /// The row of the kernel matrix of each variable.
    pub(super) fn rows(&self) -> Vec<usize> {
        self.segments.iter().cloned().flatten().collect()
    }

    /// Whether nothing couples the variables.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.coupling, Coupling::Free)
    }

    /// Whether a bound is infinite.
    pub(super) fn is_hard(&self) -> bool {
        self.upper.iter().any(|u| u.is_infinite()) || self.lower.iter().any(|l| l.is_infinite())
    }

    /// Starts from the solution of the same problem with another C, unless the ratio overflows.
    pub(super) fn start_from(&mut self, solution: &Solution, from: f64, to: f64) {
        let ratio = match (from.is_finite(), to.is_finite()) {
            (true, true) => to / from,
            (_, false) => 1.0,
            (false, true) => return,
        };
        if !ratio.is_finite() {
            return;
        }
        let bounds = self.lower.iter().zip(&self.upper);
        let scaled = solution.beta.iter().zip(bounds).map(|(b, (l, u))| (b * ratio).clamp(*l, *u));
        self.start = scaled.collect();
    }

    /// Starts from coefficients of the rows, moved as little as their bounds and the sum, which is zero, ask for.
    pub(super) fn start_at(&mut self, beta: impl Fn(usize) -> f64) {
        let mut start: Vec<f64> = self.rows().into_iter().map(beta).collect();
        if self.is_free() {
            let bounds = self.lower.iter().zip(&self.upper);
            start.iter_mut().zip(bounds).for_each(|(b, (&l, &u))| *b = b.clamp(l, u));
        } else {
            balance(&mut start, &self.lower, &self.upper, 0.0);
        }
        self.start = start;
    }

    /// What is added to −g to make it the gain of raising β: −∞ if it cannot be.
    #[inline(always)]
    pub(super) fn rise(&self, v: usize, beta: f64) -> f64 {
        rise(beta, self.upper[v], self.epsilon)
    }

    /// What is added to −g to make it the loss of lowering β: +∞ if it cannot be.
    #[inline(always)]
    pub(super) fn fall(&self, v: usize, beta: f64) -> f64 {
        fall(beta, self.lower[v], self.epsilon)
    }
}

/// Refuses starts of another shape than points × functions, or with values that are not finite.
pub(super) fn check_start(
    start: MatRef<'_, f64>,
    (n, functions): (usize, usize),
) -> Result<(), Error> {
    check_length("coefficients to start from", n, start.nrows())?;
    check_targets(n, start)?;
    if start.ncols() == functions {
        return Ok(());
    }
    let (name, allowed) = ("columns of the start", "one for each function");
    Err(Error::Count { name, given: start.ncols(), allowed })
}

/// The segments of a problem with a variable for each of n rows.
pub(super) fn whole(n: usize) -> Vec<Range<usize>> {
    std::iter::once(0..n).collect()
}

/// [`Problem::rise`] of one variable.
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

/// [`Problem::fall`] of one variable.
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
