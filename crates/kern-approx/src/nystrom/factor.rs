//! The inverse root of the landmarks' Gram matrix, always in double precision.

use crate::{Error, tolerance};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::{Mat, Par, Spec};
use kern_core::Scalar;

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
    pub(super) fn new(gram: &Mat<T>, rank: usize) -> Result<Self, Error> {
        let m = gram.nrows();
        let (values, vectors) = eigenpairs(gram)?;
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
        let projection = Mat::from_fn(m, kept, |i, k| {
            T::from_f64(vectors[(i, m - 1 - k)] / eigenvalues[k].sqrt())
        });
        Ok(Self { eigenvalues, projection })
    }
}

/// All eigenvalues in ascending order, and their vectors.
fn eigenpairs<T: Scalar>(gram: &Mat<T>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let m = gram.nrows();
    let failed = Error::NoConvergence { size: m };
    let wide = Mat::from_fn(m, m, |i, j| gram[(i, j)].to_f64());
    let (mut values, mut vectors) = (Diag::zeros(m), Mat::zeros(m, m));
    let params = Spec::<SelfAdjointEvdParams, f64>::default();
    // With several threads faer adds in an order that depends on their number; the same landmarks
    // have to give the same bits.
    let par = Par::Seq;
    let need = self_adjoint_evd_scratch::<f64>(m, ComputeEigenvectors::Yes, par, params);
    let mut memory = MemBuffer::try_new(need).map_err(|_| failed.clone())?;
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(wide.as_ref(), values.as_mut(), Some(vectors.as_mut()), par, stack, params)
        .map_err(|_| failed)?;
    Ok((values.column_vector().iter().copied().collect(), vectors))
}
