//! Logistic function, softplus and softmax, without overflow and cancellation.

use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// ln(1 + e^t) without overflow.
#[inline]
#[must_use]
pub fn softplus(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}

/// σ(t) = 1/(1 + e⁻ᵗ), and 1 − σ(t) without cancellation.
#[inline]
#[must_use]
pub fn sigmoid(t: f64) -> (f64, f64) {
    let e = (-t.abs()).exp();
    let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
    if t >= 0.0 { (large, small) } else { (small, large) }
}

/// The maximum of row i, and Σ_c exp(f_c − maximum).
pub fn log_sum<T: Scalar>(f: MatRef<'_, T>, i: usize) -> (f64, f64) {
    let row = || (0..f.ncols()).map(|c| f[(i, c)].to_f64());
    let largest = row().fold(f64::NEG_INFINITY, f64::max);
    (largest, row().map(|f| (f - largest).exp()).sum())
}

/// p ← exp f_c/Σ_k exp f_k, row by row.
pub fn softmax<T: Scalar>(f: MatRef<'_, T>, mut p: MatMut<'_, T>) {
    for i in 0..f.nrows() {
        let (largest, sum) = log_sum(f, i);
        for c in 0..f.ncols() {
            p[(i, c)] = T::from_f64((f[(i, c)].to_f64() - largest).exp() / sum);
        }
    }
}
