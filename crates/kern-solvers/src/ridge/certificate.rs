//! The duality gap of ridge regression.
//!
//! With a dual point a, Σa = 0 if there is an intercept, the dual objective is
//! D(a) = 2λaᵀy − λaᵀKa − nλ²Σᵢaᵢ²/βᵢ, and for f = Kα, r = y − f − b:
//!
//! J(α, b) − D(a) = Σᵢ (βᵢrᵢ − nλaᵢ)²/(nβᵢ) + λ(α − a)ᵀK(α − a).
//!
//! Without an intercept a = α. With one, rounding leaves a small δ = Σα, so a = α − δβ/Σβ, and the last
//! term is at most λδ²·max Kᵢᵢ.

use crate::design::Design;
use crate::{Report, Status};
use faer::MatRef;
use kern_core::{Kernel, Points, Scalar};

/// A solution, and kernel values that do not come from the factorisation.
pub(super) struct Candidate<'c, T: Scalar> {
    pub(super) alpha: MatRef<'c, T>,
    pub(super) fitted: MatRef<'c, T>,
    pub(super) intercepts: &'c [T],
    pub(super) diagonal: &'c [T],
}

/// The objective J and its duality gap, summed over outputs.
pub(super) fn certify<P: Points, K: Kernel<P>>(
    design: &Design<'_, P, K>,
    lambda: f64,
    candidate: &Candidate<'_, P::Scalar>,
    y: MatRef<'_, P::Scalar>,
) -> Report {
    let Candidate { alpha, fitted, intercepts, diagonal } = candidate;
    let n = design.count() as f64;
    let rows = 0..design.points().len();
    let weights: f64 = rows.clone().map(|i| design.weight(i)).sum();
    let (mut loss, mut norm, mut gap) = (0.0, 0.0, 0.0);
    for j in 0..y.ncols() {
        let excess = if design.intercept {
            rows.clone().map(|i| alpha[(i, j)].to_f64()).sum::<f64>()
        } else {
            0.0
        };
        for i in rows.clone() {
            let (weight, a, f) =
                (design.weight(i), alpha[(i, j)].to_f64(), fitted[(i, j)].to_f64());
            let residual = y[(design.index(i), j)].to_f64() - f - intercepts[j].to_f64();
            loss += weight * residual * residual / n;
            norm += a * f;
            let dual = a - excess * weight / weights;
            gap += (weight * residual - n * lambda * dual).powi(2) / (n * weight);
        }
        let greatest = diagonal.iter().map(|k| k.to_f64()).fold(0.0, f64::max);
        gap += lambda * excess * excess * greatest;
    }
    let objective = loss + lambda * norm;
    Report { status: Status::Converged, iterations: 1, objective, gap: Some(gap) }
}
