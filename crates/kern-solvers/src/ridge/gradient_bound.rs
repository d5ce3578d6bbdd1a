//! A bound on the distance of the objective of ridge regression on features from its minimum.
//!
//! J is quadratic, and with the optimal b for each w it is strongly convex in w with constant 2λ.
//! With r = y − Zᵀw − b, ρ = βᵀr, which is zero for the optimal b, and half the gradient
//! g = λw − (ZBr − ρs/W)/n,
//!
//! J(w, b) − min J ≤ ‖g‖²/λ + ρ²/(nW).
//!
//! Without an intercept, the terms in ρ are dropped (Boyd & Vandenberghe 2004, (9.9), for ‖∇‖²/2m
//! with m = 2λ).

use crate::model::{FeatureExpansion, panel_values};
use crate::{Error, Report, Status, tolerance};
use faer::{Mat, MatRef};
use kern_approx::statistics::{NormalEquations, Observed, Panels, add_products};
use kern_core::feature_map::{Fold, Folded};
use kern_core::memory::converted;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, zeros};

/// The problem that is minimised.
#[derive(Clone, Copy)]
pub(super) struct Problem {
    pub(super) lambda: f64,
    pub(super) intercept: bool,
}

/// Sums over the residuals of a function.
pub(super) struct Residuals {
    /// Σβr², over all outputs.
    pub(super) loss: f64,
    /// ρ, for each output.
    pub(super) sums: Vec<f64>,
    /// s, then ZBr: D × (1 + outputs).
    pub(super) moments: Mat<f64>,
    /// n and W.
    pub(super) count: f64,
    pub(super) weight: f64,
}

impl Residuals {
    /// The report for these weights.
    pub(super) fn report(&self, weights: MatRef<'_, f64>, problem: Problem) -> Report {
        let Problem { lambda, intercept } = problem;
        let (mut norm, mut gap) = (0.0, 0.0);
        for (k, &sum) in self.sums.iter().enumerate() {
            let excess = if intercept { sum / self.weight } else { 0.0 };
            gap += excess * excess * self.weight / self.count;
            for i in 0..weights.nrows() {
                let w = weights[(i, k)];
                let pull = self.moments[(i, 1 + k)] - excess * self.moments[(i, 0)];
                norm += w * w;
                gap += (lambda * w - pull / self.count).powi(2) / lambda;
            }
        }
        let objective = self.loss / self.count + lambda * norm;
        Report::new(Status::Converged, 1, objective, Some(gap))
    }
}

/// The report of a function on points, from features computed afresh.
pub(super) fn certify_points<P, M>(
    model: &FeatureExpansion<M, P::Scalar>,
    points: &P,
    observed: &Observed<'_, P::Scalar>,
    problem: Problem,
    budget: &MemoryBudget,
) -> Result<Report, Error>
where
    P: Points,
    M: FeatureMap<P>,
{
    let outputs = observed.outputs();
    // In the same way as predictions.
    let Folded { inner: map, fold } = Folded::of(model.map());
    let coefficients = fold.unfold(model.weights())?;
    let mut found = Residuals {
        loss: 0.0,
        sums: vec![0.0; outputs],
        moments: zeros(map.dim(), 1 + outputs)?,
        count: points.len() as f64,
        weight: (0..points.len()).map(|i| observed.weight(i)).sum(),
    };
    Panels::new(&*map, points, budget)?.for_each(|range, z| {
        let mut right = zeros(range.len(), 1 + outputs)?;
        panel_values(coefficients.as_ref(), z.as_ref(), right.as_mut().subcols_mut(1, outputs));
        for (row, i) in range.enumerate() {
            let weight = observed.weight(i);
            right[(row, 0)] = P::Scalar::from_f64(weight);
            for k in 0..outputs {
                let f = right[(row, 1 + k)] + model.intercepts()[k];
                let residual = observed.targets()[(i, k)].to_f64() - f.to_f64();
                found.loss += weight * residual * residual;
                found.sums[k] += weight * residual;
                right[(row, 1 + k)] = P::Scalar::from_f64(weight * residual);
            }
        }
        add_products(found.moments.as_mut(), z.as_ref(), right.as_ref());
        Ok(())
    })?;
    found.moments = Fold::of(model.map())?.features(found.moments)?;
    let weights: Mat<f64> = converted(model.weights())?;
    Ok(found.report(weights.as_ref(), problem).within(tolerance::EXACT_GAP))
}

