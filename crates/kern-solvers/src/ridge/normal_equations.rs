//! The normal equations of ridge regression on features, and their dual for fewer points than
//! features.
//!
//! In the notation of [`ridge_on_features`](super::ridge_on_features),
//! (ZBZᵀ − ssᵀ/W + nλI) w = ZBy − s·(βᵀy)/W and b = (βᵀy − sᵀw)/W, from sums over the points.
//!
//! In the dual, with Z̃ the features minus their weighted mean z̄ (0 without an intercept), ỹ the
//! targets minus theirs, and S = diag(√βᵢ),
//!
//! w = Z̃Su, (SZ̃ᵀZ̃S + nλI) u = Sỹ, b = ȳ − z̄ᵀw.
//!
//! This is the solution of the normal equations by (ZZᵀ + nλI)⁻¹Z = Z(ZᵀZ + nλI)⁻¹, with an n × n
//! matrix instead of D × D.

use super::Ridge;
use super::gradient_bound::{Problem, certify_sums};
use crate::model::{FeatureExpansion, MultiRegressor};
use crate::space::OnFeatures;
use crate::{Error, Report, Run};
use faer::{Mat, MatRef};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed, add_products};
use kern_approx::transform;
use kern_core::kernels::Linear;
use kern_core::memory::matrix_bytes;
use kern_core::{FeatureMap, Points, Samples, Scalar};
use kern_gram::numerics::arithmetic::centre;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{DenseGram, MemoryBudget, zeros};

/// w and b, in double precision.
pub(super) struct Solution {
    pub(super) weights: Mat<f64>,
    pub(super) intercepts: Vec<f64>,
}

impl Solution {
    /// Solves the normal equations. Takes ZBZᵀ out of the sums and reuses its memory.
    pub(super) fn new(sums: &mut NormalEquations, problem: Problem) -> Result<Self, Error> {
        let Problem { lambda, intercept } = problem;
        let (dim, outputs, weight) = (sums.dim(), sums.outputs(), sums.weight());
        let mut gram = sums.take_gram()?;
        let (moments, targets) = (sums.moments(), sums.target_moments());
        let mut weights = zeros(dim, outputs)?;
        weights.copy_from(moments.subcols(1, outputs));
        if intercept {
            let mean: Vec<f64> = moments.col(0).iter().map(|s| s / weight).collect();
            centre(gram.as_mut(), moments, &mean);
            for k in 0..outputs {
                let column = weights.col_as_slice_mut(k).iter_mut();
                column.zip(&mean).for_each(|(v, mean)| *v -= mean * targets[(k, 0)]);
            }
        }
        let shift = sums.count() as f64 * lambda;
        Cholesky::new(gram, shift)?.solve_in_place(weights.as_mut());
        let offset = |k: usize| {
            let products = moments.col(0).iter().zip(weights.col_as_slice(k));
            (targets[(k, 0)] - products.map(|(s, w)| s * w).sum::<f64>()) / weight
        };
        let intercepts = (0..outputs).map(|k| if intercept { offset(k) } else { 0.0 }).collect();
        Ok(Self { weights, intercepts })
    }

    /// The function, in the scalar type of its features.
    pub(super) fn into_model<M, T: Scalar>(self, map: M) -> Result<FeatureExpansion<M, T>, Error> {
        let mut weights = zeros(self.weights.nrows(), self.weights.ncols())?;
        for k in 0..weights.ncols() {
            let pairs = weights.col_as_slice_mut(k).iter_mut().zip(self.weights.col_as_slice(k));
            pairs.for_each(|(to, &from)| *to = T::from_f64(from));
        }
        let intercepts = self.intercepts.into_iter().map(T::from_f64).collect();
        Ok(FeatureExpansion::new(map, weights).with_intercepts(intercepts))
    }
}

impl<M: Clone> Ridge<OnFeatures<M>> {
    /// Learns from precomputed sums, gathered with the feature map that has this fingerprint. The
    /// certificate is computed from the sums, too.
    ///
    /// # Errors
    /// [`Error::Fingerprint`] if they were gathered with another map; [`Error::Empty`] and
    /// [`Error::NoWeight`] for sums over no points or no weight; [`Error::Core`] for λ ≤ 0;
    /// [`Error::Gram`] if another D² values exceed the memory; [`Error::NotPositiveDefinite`].
    pub fn solve<T: Scalar>(
        &self,
        sums: &NormalEquations,
        fingerprint: Fingerprint,
        run: &Run<'_>,
    ) -> Result<MultiRegressor<FeatureExpansion<M, T>>, Error> {
        let lambda = self.settings.checked()?;
        sums.check_fingerprint(fingerprint)?;
        let (weights, intercepts, report) =
            solve_sums(sums, lambda, self.settings.intercept, &run.budget())?;
        let function = Solution { weights, intercepts }.into_model(self.space.map.clone())?;
        Ok(MultiRegressor::new(function, report))
    }
}

/// w and b of each output by the normal equations, and their report. The feature map of the sums is
/// not checked.
pub(crate) fn solve_sums(
    sums: &NormalEquations,
    lambda: f64,
    intercept: bool,
    memory: &MemoryBudget,
) -> Result<(Mat<f64>, Vec<f64>, Report), Error> {
    if sums.count() == 0 {
        return Err(Error::Empty);
    }
    let points = usize::try_from(sums.count()).unwrap_or(usize::MAX);
    if sums.weight() <= 0.0 {
        return Err(Error::NoWeight { points });
    }
    let bytes = NormalEquations::bytes(sums.dim(), sums.outputs());
    memory.require("the factor of normal equations", bytes, "use fewer features")?;
    let problem = Problem { lambda, intercept };
    let Solution { weights, intercepts } = Solution::new(&mut sums.clone(), problem)?;
    let report = certify_sums(sums, problem, weights.as_ref(), &intercepts);
    report.check()?;
    Ok((weights, intercepts, report))
}

/// w and b for these points, from the dual.
///
/// # Complexity
/// n²D + n³/3 flops.
pub(super) fn solve_dual<P: Points, M: FeatureMap<P>>(
    map: &M,
    points: &P,
    observed: &Observed<'_, P::Scalar>,
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

/// The memory of a solution in the dual: the features twice, and the Gram matrix.
pub(super) fn dual_bytes<T: Scalar>(n: usize, dim: usize, outputs: usize) -> u64 {
    let features = matrix_bytes::<T>(n, dim).saturating_add(matrix_bytes::<f64>(n, dim));
    let gram = matrix_bytes::<f64>(n, n);
    features.saturating_add(gram).saturating_add(matrix_bytes::<f64>(n.max(dim), 2 * outputs))
}
