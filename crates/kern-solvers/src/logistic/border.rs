//! The intercepts b of logistic regression, which the penalty does not see.
//!
//! With 1 the matrix that repeats b for every point, ρ = 1ᵀg and S = 1ᵀW1 (outputs × outputs), Newton's equations
//! for (α, b) are nλd + W(Kd + 1δ) = −(g + nλα) and 1ᵀW(Kd + 1δ) = −ρ. Without δ = −S⁻¹(ρ + 1ᵀWKd) they are
//!
//! (nλI + W̃K)d = −(g + nλα − W1S⁻¹ρ), W̃ = W − W1S⁻¹1ᵀW.
//!
//! The functions of a multinomial problem can all be shifted by the same number, S1 = 0; the shift whose
//! entries sum to zero is taken.

use super::likelihood::Likelihood;
use crate::Error;
use faer::linalg::solvers::Solve;
use faer::{Mat, MatMut, MatRef, Side};
use kern_core::Scalar;
use kern_gram::zeros;

/// S, factorised, if there is an intercept.
pub(super) struct Border {
    /// S, or without its last row and column if S1 = 0.
    factor: Option<faer::linalg::solvers::Ldlt<f64>>,
    outputs: usize,
}

impl Border {
    /// The border of the curvature at these probabilities.
    pub(super) fn new<T: Scalar>(
        likelihood: &dyn Likelihood<T>,
        p: MatRef<'_, T>,
        intercept: bool,
    ) -> Result<Self, Error> {
        let outputs = likelihood.outputs();
        if !intercept {
            return Ok(Self { factor: None, outputs });
        }
        let size = outputs.saturating_sub(1).max(1);
        let mut s = zeros::<f64>(size, size)?;
        let (mut unit, mut column) =
            (zeros::<T>(p.nrows(), outputs)?, zeros::<T>(p.nrows(), outputs)?);
        for c in 0..size {
            unit.col_mut(c).fill(T::ONE);
            likelihood.curve(p, unit.as_ref(), column.as_mut());
            unit.col_mut(c).fill(T::ZERO);
            let sums = column_sums(column.as_ref());
            (0..size).for_each(|k| s[(k, c)] = sums[k]);
        }
        // Positive where all probabilities are 0 or 1 to rounding, too; u² of the weight is no bias elsewhere.
        let floor = T::UNIT_ROUNDOFF * T::UNIT_ROUNDOFF * likelihood.weight();
        (0..size).for_each(|c| s[(c, c)] += floor);
        let factor = s
            .ldlt(Side::Lower)
            .map_err(|_| Error::NotPositiveDefinite { shift: floor, pivot: 0 })?;
        Ok(Self { factor: Some(factor), outputs })
    }

    /// Tells whether there is an intercept.
    pub(super) fn exists(&self) -> bool {
        self.factor.is_some()
    }

    /// S⁻¹v, its entries summing to zero if S1 = 0; zero without an intercept.
    pub(super) fn solve(&self, v: &[f64]) -> Result<Vec<f64>, Error> {
        let Some(factor) = &self.factor else { return Ok(vec![0.0; v.len()]) };
        let size = self.outputs.saturating_sub(1).max(1);
        let mut x = zeros::<f64>(size, 1)?;
        x.col_as_slice_mut(0).copy_from_slice(&v[..size]);
        factor.solve_in_place(x.as_mut());
        let mut out = x.col_as_slice(0).to_vec();
        if self.outputs > 1 {
            out.push(0.0);
            let mean = out.iter().sum::<f64>() / out.len() as f64;
            out.iter_mut().for_each(|t| *t -= mean);
        }
        Ok(out)
    }

    /// out ← W̃v, and S⁻¹1ᵀWv.
    pub(super) fn curve<T: Scalar>(
        &self,
        likelihood: &dyn Likelihood<T>,
        p: MatRef<'_, T>,
        v: MatRef<'_, T>,
        mut out: MatMut<'_, T>,
    ) -> Result<Vec<f64>, Error> {
        likelihood.curve(p, v, out.as_mut());
        if self.factor.is_none() {
            return Ok(vec![0.0; self.outputs]);
        }
        let mean = self.solve(&column_sums(out.as_ref()))?;
        let mut centred = zeros(v.nrows(), v.ncols())?;
        centred.copy_from(v);
        shift(&mut centred, -1.0, &mean);
        likelihood.curve(p, centred.as_ref(), out);
        Ok(mean)
    }
}

/// Σᵢ vᵢ of each column.
pub(super) fn column_sums<T: Scalar>(v: MatRef<'_, T>) -> Vec<f64> {
    v.col_iter().map(|column| column.iter().map(|v| v.to_f64()).sum()).collect()
}

/// v ← v + c·1b.
pub(super) fn shift<T: Scalar>(v: &mut Mat<T>, c: f64, b: &[f64]) {
    for (column, b) in v.col_iter_mut().zip(b) {
        let b = c * b;
        column.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() + b));
    }
}
