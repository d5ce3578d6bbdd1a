//! The dual of a problem on features, and the certificates of its solutions.

use super::super::dual_problem::{Dual, Reading};
use super::super::svm_certificate::{self, Certificate};
use crate::tolerance;
use kern_core::Scalar;

/// minimise ½‖Σβᵢφ(xᵢ)‖² + ½Σdᵢβᵢ² − pᵀβ + ε‖β‖₁ under the constraints of a [`Dual`].
pub(super) struct FeatureDual {
    pub(super) problem: Dual,
    /// d: zero for losses that grow linearly, 1/(2C) for their squares.
    pub(super) curvature: Vec<f64>,
}

impl FeatureDual {
    /// The problem as it is, or with squared losses Σ Cᵢξᵢ², whose coefficients have no bound but zero.
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

    /// The number that the coefficients sum to, if they are coupled.
    pub(super) fn target(&self) -> f64 {
        self.problem.start.iter().sum()
    }

    /// The evidence for β with weights w, of which `rounded` are handed out: these give the points of the variables the
    /// values f, each off by at most `blur`. The intercept is the mean over free variables, unless the midpoint of what the others leave, that of the least
    /// gap, or `intercept` makes the gap smaller; and it is handed out in the type T.
    pub(super) fn certify<T: Scalar>(
        &self,
        beta: &[f64],
        f: &[f64],
        w: &[f64],
        rounded: &[f64],
        intercept: f64,
        blur: f64,
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
        let found =
            Certificate { gap, primal, dual, violation, blur, scale, factor, intercept, width };
        if problem.reading != Reading::Ball {
            return found;
        }
        let unit = svm_certificate::unit::<T>(problem, beta, &gradient, &ranges);
        let energy: f64 = rounded.iter().map(|w| 0.5 * w * w).sum();
        Certificate { violation: violation / unit, ..found }.of_ball(energy, unit)
    }

    /// The evidence for a function that need not be Σβφ, by its own objective: `energy` is ½‖f‖², f its values without the
    /// intercept.
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
        let (blur, scale, factor, intercept) = (0.0, 1.0, 1.0, b);
        Certificate { gap, primal, dual, violation, blur, scale, factor, intercept, width }
    }

    /// f − p + dβ.
    fn gradient(&self, beta: &[f64], f: &[f64]) -> Vec<f64> {
        let terms = f.iter().zip(&self.problem.linear).zip(beta.iter().zip(&self.curvature));
        terms.map(|((f, p), (b, d))| f - p + d * b).collect()
    }

    /// The intercept that is handed out.
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
        // Where many intercepts are as good, that of the exact machines is taken.
        let margin = tolerance::SAME_GAP * value.abs();
        let better = |best: (f64, f64), b: f64| {
            let b = T::from_f64(b).to_f64();
            let gap = self.gap(beta, gradient, b);
            // Of what is no number the gap is none, and would be the least.
            if b.is_finite() && gap + margin < best.1 { (b, gap) } else { best }
        };
        candidates.into_iter().fold((0.0, f64::INFINITY), better).0
    }

    fn is_squared(&self) -> bool {
        self.curvature.iter().any(|&d| d != 0.0)
    }

    /// Primal minus dual objective with this intercept: a sum of terms that are at least 0 (Fenchel and Young).
    fn gap(&self, beta: &[f64], gradient: &[f64], intercept: f64) -> f64 {
        let slope = |v: usize| gradient[v] + intercept;
        (0..beta.len()).map(|v| self.gap_of(v, beta[v], slope(v))).sum()
    }

    /// The term of a variable in the gap, by its coefficient and the derivative of the smooth part.
    #[inline(always)]
    pub(super) fn gap_of(&self, v: usize, b: f64, slope: f64) -> f64 {
        let d = self.curvature[v];
        let residual = d * b - slope;
        let conjugate = self.problem.epsilon * b.abs() - residual * b + 0.5 * d * b * b;
        (self.loss(v, residual) + conjugate).max(0.0)
    }

    /// The sum of all losses with this intercept.
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

    /// The objective, of coefficients whose sum may be wrong yet.
    pub(super) fn objective(&self, beta: &[f64], w: &[f64]) -> f64 {
        let energy = 0.5 * f64::dot(w, w);
        let terms = beta.iter().zip(&self.problem.linear).zip(&self.curvature);
        let of = |((b, p), d): ((&f64, &f64), &f64)| {
            b * (0.5 * d * b - p) + self.problem.epsilon * b.abs()
        };
        energy + terms.map(of).sum::<f64>()
    }
}
