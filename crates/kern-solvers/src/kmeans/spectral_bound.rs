//! A lower bound of the k-means objective from the eigenvalues of the weighted kernel matrix.

use super::weighted_gram::{Columns, WeightedGram};
use crate::Error;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par, Spec};
use kern_core::Scalar;
use kern_core::products::clear_registers;
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

/// The effect of rounding on the sum of the k greatest eigenvalues of an n × n matrix, relative to the greatest: n
/// units for each, the backward error of a tridiagonal reduction in practice (Higham 2002, section 28.3, has n² in
/// theory).
fn eigenvalue_sum(n: usize, k: usize) -> f64 {
    (n * k) as f64 * f64::UNIT_ROUNDOFF
}

/// The lower bound tr M − Σ_{j≤k} λⱼ(M) for M = W^½KW^½, at least 0.
///
/// J = tr M − tr YᵀMY for a matrix Y with k orthonormal columns, and tr YᵀMY is largest for the
/// eigenvectors of the k largest eigenvalues (Ky Fan). A bound on the rounding error of these is
/// subtracted.
pub(super) fn lower_bound<T: Scalar>(
    gram: &WeightedGram<'_, T>,
    budget: &MemoryBudget,
) -> Result<f64, Error> {
    let (n, k) = (gram.size(), gram.k);
    let request =
        self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::No, Par::Seq, Spec::default());
    let bytes = matrix_bytes::<f64>(n, n).saturating_add(request.size_bytes() as u64);
    budget.require("the eigenvalues of the kernel matrix", bytes, "leave out the lower bound")?;
    let matrix = weighted(gram.columns, gram.weights)?;
    let mut values = Diag::zeros(n);
    let failed = || Error::NoEigenvalues { size: n };
    let mut memory = MemBuffer::try_new(request).map_err(|_| failed())?;
    let stack = MemStack::new(&mut memory);
    let (a, s, params) = (matrix.as_ref(), values.as_mut(), Spec::default());
    let found = self_adjoint_evd(a, s, None, Par::Seq, stack, params);
    clear_registers();
    found.map_err(|_| failed())?;
    let values = values.column_vector();
    let largest: f64 = (n - k..n).map(|j| values[j]).sum();
    let rounding = eigenvalue_sum(n, k) * values[n - 1].abs();
    Ok((gram.trace() - largest - rounding).max(0.0))
}

/// W^½KW^½.
fn weighted<T: Scalar>(columns: &Columns<'_, T>, weights: &[f64]) -> Result<Mat<f64>, Error> {
    let n = weights.len();
    let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
    let mut matrix: Mat<f64> = zeros(n, n)?;
    columns.for_each_piece(&Vec::from_iter(0..n), |piece, slices| {
        for (j, column) in piece.zip(slices) {
            for (i, value) in column.iter().enumerate() {
                matrix[(i, j)] = roots[i] * roots[j] * value.to_f64();
            }
        }
    })?;
    Ok(matrix)
}
