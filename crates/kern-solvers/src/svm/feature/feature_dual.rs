//! The dual problem on features, and certificates of its solutions.

use super::super::dual_problem::{Dual, Reading};
use super::super::svm_certificate::{self, Certificate};
use crate::tolerance;
use kern_core::Scalar;

/// minimise ½‖Σβᵢφ(xᵢ)‖² + ½Σdᵢβᵢ² − pᵀβ + ε‖β‖₁ under the constraints of a [`Dual`].
pub(super) struct FeatureDual {
    pub(super) problem: Dual,
    /// d: 0 for linear losses, 1/(2C) for squared losses.
    pub(super) curvature: Vec<f64>,
}

impl FeatureDual {
    /// The problem with linear losses, or with squared losses Σ Cᵢξᵢ², for which 0 is the only
    /// finite bound of a coefficient.
    pub(super) fn new(mut problem: Dual, squared: bool) -> Self {
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

    /// The required sum of coupled coefficients.
    pub(super) fn target(&self) -> f64 {
        self.problem.start.iter().sum()
    }

    /// The certificate for β with weights w, returned as `rounded`, which give the values f at the
    /// points of the variables, each with an error of at most `rounding_error`. The intercept is
    /// the mean over free variables, unless the midpoint of the allowed range, the minimiser of the
    /// gap, or `intercept` gives a smaller gap; it is rounded to the type T.
    pub(super) fn certify<T: Scalar>(
        &self,
        beta: &[f64],
        f: &[f64],
        w: &[f64],
        rounded: &[f64],
        intercept: f64,
        rounding_error: f64,
    ) -> Certificate {
        let Self { problem, .. } = self;
        let gradient = self.gradient(beta, f);
        let ranges = svm_certificate::ranges(problem, beta, &gradient);
        let value = self.objective(beta, w);
        let apart: f64 = w.iter().zip(rounded).map(|(w, r)| 0.5 * (w - r) * (w - r)).sum();
        let b = self.intercept::<T>(beta, &gradient, intercept, value);
        let gap = self.gap(beta, &gradient, b) + apart;
        let violation = svm_certificate::violation(problem, &ranges);
        let width = (problem.epsilon > 0.0).then_some(problem.epsilon);
        let (primal, dual, scale, factor) = (gap - value, -value, 1.0, 1.0);
        let intercept = b;
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
        if problem.reading != Reading::Ball {
            return found;
        }
        let unit = svm_certificate::unit::<T>(problem, beta, &gradient, &ranges);
        let energy: f64 = rounded.iter().map(|w| 0.5 * w * w).sum();
        Certificate { violation: violation / unit, ..found }.of_ball(energy, unit)
    }

    /// The certificate for a function that need not be Σβφ, from its own objective: `energy` is
    /// ½‖f‖², and f are its values without intercept.
    pub(super) fn certify_other<T: Scalar>(
        &self,
        beta: &[f64],
        dual: f64,
        f: &[f64],
        energy: f64,
        intercept: f64,
    ) -> Certificate {
        let Self { problem, .. } = self;
        let gradient = self.gradient(beta, f);
        let ranges = svm_certificate::ranges(problem, beta, &gradient);
        let b = self.intercept::<T>(beta, &gradient, intercept, dual);
        let primal = energy + b * self.target() + self.losses(beta, &gradient, b);
        let violation = svm_certificate::violation(problem, &ranges);
        let width = (problem.epsilon > 0.0).then_some(problem.epsilon);
        let gap = (primal - dual).max(0.0);
        let (rounding_error, scale, factor, intercept) = (0.0, 1.0, 1.0, b);
        Certificate {
            gap,
            primal,
            dual,
            violation,
            rounding_error,
            scale,
            factor,
            intercept,
            width,
        }
    }

    /// f − p + dβ.
    fn gradient(&self, beta: &[f64], f: &[f64]) -> Vec<f64> {
        let terms = f.iter().zip(&self.problem.linear).zip(beta.iter().zip(&self.curvature));
        terms.map(|((f, p), (b, d))| f - p + d * b).collect()
    }

    /// The returned intercept.
    fn intercept<T: Scalar>(&self, beta: &[f64], gradient: &[f64], other: f64, value: f64) -> f64 {
        let problem = &self.problem;
        if problem.is_free() {
            return 0.0;
        }
        let ranges = svm_certificate::ranges(problem, beta, gradient);
        let middle = ranges[0].midpoint();
        let mean = svm_certificate::means(problem, beta, gradient, vec![middle])[0];
        let mut candidates = vec![mean, middle, other];
        if !self.is_squared() {
            candidates.extend(svm_certificate::minimisers(problem, beta, gradient, &ranges));
        }
        // If several intercepts are equally good, that of the solvers on a kernel is taken.
        let margin = tolerance::SAME_GAP * value.abs();
        let better = |best: (f64, f64), b: f64| {
            let b = T::from_f64(b).to_f64();
            let gap = self.gap(beta, gradient, b);
            // A non-finite intercept would give a gap of 0, because `max` drops NaN.
            if b.is_finite() && gap + margin < best.1 { (b, gap) } else { best }
        };
        candidates.into_iter().fold((0.0, f64::INFINITY), better).0
    }

    fn is_squared(&self) -> bool {
        self.curvature.iter().any(|&d| d != 0.0)
    }

    /// The duality gap for this intercept: a sum of terms that are at least 0 (Fenchel and Young).
    fn gap(&self, beta: &[f64], gradient: &[f64], intercept: f64) -> f64 {
        let slope = |v: usize| gradient[v] + intercept;
        (0..beta.len()).map(|v| self.gap_of(v, beta[v], slope(v))).sum()
    }

    /// The gap term of a variable, from its coefficient and the derivative of the smooth part.
    #[inline(always)]
    pub(super) fn gap_of(&self, v: usize, b: f64, slope: f64) -> f64 {
        let d = self.curvature[v];
        let residual = d * b - slope;
        let conjugate = self.problem.epsilon * b.abs() - residual * b + 0.5 * d * b * b;
        (self.loss(v, residual) + conjugate).max(0.0)
    }

    /// The sum of the losses for this intercept.
    fn losses(&self, beta: &[f64], gradient: &[f64], intercept: f64) -> f64 {
        let residual = |v: usize| self.curvature[v] * beta[v] - gradient[v] - intercept;
        (0..beta.len()).map(|v| self.loss(v, residual(v))).sum()
    }

    /// The loss of a residual p − f − b.
    #[inline(always)]
    fn loss(&self, v: usize, residual: f64) -> f64 {
        let Self { problem, curvature } = self;
        let above = (residual - problem.epsilon).max(0.0);
        let below = (-residual - problem.epsilon).max(0.0);
        if curvature[v] == 0.0 {
            return (problem.upper[v] * above).max(-problem.lower[v] * below);
        }
        let above = if problem.upper[v] > 0.0 { above } else { 0.0 };
        let below = if problem.lower[v] < 0.0 { below } else { 0.0 };
        let excess = above.max(below);
        0.5 / curvature[v] * excess * excess
    }

    /// The dual objective (to minimise); the sum of the coefficients need not be right yet.
    pub(super) fn objective(&self, beta: &[f64], w: &[f64]) -> f64 {
        let energy = 0.5 * f64::dot(w, w);
        let terms = beta.iter().zip(&self.problem.linear).zip(&self.curvature);
        let of = |((b, p), d): ((&f64, &f64), &f64)| {
            b * (0.5 * d * b - p) + self.problem.epsilon * b.abs()
        };
        energy + terms.map(of).sum::<f64>()
    }
}
