//! Eigendecomposition of symmetric matrices, with bits that do not depend on the number of threads.

use crate::memory::{matrix_bytes, zeros};
use crate::products::clear_registers;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par, Spec};

/// The eigenvalues in ascending order and the eigenvectors, as columns, of a symmetric matrix;
/// reads the lower triangle. None if the iteration does not converge or the memory cannot be
/// allocated.
///
/// Runs on one thread: with several, faer's order of summation depends on their number.
///
/// # Complexity
/// O(n³), and [`symmetric_eigen_bytes`] of memory.
///
/// # Examples
/// ```
/// use kern_core::{faer::mat, symmetric_eigen};
/// let (values, vectors) = symmetric_eigen(mat![[2.0, 1.0], [1.0, 2.0]].as_ref()).unwrap();
/// assert!((values[0] - 1.0).abs() < 1e-14 && (values[1] - 3.0).abs() < 1e-14);
/// assert!((vectors[(0, 1)].abs() - 0.5_f64.sqrt()).abs() < 1e-14);
/// ```
#[must_use]
pub fn symmetric_eigen(matrix: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = matrix.nrows();
    let (mut values, mut vectors) = (Diag::zeros(n), zeros(n, n).ok()?);
    let mut memory = MemBuffer::try_new(workspace(n)).ok()?;
    let (stack, params) = (MemStack::new(&mut memory), Spec::default());
    let (s, u) = (values.as_mut(), Some(vectors.as_mut()));
    let found = self_adjoint_evd(matrix, s, u, Par::Seq, stack, params);
    clear_registers();
    found.ok()?;
    Some((values.column_vector().iter().copied().collect(), vectors))
}

/// The bytes that [`symmetric_eigen`] allocates for an n × n matrix, including the eigenvectors
/// that it returns.
///
/// # Examples
/// ```
/// // At least the eigenvectors; at most six times as much.
/// let bytes = kern_core::symmetric_eigen_bytes(1000);
/// assert!(bytes > 8_000_000 && bytes < 48_000_000);
/// ```
#[must_use]
pub fn symmetric_eigen_bytes(n: usize) -> u64 {
    matrix_bytes::<f64>(n, n).saturating_add(workspace(n).size_bytes() as u64)
}

fn workspace(n: usize) -> StackReq {
    self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Spec::default())
}
