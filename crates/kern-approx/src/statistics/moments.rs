//! Logistic regression on features: duality gap and Newton step from sums over points.

use super::Error;
use faer::{Mat, MatRef};
use kern_core::memory::LargeMat;
use kern_gram::numerics::arithmetic::centre;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::zeros;

/// Sums over points at w and b.
#[derive(Clone, Copy, Debug)]
pub struct Moments<'s> {
    /// The number of points n.
    pub count: f64,
    /// The loss Σβ ln(1 + exp(−yf)).
    pub loss: f64,
    /// ρ = Σg and s = Σh.
    pub sums: [f64; 2],
    /// Zg and Zh: D × 2.
    pub moments: MatRef<'s, f64>,
    /// True if the intercept b is fitted.
    pub intercept: bool,
}

impl Moments<'_> {
    /// The objective J = loss/n + (λ/2)‖w‖².
    #[must_use]
    pub fn objective(&self, w: &[f64], lambda: f64) -> f64 {
        self.loss / self.count + 0.5 * lambda * w.iter().map(|w| w * w).sum::<f64>()
    }

    /// t = −ρ/s: the Newton step of b for fixed w.
    fn offset(&self) -> f64 {
        if !self.intercept || self.sums[0] == 0.0 {
            return 0.0;
        }
        -self.sums[0] / self.sums[1].max(f64::MIN_POSITIVE)
    }

    /// The residual r̃ = Zg + tZh + nλw.
    pub fn residual(&self, w: &[f64], lambda: f64) -> Result<Mat<f64>, Error> {
        let (t, shift) = (self.offset(), self.count * lambda);
        let mut r = zeros(w.len(), 1)?;
        for (i, r) in r.col_as_slice_mut(0).iter_mut().enumerate() {
            *r = self.moments[(i, 0)] + t * self.moments[(i, 1)] + shift * w[i];
        }
        Ok(r)
    }

    /// The duality gap ρ²/(ns) + ‖r̃‖²/(2n²λ), or J if that is smaller or the dual point is
    /// infeasible.
    #[must_use]
    pub fn gap(&self, w: &[f64], lambda: f64) -> f64 {
        let (t, shift, n) = (self.offset(), self.count * lambda, self.count);
        let entry = |i: usize| self.moments[(i, 0)] + t * self.moments[(i, 1)] + shift * w[i];
        let square: f64 = (0..w.len()).map(|i| entry(i).powi(2)).sum();
        let gap = -t * self.sums[0] / n + square / (2.0 * n * n * lambda);
        let most = self.objective(w, lambda);
        if t.abs() <= 1.0 { gap.min(most) } else { most }
    }

    /// The step of b that belongs to the step d of w.
    #[must_use]
    pub fn offset_of(&self, d: &[f64]) -> f64 {
        if !self.intercept {
            return 0.0;
        }
        let moved: f64 = d.iter().enumerate().map(|(i, d)| self.moments[(i, 1)] * d).sum();
        self.offset() - moved / self.sums[1].max(f64::MIN_POSITIVE)
    }

    /// n times the derivative of J along the step d of w and `change` of b.
    #[must_use]
    pub fn slope(&self, w: &[f64], lambda: f64, d: &[f64], change: f64) -> f64 {
        let shift = self.count * lambda;
        let along = |i: usize| (self.moments[(i, 0)] + shift * w[i]) * d[i];
        let of_b = if self.intercept { self.sums[0] * change } else { 0.0 };
        (0..w.len()).map(along).sum::<f64>() + of_b
    }

    /// Zh/s, zero without an intercept.
    #[must_use]
    pub fn mean(&self) -> Vec<f64> {
        let s = self.sums[1].max(f64::MIN_POSITIVE);
        let of = |h: &f64| if self.intercept { h / s } else { 0.0 };
        self.moments.col(1).iter().map(of).collect()
    }

    /// The Newton step d = −(ZHZᵀ − (Zh)(Zh)ᵀ/s + nλI)⁻¹r̃ and that of b; `hessian` is ZHZᵀ.
    pub fn newton_step(
        &self,
        mut hessian: LargeMat<f64>,
        w: &[f64],
        lambda: f64,
    ) -> Result<(Vec<f64>, f64), Error> {
        if self.intercept {
            centre(hessian.as_mut(), self.moments.subcols(1, 1), &self.mean());
        }
        let mut d = self.residual(w, lambda)?;
        d.col_as_slice_mut(0).iter_mut().for_each(|d| *d = -*d);
        Cholesky::new(hessian, self.count * lambda)?.solve_in_place(d.as_mut());
        let d = d.col_as_slice(0).to_vec();
        let change = self.offset_of(&d);
        Ok((d, change))
    }
}
