//! The duality gap of ridge regression.
//!
//! With a dual point a, Σa = 0 if there is an intercept, the dual objective is
//! D(a) = 2λaᵀy − λaᵀKa − nλ²Σᵢaᵢ²/βᵢ, and for f = Kα, r = y − f − b:
//!
//! J(α, b) − D(a) = Σᵢ (βᵢrᵢ − nλaᵢ)²/(nβᵢ) + λ(α − a)ᵀK(α − a).
//!
//! Without an intercept a = α. With one, rounding leaves a small δ = Σα, so a = α − δβ/Σβ, and the
//! last term is at most λδ²·max Kᵢᵢ.
//!
//! Independent rounding errors of the kernel values change fᵢ by about u·max Kᵢᵢ·‖α‖. The first sum
//! is the square of a norm; the gap includes the amount by which these errors may increase that
//! norm.
//!
//! # Excess on landmarks
//! For a function on landmarks, the excess is the duality gap of the problem on the kernel itself.
//! The dual point is a = βr/(nλ) for the residuals r of the landmarks' solution, with Σa = 0 if
//! there is an intercept. For a function f of norm ‖f‖:
//!
//! J(f) − D(a) = Σᵢ (βᵢrᵢ − nλaᵢ)²/(nβᵢ) + λ(‖f‖² − 2aᵀf + aᵀKa).
//!
//! In aᵀKa = aᵀf + Σᵢ aᵢ((Ka)ᵢ − fᵢ), the sum is estimated from a sample of rows. Its terms are
//! small where the landmarks approximate well.

use super::ridge_regression::Task;
use crate::design::Design;
use crate::model::{Decision, KernelExpansion};
use crate::{Error, Excess, Report, Status, tolerance};
use faer::{Mat, MatRef};
use kern_approx::landmarks::falkon_preconditioner::sample;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::inner;
use kern_gram::{CrossGram, zeros};

/// A solution, with fitted values and a diagonal that do not come from the factorisation.
pub(super) struct Candidate<'c, T: Scalar, F: Scalar = T> {
    pub(super) alpha: MatRef<'c, T>,
    pub(super) fitted: MatRef<'c, F>,
    pub(super) intercepts: &'c [T],
    pub(super) diagonal: &'c [T],
}

/// The data of the problem.
pub(super) struct Given<'g> {
    /// The number of points, including those of weight zero that are left out.
    pub(super) count: usize,
    /// The number of points that are used.
    pub(super) used: usize,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    /// βᵢ of these points; the coefficient of a point of weight zero must be zero.
    pub(super) weight: &'g dyn Fn(usize) -> f64,
    /// yᵢ of these points, for each output.
    pub(super) target: &'g dyn Fn(usize, usize) -> f64,
}

/// The certificate of a design.
pub(super) fn certify<P: Points, K: Kernel<P> + ?Sized>(
    design: &Design<'_, P, K>,
    lambda: f64,
    candidate: &Candidate<'_, P::Scalar>,
    y: MatRef<'_, P::Scalar>,
) -> Report {
    let given = Given {
        count: design.count(),
        used: design.points().len(),
        lambda,
        intercept: design.intercept,
        weight: &|i| design.weight(i),
        target: &|i, j| y[(design.index(i), j)].to_f64(),
    };
    certificate(&given, candidate)
}

/// The objective J and its duality gap, summed over outputs.
pub(super) fn certificate<T: Scalar, F: Scalar>(
    given: &Given<'_>,
    candidate: &Candidate<'_, T, F>,
) -> Report {
    let Candidate { alpha, fitted, intercepts, diagonal } = candidate;
    let (n, lambda, rows) = (given.count as f64, given.lambda, 0..given.used);
    let weights: f64 = rows.clone().map(given.weight).sum();
    let (mut loss, mut norm, mut gap) = (0.0, 0.0, 0.0);
    for (j, b) in intercepts.iter().enumerate() {
        let excess = if given.intercept {
            rows.clone().map(|i| alpha[(i, j)].to_f64()).sum::<f64>()
        } else {
            0.0
        };
        let (mut misfit, mut squares) = (0.0, 0.0);
        for i in rows.clone() {
            let (weight, a, f) =
                ((given.weight)(i), alpha[(i, j)].to_f64(), fitted[(i, j)].to_f64());
            if weight == 0.0 {
                continue;
            }
            let residual = (given.target)(i, j) - f - b.to_f64();
            loss += weight * residual * residual / n;
            norm += a * f;
            squares += a * a;
            let dual = a - excess * weight / weights;
            misfit += (weight * residual - n * lambda * dual).powi(2) / (n * weight);
        }
        let largest = diagonal.iter().map(|k| k.to_f64()).fold(0.0, f64::max);
        let rounding_error = F::UNIT_ROUNDOFF * largest * squares.sqrt() * (weights / n).sqrt();
        gap += (misfit.sqrt() + rounding_error).powi(2) + lambda * excess * excess * largest;
    }
    let objective = loss + lambda * norm;
    Report::new(Status::Converged, 1, objective, Some(gap)).within(tolerance::EXACT_GAP)
}

