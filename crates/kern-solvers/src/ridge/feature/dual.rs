//! The solution of fewer points than features, in the dual.
//!
//! With Z̃ the features less their weighted mean z̄ (0 without an intercept), ỹ the targets less theirs, and S = diag(√βᵢ),
//!
//! w = Z̃Su, (SZ̃ᵀZ̃S + nλI) u = Sỹ, b = ȳ − z̄ᵀw,
//!
//! which is the solution of the normal equations by (ZZᵀ + nλI)⁻¹Z = Z(ZᵀZ + nλI)⁻¹: n × n numbers in the place of D × D.

use super::solution::{Problem, Solution};
use crate::Error;
use faer::MatRef;
use kern_approx::statistics::{Observed, add_products};
use kern_approx::transform;
use kern_core::kernels::Linear;
use kern_core::memory::matrix_bytes;
use kern_core::{FeatureMap, Points, Samples, Scalar};
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{DenseGram, MemoryBudget, zeros};

/// The memory of a solution: the features twice, and the Gram matrix.
pub(super) fn bytes<T: Scalar>((n, dim, outputs): (usize, usize, usize)) -> u64 {
    let features = matrix_bytes::<T>(n, dim).saturating_add(matrix_bytes::<f64>(n, dim));
    let gram = matrix_bytes::<f64>(n, n);
    features.saturating_add(gram).saturating_add(matrix_bytes::<f64>(n.max(dim), 2 * outputs))
}

/// w and b of these points.
///
/// # Complexity
/// n²D + n³/3 flops.
pub(super) fn solve<P: Points, M: FeatureMap<P>>(
    map: &M,
    (points, observed): (&P, &Observed<'_, P::Scalar>),
    Problem { lambda, intercept }: Problem,
    budget: &MemoryBudget,
) -> Result<Solution, Error> {
    let (n, dim, outputs) = (points.len(), map.dim(), observed.outputs());
    let features = transform(map, points, budget)?;
    let mut z: Vec<f64> = features.as_slice().iter().map(|z| z.to_f64()).collect();
    drop(features);
    let y = observed.targets();
    let total: f64 = (0..n).map(|i| observed.weight(i)).sum();
    let share = |i: usize| if intercept { observed.weight(i) / total } else { 0.0 };
    let mut mean = vec![0.0; dim];
    for (i, z) in z.chunks_exact(dim).enumerate() {
        mean.iter_mut().zip(z).for_each(|(mean, z)| *mean += share(i) * z);
    }
    for (i, z) in z.chunks_exact_mut(dim).enumerate() {
        let root = observed.weight(i).sqrt();
        z.iter_mut().zip(&mean).for_each(|(z, mean)| *z = root * (*z - mean));
    }
    let mut means = vec![0.0; outputs];
    let mut u = zeros(n, outputs)?;
    for (k, mean) in means.iter_mut().enumerate() {
        *mean = (0..n).map(|i| share(i) * y[(i, k)].to_f64()).sum();
        for i in 0..n {
            u[(i, k)] = observed.weight(i).sqrt() * (y[(i, k)].to_f64() - *mean);
        }
    }
    let z = Samples::from_row_major(dim, z)?;
    let gram = DenseGram::new(&Linear, &z, budget)?.into_matrix();
    Cholesky::new(gram, n as f64 * lambda)?.solve_in_place(u.as_mut());
    let mut weights = zeros(dim, outputs)?;
    let columns = MatRef::from_column_major_slice(z.as_slice(), dim, n);
    add_products(weights.as_mut(), columns, u.as_ref());
    let offset = |(k, y): (usize, f64)| {
        y - mean.iter().zip(weights.col_as_slice(k)).map(|(z, w)| z * w).sum::<f64>()
    };
    let intercepts = means.into_iter().enumerate().map(offset).collect();
    Ok(Solution { weights, intercepts })
}
