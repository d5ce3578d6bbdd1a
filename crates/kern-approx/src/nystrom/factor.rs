//! The inverse root of the landmarks' Gram matrix, always in double precision.

use crate::{Error, tolerance};
use faer::Mat;
use kern_core::{Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{DenseGram, GramOperator, matrix_bytes, zeros};

/// The greatest eigenvalues of G̃, and U·Λ^{−1/2} for them.
pub(super) struct InverseRoot<T> {
    /// Kept eigenvalues, the greatest first.
    pub(super) eigenvalues: Vec<f64>,
    /// m × D.
    pub(super) projection: Mat<T>,
}

impl<T: Scalar> InverseRoot<T> {
    /// The memory that it takes, the Gram matrix of the m landmarks included: the copy in double
    /// precision stands beside that matrix first, and then beside the eigenvectors and their
    /// workspace. In the end it makes room for the projection.
    pub(super) fn bytes(m: usize) -> u64 {
        let gram = matrix_bytes::<T>(m, m);
        matrix_bytes::<f64>(m, m).saturating_add(gram.max(symmetric_eigen_bytes(m)))
    }

    /// At most `rank` eigenpairs of `gram`, those above the cut of
    /// [`tolerance::eigenvalue_cut`].
    pub(super) fn new(gram: DenseGram<T>, rank: usize) -> Result<Self, Error> {
        let m = gram.size();
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

/// All eigenvalues in ascending order, and their vectors.
fn eigenpairs<T: Scalar>(gram: DenseGram<T>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let m = gram.size();
    let mut wide = zeros::<f64>(m, m)?;
    for j in 0..m {
        for (to, from) in wide.col_as_slice_mut(j).iter_mut().zip(gram.as_mat().col(j).iter()) {
            *to = from.to_f64();
        }
    }
    drop(gram);
    symmetric_eigen(wide.as_ref()).ok_or(Error::NoConvergence { size: m })
}
