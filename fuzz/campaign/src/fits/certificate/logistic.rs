//! Logistic regression of two classes: J = (1/n) Σ βᵢ ln(1 + exp(−yᵢ(f(xᵢ) + b))) + (λ/2)‖f‖².
//!
//! With gᵢ the derivative of the loss of point i and r = g + nλα, the gap is rᵀKr/(2n²λ) without an intercept. With one, g is
//! moved by −Wρ/S, where ρ = Σg and S = ΣW is the sum of the curvatures, and the gap is at most ρ²/(nS) more. An error eᵢ of
//! f(xᵢ) moves gᵢ by at most βᵢeᵢ/4, and so the root of the gap by the norm of that over √(2n²λ); rounding of rᵀKr itself
//! adds to the gap.

use super::exact::quad;
use super::span::Span;
use super::{Given, Verdict};
use kern_core::Scalar;

/// The relative rounding of the verdict itself.
const SLACK: f64 = 1.0 + 1e-6;

pub(super) fn verdict<T: Scalar>(given: &Given<'_, T>, span: &Span, b: f64) -> Option<Verdict> {
    let (lambda, tolerance) = (given.real("lambda")?, given.real("tolerance")?);
    let n = given.problem.labels.len() as f64;
    let (mut loss, mut rho, mut curvature) = (0.0, 0.0, 0.0);
    let mut points = Vec::new();
    for (a, group) in span.groups.iter().enumerate() {
        for &i in &group.members {
            let (weight, y) = (given.weight(i), given.target(i));
            let f = (group.value + quad(b)).0;
            let wrong = 1.0 / (1.0 + (y * f).exp());
            let slope = -y * weight * wrong;
            let bend = weight * wrong * (1.0 - wrong);
            loss += weight * ((-(y * f).abs()).exp().ln_1p() + (-y * f).max(0.0));
            rho += slope;
            curvature += bend;
            let rounding = 16.0 * f64::EPSILON * (1.0 + f.abs()) + group.error / 4.0;
            points.push((a, slope, bend, weight * rounding.min(1.0)));
        }
    }
    let step = if given.flag("intercept") { rho / curvature } else { 0.0 };
    if !step.is_finite() || step.abs() > 1.0 {
        return None;
    }
    let factor = quad(n) * quad(lambda);
    let mut r: Vec<_> = span.groups.iter().map(|group| factor * group.coefficient).collect();
    let mut moved: Vec<f64> = r.iter().map(|r| 8.0 * f64::EPSILON * r.0.abs()).collect();
    for &(a, slope, bend, rounding) in &points {
        r[a] += quad(slope - bend * step);
        moved[a] += 2.0 * rounding;
    }
    let scale = 2.0 * n * n * lambda;
    let objective = loss / n + 0.5 * lambda * span.energy().0;
    let off: f64 = moved.iter().sum();
    let (mut gap, mut error) = (span.product(&r, &r).0 / scale, span.product_error(&r) / scale);
    if given.flag("intercept") {
        gap += rho * step / n;
        error += (2.0 * rho.abs() + off) * off / (n * curvature);
    }
    let norm = span.norm_bound(&moved) / scale.sqrt();
    let with = |base: f64| ((base.max(0.0).sqrt() + norm).powi(2) + error) * SLACK;
    let reported = with(given.report.gap.unwrap_or(f64::INFINITY));
    Some(Verdict { gap, objective, reported, solved: with(tolerance * objective) })
}
