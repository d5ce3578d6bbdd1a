//! A binary problem or a regression on features, and how far a solution is from its optimum.

use super::super::certificate::{self, Certificate};
use super::super::problem::Problem;
use crate::tolerance;

/// minimise ½‖Σβᵢφ(xᵢ)‖² + ½Σdᵢβᵢ² − pᵀβ + ε‖β‖₁ under the constraints of a [`Problem`].
pub(in crate::svm) struct Task {
    pub(in crate::svm) problem: Problem,
    /// d: zero for losses that grow linearly, 1/(2C) for their squares.
    pub(super) curvature: Vec<f64>,
}

impl Task {
    /// The problem as it is, or with squared losses Σ Cᵢξᵢ², whose coefficients have no bound but zero.
    pub(in crate::svm) fn new(mut problem: Problem, squared: bool) -> Self {
        let mut curvature = vec![0.0; problem.len()];
        if squared {
            let bounds = problem.lower.iter_mut().zip(&mut problem.upper);
            for (d, (l, u)) in curvature.iter_mut().zip(bounds) {
                let c = u.max(-*l);
                if c > 0.0 {
                    *d = 0.5 / c;
                    *l = if *l < 0.0 { f64::NEG_INFINITY } else { 0.0 };
                    *u = if *u > 0.0 { f64::INFINITY } else { 0.0 };
                }
            }
        }
        Self { problem, curvature }
    }

    /// The evidence for β, whose values Σⱼβⱼ⟨φ(xⱼ), φ(xᵢ)⟩ of its variables are f. The bias is the mean
    /// over free variables, unless the midpoint of what the others leave, or `bias`, makes the gap smaller.
    pub(super) fn certify(&self, beta: &[f64], f: &[f64], bias: f64) -> Certificate {
        let Self { problem, curvature } = self;
        let terms = f.iter().zip(&problem.linear).zip(beta.iter().zip(curvature));
        let gradient: Vec<f64> = terms.map(|((f, p), (b, d))| f - p + d * b).collect();
        let ranges = certificate::ranges(problem, beta, &gradient);
        let (value, _) = certificate::objective(problem, beta, &gradient);
        let middle = if problem.is_free() { 0.0 } else { ranges[0].midpoint() };
        let mean = certificate::biases(problem, beta, &gradient, vec![middle])[0];
        let candidates = if problem.is_free() { vec![0.0] } else { vec![mean, middle, bias] };
        let gap_at = |b: f64| self.gap(beta, &gradient, b);
        // Where many biases are as good, that of the exact machines is taken.
        let margin = tolerance::SAME_GAP * value.abs();
        let better = |best: (f64, f64), b: f64| {
            let gap = gap_at(b);
            if gap + margin < best.1 { (b, gap) } else { best }
        };
        let first = (candidates[0], gap_at(candidates[0]));
        let (bias, gap) = candidates[1..].iter().copied().fold(first, better);
        let violation = certificate::violation(problem, &ranges);
        Certificate { primal: gap - value, dual: -value, gap, violation, biases: vec![bias] }
    }

    /// Primal minus dual objective with this bias: a sum of terms that are at least 0 (Fenchel and Young).
    fn gap(&self, beta: &[f64], gradient: &[f64], bias: f64) -> f64 {
        let Self { problem, curvature } = self;
        if curvature.iter().all(|&d| d == 0.0) {
            return certificate::soft_gap(problem, beta, gradient, &[bias]);
        }
        let term = |v: usize| {
            let (b, d) = (beta[v], curvature[v]);
            if d == 0.0 {
                return 0.0;
            }
            let residual = d * b - gradient[v] - bias;
            let above = if problem.upper[v] > 0.0 { residual - problem.epsilon } else { 0.0 };
            let below = if problem.lower[v] < 0.0 { -residual - problem.epsilon } else { 0.0 };
            let excess = above.max(below).max(0.0);
            let conjugate = problem.epsilon * b.abs() - residual * b + 0.5 * d * b * b;
            (0.5 / d * excess * excess + conjugate).max(0.0)
        };
        (0..beta.len()).map(term).sum()
    }

    /// The objective, of coefficients whose sum may be wrong yet.
    pub(super) fn objective(&self, beta: &[f64], w: &[f64]) -> f64 {
        let energy: f64 = w.iter().map(|w| 0.5 * w * w).sum();
        let terms = beta.iter().zip(&self.problem.linear).zip(&self.curvature);
        let of = |((b, p), d): ((&f64, &f64), &f64)| {
            b.mul_add(0.5 * d * b - p, self.problem.epsilon * b.abs())
        };
        energy + terms.map(of).sum::<f64>()
    }
}
