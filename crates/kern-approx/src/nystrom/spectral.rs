//! The inverse root of the landmarks' Gram matrix by its eigenvalues.

use crate::{Error, tolerance};
use faer::Mat;
use kern_core::{Scalar, symmetric_eigen};
use kern_gram::zeros;

/// The greatest eigenvalues of G̃, and U·Λ^{−1/2} for them.
pub(super) struct InverseRoot<T> {
    /// Kept eigenvalues, the greatest first.
    pub(super) eigenvalues: Vec<f64>,
    /// m × D.
    pub(super) projection: Mat<T>,
}

impl<T: Scalar> InverseRoot<T> {
    /// At most `rank` eigenpairs of `gram`, those above the cut of
    /// [`tolerance::eigenvalue_cut`].
    pub(super) fn new(gram: Mat<f64>, rank: usize) -> Result<Self, Error> {
        let m = gram.nrows();
        let pairs = symmetric_eigen(gram.as_ref());
        drop(gram);
        let (values, vectors) = pairs.ok_or(Error::NoConvergence { size: m })?;
        let (smallest, greatest) = (values[0], values[m - 1]);
        let u = T::UNIT_ROUNDOFF;
        let allowed = -tolerance::NOT_PSD * m as f64 * u * greatest.abs();
        if smallest < allowed {
            return Err(Error::NotPsd { eigenvalue: smallest, allowed });
        }
        let cut = tolerance::eigenvalue_cut(m, u) * greatest;
        let kept = values.iter().rev().take(rank).take_while(|&&v| v > cut && v > 0.0).count();
        if kept == 0 {
            return Err(Error::NoPositiveEigenvalue { greatest });
        }
        let eigenvalues: Vec<f64> = values.iter().rev().take(kept).copied().collect();
        let mut projection = zeros(m, kept)?;
        for (k, value) in eigenvalues.iter().enumerate() {
            for (to, &from) in
                projection.col_as_slice_mut(k).iter_mut().zip(vectors.col_as_slice(m - 1 - k))
            {
                *to = T::from_f64(from / value.sqrt());
            }
        }
        Ok(Self { eigenvalues, projection })
    }
}
