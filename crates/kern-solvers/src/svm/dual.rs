//! The dual problem, of which every support vector machine is an instance.

use super::solver::Solution;
use std::ops::Range;

/// The sums that coefficients keep.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Coupling {
    /// None: a machine without intercept.
    Free,
    /// The one of all.
    Sum,
    /// One of each of two groups; true for the variables of the second.
    Groups(Vec<bool>),
}

impl Coupling {
    /// The number of sums that are kept, and one for none.
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

/// The meaning of the multipliers of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The only one is the intercept.
    Plain,
    /// Two, b + ρ and b − ρ, and the function is scaled so that the margin ρ is 1.
    Margin,
    /// Two, b + ε and b − ε.
    Tube,
    /// The only one is (R² − ‖a‖²)/2 of the ball with the centre a = Σβᵢφ(xᵢ) and the radius R.
    Ball,
}

/// minimise ½βᵀKβ − pᵀβ + ε‖β‖₁ over l ≤ β ≤ u, with the sums of `coupling` fixed at those of `start`.
#[derive(Clone, Debug)]
pub(super) struct Dual {
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

    /// True if nothing couples the variables.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.coupling, Coupling::Free)
    }

    /// True if a bound is infinite.
    pub(super) fn is_hard(&self) -> bool {
        self.upper.iter().any(|u| u.is_infinite()) || self.lower.iter().any(|l| l.is_infinite())
    }

    /// Takes ½K(x, x) of each row for the linear term: that of the ball around the rows.
    pub(super) fn enclose(&mut self, diagonal: &[f64]) {
        let rows = self.rows().into_iter();
        self.linear = rows.map(|row| 0.5 * diagonal[row]).collect();
    }

    /// Starts from the solution of the same problem with other bounds, scaled by what is best of all that is feasible: where
    /// no coefficient was at its bound, wider ones change nothing.
    pub(super) fn start_from(&mut self, solution: &Solution) {
        let bounds = self.lower.iter().zip(&self.upper);
        let reach = |(&beta, (&l, &u)): (&f64, (&f64, &f64))| match beta {
            b if b > 0.0 => u / b,
            b if b < 0.0 => l / b,
            _ => f64::INFINITY,
        };
        let feasible = solution.beta.iter().zip(bounds).map(reach).fold(f64::INFINITY, f64::min);
        let terms = solution.beta.iter().zip(&self.linear);
        let linear: f64 = terms.map(|(beta, p)| p * beta - self.epsilon * beta.abs()).sum();
        // The dual objective of s·β is s·linear − ½s²·βᵀKβ.
        let energy = 2.0 * (linear - solution.certificate.dual);
        let ratio = (linear / energy).min(feasible);
        if !(ratio.is_finite() && ratio > 0.0) {
            return;
        }
        let bounds = self.lower.iter().zip(&self.upper);
        let scaled = solution.beta.iter().zip(bounds).map(|(b, (l, u))| (b * ratio).clamp(*l, *u));
        self.start = scaled.collect();
    }

    /// The number that makes −g the gain of raising β; −∞ if it cannot be raised.
    #[inline(always)]
    pub(super) fn rise(&self, v: usize, beta: f64) -> f64 {
        rise(beta, self.upper[v], self.epsilon)
    }

    /// The number that makes −g the loss of lowering β; +∞ if it cannot be lowered.
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