/// The estimated excess of a function on landmarks, from `size` rows of K.
///
/// # Complexity
/// n·m and size·n kernel values.
pub(super) fn excess<P, K>(
    function: &KernelExpansion<P, K>,
    task: &Task<'_, P>,
    size: usize,
) -> Result<Excess, Error>
where
    P: Points,
    K: Kernel<P>,
{
    let (points, n, outputs) = (task.points, task.points.len(), task.targets.ncols());
    let landmarks = CrossGram::new(function.kernel(), function.points(), function.points())?;
    let own = landmarks.apply(function.coefficients())?;
    let norm = inner(function.coefficients(), own.as_ref());
    let mut fitted = function.decide(points)?;
    let (dual, moved) = dual_point(function, task, &mut fitted)?;
    let indices = sample(n, size.min(n), task.settings.seed);
    let rows = CrossGram::new(function.kernel(), &points.select(&indices)?, points)?
        .apply(dual.as_ref())?;
    let term = |(row, &i): (usize, &usize)| -> f64 {
        let at = |k| dual[(i, k)].to_f64() * (rows[(row, k)] - fitted[(i, k)]).to_f64();
        (0..outputs).map(at).sum()
    };
    let terms: Vec<f64> = indices.iter().enumerate().map(term).collect();
    let (count, drawn) = (n as f64, terms.len() as f64);
    let mean = terms.iter().sum::<f64>() / drawn;
    let squares: f64 = terms.iter().map(|term| (term - mean).powi(2)).sum();
    let variance = squares / (drawn - 1.0).max(1.0) / drawn * (1.0 - drawn / count);
    let cross = inner(dual.as_ref(), fitted.as_ref());
    let estimate = moved + task.lambda * (norm - cross + count * mean);
    Ok(Excess::new(estimate, task.lambda * count * variance.sqrt(), terms.len()))
}

