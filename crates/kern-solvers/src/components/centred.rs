//! Gram matrices of weighted and centred points.

use crate::Error;
use crate::design::Design;
use faer::{Mat, MatMut, MatRef};
use kern_core::{Points, Scalar};
use kern_gram::{GramOperator, zeros};

/// G = S(I − 1pᵀ)K(I − p1ᵀ)S with S = diag(√β) and p = β/W.
pub(super) struct Centred<'c, T: Scalar> {
    gram: &'c dyn GramOperator<T>,
    /// √β, unless all are 1.
    roots: Option<&'c [T]>,
    /// p.
    shares: Vec<f64>,
    /// W.
    pub(super) weight: f64,
}

impl<'c, T: Scalar> Centred<'c, T> {
    pub(super) fn new<P: Points<Scalar = T>>(
        gram: &'c dyn GramOperator<T>,
        design: &'c Design<'_, P, ()>,
    ) -> Self {
        let n = gram.size();
        let weight: f64 = (0..n).map(|i| design.weight(i)).sum();
        let shares = (0..n).map(|i| design.weight(i) / weight).collect();
        Self { gram, roots: design.roots(), shares, weight }
    }

    /// Kp.
    pub(super) fn means(&self) -> Result<Vec<f64>, Error> {
        let n = self.gram.size();
        let (mut p, mut means) = (zeros(n, 1)?, zeros(n, 1)?);
        let shares = p.col_as_slice_mut(0).iter_mut().zip(&self.shares);
        shares.for_each(|(p, &share)| *p = T::from_f64(share));
        self.gram.apply_into(p.as_ref(), means.as_mut())?;
        Ok(means.col(0).iter().map(|mean| mean.to_f64()).collect())
    }

    /// p.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// tr G.
    pub(super) fn trace(&self, means: &[f64]) -> f64 {
        let pairs = self.gram.diag().into_iter().zip(&self.shares);
        let own: f64 = pairs.map(|(k, share)| share * k.to_f64()).sum();
        let mean: f64 = means.iter().zip(&self.shares).map(|(mean, share)| mean * share).sum();
        self.weight * (own - mean).max(0.0)
    }

    /// V ← (I − p1ᵀ)SV: coefficients of points from those of centred ones.
    pub(super) fn spread(&self, v: &mut Mat<T>) {
        for column in v.as_mut().col_iter_mut() {
            let mut column: Vec<&mut T> = column.iter_mut().collect();
            let mut sum = 0.0;
            for (i, value) in column.iter_mut().enumerate() {
                if let Some(roots) = self.roots {
                    **value *= roots[i];
                }
                sum += value.to_f64();
            }
            for (value, share) in column.into_iter().zip(&self.shares) {
                *value -= T::from_f64(share * sum);
            }
        }
    }

    /// GV.
    pub(super) fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        let mut spread: Mat<T> = zeros(v.nrows(), v.ncols())?;
        spread.copy_from(v);
        self.spread(&mut spread);
        self.gram.apply_into(spread.as_ref(), out.as_mut())?;
        for column in out.col_iter_mut() {
            let mean: f64 =
                column.as_ref().iter().zip(&self.shares).map(|(v, share)| share * v.to_f64()).sum();
            let mean = T::from_f64(mean);
            for (i, value) in column.iter_mut().enumerate() {
                *value -= mean;
                if let Some(roots) = self.roots {
                    *value *= roots[i];
                }
            }
        }
        Ok(())
    }
}
