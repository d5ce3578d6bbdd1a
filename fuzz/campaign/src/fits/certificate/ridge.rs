//! Ridge regression: J = (1/n) Σ βᵢ(yᵢ − f(xᵢ) − b)² + λ‖f‖².
//!
//! A dual point a has J − D(a) = Σᵢ (βᵢrᵢ − nλaᵢ)²/(nβᵢ) + λ‖f − Σaᵢφ(xᵢ)‖², where Σa = 0 if there is an intercept. Of equal
//! points only the sum A of the coefficients is known; spread over them as is best, their terms are
//! (Σβᵢrᵢ − nλA)²/(nΣβᵢ). With an intercept, Σα = δ is what rounding leaves, and A − δΣβᵢ/Σβ is taken. An error eᵢ of f(xᵢ) moves
//! the root of the first sum by at most √(Σβᵢeᵢ²/n).

use super::exact::quad;
use super::span::Span;
use super::{Given, Verdict};
use kern_core::Scalar;
use qd::Quad;

/// The relative gap of direct solvers, which have no tolerance, and of those whose tolerance is not given.
const SOLVED: f64 = 1e-6;

/// The relative rounding of the verdict itself.
const SLACK: f64 = 1.0 + 1e-6;

pub(super) fn verdict<T: Scalar>(given: &Given<'_, T>, span: &Span, b: f64) -> Option<Verdict> {
    let lambda = given.real("lambda")?;
    let n = given.problem.values.len() as f64;
    let factor = quad(n) * quad(lambda);
    let total: f64 = (0..given.problem.values.len()).map(|i| given.weight(i)).sum();
    let excess = match given.flag("intercept") {
        true => span.groups.iter().fold(quad(0.0), |sum, group| sum + group.coefficient),
        false => quad(0.0),
    };
    let (mut loss, mut gap, mut moved) = (quad(0.0), quad(0.0), 0.0);
    let mut shifts: Vec<Quad> = Vec::new();
    for group in &span.groups {
        let (mut residuals, mut weights) = (quad(0.0), 0.0);
        let mut error = 0.0;
        for &i in &group.members {
            let (weight, y) = (given.weight(i), given.target(i));
            let residual = quad(y) - group.value - quad(b);
            residuals += quad(weight) * residual;
            loss += quad(weight) * residual * residual;
            weights += weight;
            error += weight
                * (group.error + 8.0 * f64::EPSILON * (y.abs() + group.value.0.abs() + b.abs()))
                    .powi(2);
        }
        if weights <= 0.0 {
            shifts.push(quad(0.0));
            continue;
        }
        let shift = excess * quad(weights) / quad(total);
        let a = group.coefficient - shift;
        let term = residuals - factor * a;
        gap += term * term / (quad(n) * quad(weights));
        let own = 8.0 * f64::EPSILON * (factor.0 * a.0).abs();
        moved += error / n + own * own / (n * weights);
        shifts.push(shift);
    }
    gap += quad(lambda) * span.product(&shifts, &shifts);
    let objective = (loss / quad(n) + quad(lambda) * span.energy()).0;
    let tolerance = given.real("tolerance").unwrap_or(0.0).max(SOLVED);
    let with = |base: f64| (base.max(0.0).sqrt() + moved.sqrt()).powi(2) * SLACK;
    Some(Verdict {
        gap: gap.0,
        objective,
        reported: with(given.report.gap.unwrap_or(f64::INFINITY)),
        solved: with(tolerance * objective),
    })
}