/// a, and Σ(βr − nλa)²/(nβ); subtracts the intercepts from the fitted values.
fn dual_point<P: Points, K: Kernel<P>>(
    function: &KernelExpansion<P, K>,
    task: &Task<'_, P>,
    fitted: &mut Mat<P::Scalar>,
) -> Result<(Mat<P::Scalar>, f64), Error> {
    let n = task.points.len();
    let weight = |i: usize| task.weights.map_or(1.0, |weights| weights[i]);
    let (shift, total) = (n as f64 * task.lambda, (0..n).map(weight).sum::<f64>());
    let (mut dual, mut moved) = (zeros(n, fitted.ncols())?, 0.0);
    for (k, &b) in function.intercepts().iter().enumerate() {
        let residual =
            |i: usize| weight(i) * (task.targets[(i, k)].to_f64() - fitted[(i, k)].to_f64());
        let sum: f64 = (0..n).map(residual).sum();
        let excess = if task.settings.intercept { sum / total } else { 0.0 };
        moved += excess * excess * total / n as f64;
        for i in 0..n {
            dual[(i, k)] = P::Scalar::from_f64((residual(i) - excess * weight(i)) / shift);
        }
        fitted.col_as_slice_mut(k).iter_mut().for_each(|f| *f -= b);
    }
    Ok((dual, moved))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    #![allow(clippy::float_cmp, reason = "equal bits are meant")]

    use super::*;
    use crate::ridge::ridge_regression::Settings;
    use faer::mat;
    use kern_core::Samples;
    use kern_core::kernels::Linear;

    /// Reference values by the formula of this module, from Python's `decimal` with 40 digits.
    /// Coefficients that do not sum to 0, weights, an unused point and fitted values in single
    /// precision make every term of the gap count.
    #[test]
    fn every_term_of_the_gap_counts() {
        let (weights, targets) = ([1.0, 2.0, 0.5], [1.0, -0.5, 0.75]);
        let (alpha, fitted) = (mat![[0.5_f64], [-0.25], [1.0]], mat![[0.25_f32], [0.375], [-0.75]]);
        let gap = |intercept: bool| {
            let given = Given {
                count: 4,
                used: 3,
                lambda: 0.125,
                intercept,
                weight: &|i| weights[i],
                target: &|i, _| targets[i],
            };
            let candidate = Candidate {
                alpha: alpha.as_ref(),
                fitted: fitted.as_ref(),
                intercepts: &[0.0625],
                diagonal: &[1.0, 3.0, 2.0],
            };
            let report = certificate(&given, &candidate);
            assert!((report.objective - 0.726_074_218_75).abs() < 1e-15);
            report.gap.unwrap_or(f64::NAN)
        };
        assert!((gap(true) - 0.970_773_117_215_421_3).abs() < 1e-14);
        assert!((gap(false) - 0.454_590_102_151_459_94).abs() < 1e-14);
    }

    /// G = J(f) − D(a) on the kernel itself, from explicit matrices; from a part of the rows, the
    /// mean and its standard error by the textbook's formulas.
    #[test]
    fn the_excess_of_a_function_on_landmarks_is_that_of_explicit_matrices() {
        const N: usize = 6;
        let lambda = 0.25;
        let rows = [[1.0, 0.5], [-0.5, 2.0], [0.25, -1.0], [2.0, 1.0], [-1.5, 0.0], [0.5, 0.75]];
        let points = Samples::from_rows(&rows).unwrap();
        let landmarks = points.select(&[0, 3]).unwrap();
        let targets = Mat::from_fn(N, 2, |i, k| (i as f64 - 2.0) * (1.0 + k as f64) - 0.5);
        let coefficients = mat![[0.5_f64, 0.25], [-0.25, 1.0]];
        let weights = [1.0, 2.0, 0.5, 1.5, 1.0, 3.0];
        let dot = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
        for (intercept, weighted) in [(false, false), (true, false), (true, true)] {
            let b = if intercept { [0.125, -0.5] } else { [0.0; 2] };
            let function = KernelExpansion::new(Linear, &landmarks, coefficients.as_ref()).unwrap();
            let function = function.with_intercepts(b.to_vec());
            let settings = Settings { intercept, seed: 3, ..Settings::default() };
            let task = Task {
                settings: &settings,
                lambda,
                points: &points,
                targets: targets.as_ref(),
                weights: weighted.then_some(&weights),
            };
            let weight = |i: usize| if weighted { weights[i] } else { 1.0 };
            let shift = N as f64 * lambda;
            let (mut exact, mut terms) = (0.0, [0.0; N]);
            for k in 0..2 {
                // w = Σ αⱼlⱼ.
                let w = [0, 1]
                    .map(|c| coefficients[(0, k)] * rows[0][c] + coefficients[(1, k)] * rows[3][c]);
                let f = rows.map(|x| dot(w, x));
                let residual = |i: usize| targets[(i, k)] - f[i] - b[k];
                let total: f64 = (0..N).map(weight).sum();
                let sum: f64 = (0..N).map(|i| weight(i) * residual(i)).sum();
                let excess = if intercept { sum / total } else { 0.0 };
                let a = |i: usize| weight(i) * (residual(i) - excess) / shift;
                let ka = |i: usize| (0..N).map(|j| dot(rows[i], rows[j]) * a(j)).sum::<f64>();
                let misfit = |i: usize| {
                    (weight(i) * residual(i) - shift * a(i)).powi(2) / (N as f64 * weight(i))
                };
                let norm: f64 =
                    dot(w, w) + (0..N).map(|i| a(i) * (ka(i) - 2.0 * f[i])).sum::<f64>();
                exact += (0..N).map(misfit).sum::<f64>() + lambda * norm;
                (0..N).for_each(|i| terms[i] += a(i) * (ka(i) - f[i]));
            }
            let close = |given: f64, expected: f64| {
                assert!((given - expected).abs() < 1e-12, "{given} and not {expected}");
            };
            let all = super::excess(&function, &task, N + 1).unwrap();
            close(all.estimate, exact);
            assert_eq!((all.standard_error, all.sampled), (0.0, N));

            let drawn = sample(N, 4, 3).into_iter().map(|i| terms[i]).collect::<Vec<_>>();
            let mean = (drawn[0] + drawn[1] + drawn[2] + drawn[3]) / 4.0;
            let whole = (0..N).map(|i| terms[i]).sum::<f64>();
            let variance =
                drawn.iter().map(|term| (term - mean) * (term - mean)).sum::<f64>() / 3.0;
            let some = super::excess(&function, &task, 4).unwrap();
            close(some.estimate, exact + lambda * (N as f64 * mean - whole));
            // Two of six rows are left out.
            close(some.standard_error, lambda * N as f64 * (variance / 4.0 * (2.0 / 6.0)).sqrt());
            assert_eq!(some.sampled, 4);

            // One row has no variance.
            let one = super::excess(&function, &task, 1).unwrap();
            assert_eq!((one.standard_error, one.sampled), (0.0, 1));
        }
    }
}