/// The report of a solution w and b, from the sums that it was computed from.
///
/// The squared residuals are a difference of sums, which rounding can make slightly negative; they
/// count as zero then.
pub(super) fn certify_sums(
    sums: &NormalEquations,
    problem: Problem,
    w: MatRef<'_, f64>,
    b: &[f64],
) -> Report {
    let (moments, targets) = (sums.moments(), sums.target_moments());
    let mut pulls = moments.to_owned();
    let (mut loss, mut rho) = (0.0, Vec::with_capacity(b.len()));
    for (k, &b) in b.iter().enumerate() {
        let products = symmetric_product(sums.gram(), w, k);
        let dot = |a: usize| -> f64 { (0..w.nrows()).map(|i| moments[(i, a)] * w[(i, k)]).sum() };
        let square: f64 = products.iter().enumerate().map(|(i, v)| v * w[(i, k)]).sum();
        let (sw, yw) = (dot(0), dot(1 + k));
        // Σβ(y − f)² with f = wᵀz + b.
        let cross = yw + b * targets[(k, 0)];
        let squares = square + b * (2.0 * sw + b * sums.weight());
        loss += (targets[(k, 1)] - (cross + cross - squares)).max(0.0);
        rho.push(targets[(k, 0)] - sw - b * sums.weight());
        for (i, v) in products.iter().enumerate() {
            pulls[(i, 1 + k)] -= v + b * moments[(i, 0)];
        }
    }
    let (count, weight) = (sums.count() as f64, sums.weight());
    let found = Residuals { loss, sums: rho, moments: pulls, count, weight };
    found.report(w, problem).within(tolerance::EXACT_GAP)
}

/// A·v for column k of v, from the lower triangle of A.
fn symmetric_product(lower: MatRef<'_, f64>, v: MatRef<'_, f64>, k: usize) -> Vec<f64> {
    let n = v.nrows();
    let mut out = vec![0.0; n];
    for j in 0..n {
        let mut sum = lower[(j, j)] * v[(j, k)];
        for i in j + 1..n {
            sum += lower[(i, j)] * v[(i, k)];
            out[i] += lower[(i, j)] * v[(j, k)];
        }
        out[j] += sum;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;
    use kern_approx::statistics::Fingerprint;
    use kern_core::{Identity, Samples};

    /// Reference values by the formula of this module, from Python's `decimal` with 40 digits, for
    /// a function far from the optimum.
    #[test]
    fn every_term_of_the_bound_counts() {
        let weights = mat![[0.25], [-2.0]];
        let report = |intercept: bool| {
            let found = Residuals {
                loss: 2.5,
                sums: vec![0.75],
                moments: mat![[0.5, 1.25], [-1.5, 0.375]],
                count: 4.0,
                weight: 3.5,
            };
            found.report(weights.as_ref(), Problem { lambda: 0.125, intercept })
        };
        for (intercept, bound) in [(true, 1.997_130_102_040_816_3), (false, 1.578_125)] {
            let report = report(intercept);
            assert!((report.objective - 1.132_812_5).abs() < 1e-15);
            assert!(report.gap.is_some_and(|gap| (gap - bound).abs() < 1e-14));
        }
    }

    /// Sums and points give the same report for any function, not only for the optimum.
    #[test]
    fn sums_and_points_agree_on_any_function() -> Result<(), Error> {
        let rows = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.5], [-2.0, 1.0, 0.75], [0.0, 3.0, 1.0]];
        let x = Samples::from_rows(&rows)?;
        let y = mat![[1.0, -2.0], [0.5, 0.25], [-1.5, 3.0], [2.0, 0.125]];
        let (map, budget) = (Identity::new(3), MemoryBudget::mebibytes(16));
        let observed = Observed::new(y.as_ref()).weights(&[1.0, 0.5, 2.0, 0.0]);
        let mut sums = NormalEquations::new(3, 2, Fingerprint::of(&"points")?, &budget)?;
        sums.absorb(&map, &x, &observed, &budget)?;
        for intercepts in [vec![0.0, 0.0], vec![0.75, -1.25]] {
            let weights = mat![[0.3, -0.7], [1.1, 0.4], [-0.2, 0.9]];
            let problem = Problem { lambda: 0.1, intercept: intercepts[0] != 0.0 };
            let by_sums = certify_sums(&sums, problem, weights.as_ref(), &intercepts);
            let model = FeatureExpansion::new(map, weights).with_intercepts(intercepts);
            let by_points = certify_points(&model, &x, &observed, problem, &budget)?;
            let apart = |a: f64, b: f64| (a - b).abs() / b;
            assert!(apart(by_sums.objective, by_points.objective) < 1e-13);
            let gaps = by_sums.gap.zip(by_points.gap);
            assert!(gaps.is_some_and(|(sums, points)| apart(sums, points) < 1e-13));
            assert_eq!(by_sums.status, Status::Stalled);
        }
        Ok(())
    }
}
