//! The solution of normal equations.

use crate::Error;
use crate::model::FeatureExpansion;
use faer::Mat;
use kern_approx::statistics::NormalEquations;
use kern_core::Scalar;
use kern_gram::numerics::arithmetic::centre;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::zeros;

/// The problem that is minimised.
#[derive(Clone, Copy)]
pub(in crate::ridge) struct Problem {
    pub(in crate::ridge) lambda: f64,
    pub(in crate::ridge) intercept: bool,
}

/// w and b, in double precision.
pub(super) struct Solution {
    pub(super) weights: Mat<f64>,
    pub(super) intercepts: Vec<f64>,
}

impl Solution {
    /// Solves them. ZBZᵀ is taken out of the sums, and its memory used.
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

    /// The function, in the type of its features.
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
