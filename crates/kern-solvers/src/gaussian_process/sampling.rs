//! Sampling of Gaussian processes: draws from normal distributions with the covariance of the prior
//! or of the posterior.

use crate::Error;
use faer::{Accum, Mat, MatRef};
use kern_core::memory::converted;
use kern_core::products::matmul;
use kern_core::{Mercer, Points, Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes, zeros};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Draws functions from the prior, with mean 0 and covariance K, at some points: points × draws.
///
/// # Complexity
/// q² kernel values, O(q³) flops on one thread for the eigenvectors of their matrix, and memory for
/// about five matrices of this size.
///
/// # Errors
/// [`Error::Gram`] if the budget is exceeded or a kernel value is non-finite; [`Error::Core`] if
/// the kernel rejects the points; [`Error::NoEigenvalues`].
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::gaussian_process::sample_prior;
/// let x = Samples::from_rows(&[[0.0], [1e-6], [9.0]])?;
/// let f = sample_prior(&Rbf::new(1.0)?, &x, 1000, 0, &MemoryBudget::mebibytes(1))?;
/// let variance: f64 = f.row(2).iter().map(|f| f * f / 1000.0).sum();
/// // Within five standard deviations, √(2/1000) each; and neighbours are nearly equal.
/// assert!((variance - 1.0).abs() < 0.23 && (f[(0, 7)] - f[(1, 7)]).abs() < 1e-5);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn sample_prior<P: Points, K: Mercer<P>>(
    kernel: &K,
    points: &P,
    count: usize,
    seed: u64,
    budget: &MemoryBudget,
) -> Result<Mat<P::Scalar>, Error> {
    let q = points.len();
    check_memory::<P::Scalar>(q, q, count, budget)?;
    let gram = DenseGram::new(kernel, points, budget)?;
    converted(normal(gram.as_mat(), count, seed)?.as_ref()).map_err(Error::from)
}

/// Fails if `count` draws at q points exceed the budget, for a process with n training points.
pub(super) fn check_memory<T>(
    n: usize,
    q: usize,
    count: usize,
    budget: &MemoryBudget,
) -> Result<(), Error> {
    let matrices = matrix_bytes::<T>(q, n + 2 * q + count);
    let doubles = matrix_bytes::<f64>(q, q + 2 * count).saturating_add(symmetric_eigen_bytes(q));
    let needed = matrices.saturating_add(doubles);
    Ok(budget.require("samples of a process", needed, "draw them at fewer points")?)
}

/// Draws from a normal distribution with mean 0 and this covariance, of which only the lower
/// triangle is read: points × draws.
pub(super) fn normal<T: Scalar>(
    covariance: MatRef<'_, T>,
    count: usize,
    seed: u64,
) -> Result<Mat<f64>, Error> {
    let size = covariance.nrows();
    let covariance: Mat<f64> = converted(covariance)?;
    let (values, mut root) =
        symmetric_eigen(covariance.as_ref()).ok_or(Error::NoEigenvalues { size })?;
    for (column, value) in root.as_mut().col_iter_mut().zip(values) {
        // Rounding may leave eigenvalues below zero.
        let scale = value.max(0.0).sqrt();
        column.iter_mut().for_each(|entry| *entry *= scale);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut independent: Mat<f64> = zeros(size, count)?;
    for column in independent.as_mut().col_iter_mut() {
        column.iter_mut().for_each(|z| *z = StandardNormal.sample(&mut rng));
    }
    let mut out = zeros(size, count)?;
    matmul(out.as_mut(), Accum::Replace, root.as_ref(), independent.as_ref(), 1.0);
    Ok(out)
}
