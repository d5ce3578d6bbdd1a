//! The price of landmarks: the duality gap of the problem on the kernel itself.
//!
//! The dual point a = βr/(nλ) of the residuals r, with Σa = 0 if there is an intercept, is that of the landmarks'
//! solution. With [`certificate`](super::certificate)'s dual objective D, for a function f of norm ‖f‖:
//!
//! J(f) − D(a) = Σᵢ (βᵢrᵢ − nλaᵢ)²/(nβᵢ) + λ(‖f‖² − 2aᵀf + aᵀKa).
//!
//! Of aᵀKa = aᵀf + Σᵢ aᵢ((Ka)ᵢ − fᵢ) the sum is estimated from some rows: its terms are small where landmarks do well.

use super::fit::Task;
use crate::model::{Decision, KernelExpansion};
use crate::{Error, Excess};
use faer::Mat;
use kern_approx::landmarks::preconditioner::sample;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::inner;
use kern_gram::{CrossGram, zeros};

/// The estimate for a function on landmarks from `size` rows of K.
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

/// a, and Σ(βr − nλa)²/(nβ); the intercepts are taken from the fitted values.
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
