//! The linear system of ridge regression, (K + nλI)α = y, with weights and an intercept.
//!
//! For one λ the matrix is M = B^½KB^½ + nλI, bordered by the condition of the intercept: with
//! s = √β, the optimality conditions of ridge regression with an intercept b are Mγ + bs = B^½y and
//! sᵀγ = 0, where α = B^½γ. Without the border, b = 0. The upper left block of the inverse of the
//! bordered matrix is C = M⁻¹ − uuᵀ/(sᵀu), u = M⁻¹s; γ = C·B^½y.

use super::ridge_duality_gap::{Candidate, certify};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::{Error, Report};
use faer::{Mat, MatMut, MatRef};
use kern_approx::statistics::check_targets;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{GramOperator, LazyGram, zeros};

/// The linear system of a ridge regression.
pub(super) struct System<'s, 'a, P: Points, K: ?Sized, I: ?Sized> {
    pub(super) design: &'s Design<'a, P, K>,
    pub(super) lambda: f64,
    pub(super) inverse: &'s I,
    pub(super) border: Option<&'s Border>,
    /// Kernel values for the certificate, where recomputing them is too expensive.
    pub(super) values: Option<&'s dyn GramOperator<P::Scalar>>,
}

/// u = M⁻¹s and sᵀu.
pub(super) struct Border {
    pub(super) u: Vec<f64>,
    pub(super) total: f64,
}

impl Border {
    /// The border of a design with an intercept.
    pub(super) fn new<P: Points, K: Kernel<P> + ?Sized>(
        design: &Design<'_, P, K>,
        inverse: &dyn Solve<P::Scalar>,
    ) -> Result<Option<Self>, Error> {
        if !design.intercept {
            return Ok(None);
        }
        let n = design.points().len();
        let mut u = zeros(n, 1)?;
        let column = u.col_as_slice_mut(0);
        column.iter_mut().enumerate().for_each(|(i, u)| *u = design.root(i));
        inverse.solve_in_place(u.as_mut())?;
        let u: Vec<f64> = u.col_as_slice(0).iter().map(|u| u.to_f64()).collect();
        let total = u.iter().enumerate().map(|(i, u)| u * design.root(i).to_f64()).sum();
        Ok(Some(Self { u, total }))
    }

    /// 1 − uᵀk: the part of the intercept at a query with these kernel values that the points do
    /// not determine.
    pub(super) fn unseen<'k, T: Scalar>(&self, k: impl Iterator<Item = &'k T>) -> f64 {
        1.0 - self.u.iter().zip(k).map(|(u, k)| u * k.to_f64()).sum::<f64>()
    }

    /// (uuᵀ/(sᵀu))ᵢⱼ, which the intercept subtracts from the inverse.
    pub(super) fn taken(&self, i: usize, j: usize) -> f64 {
        self.u[i] * self.u[j] / self.total
    }
}

/// γ, and the intercept of each output.
pub(crate) struct Solution<T: Scalar> {
    pub(crate) gamma: Mat<T>,
    pub(crate) intercepts: Vec<T>,
}

/// The result of a fit: α of the points with positive weight, the intercepts, and the report.
pub(super) struct DualSolution<T: Scalar> {
    pub(super) alpha: Mat<T>,
    pub(super) intercepts: Vec<T>,
    pub(super) report: Report,
}

impl<P: Points, K: Kernel<P> + ?Sized, I: Solve<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// α, b and their certificate, from freshly computed kernel values unless these are expensive.
    pub(super) fn learn(&self, y: MatRef<'_, P::Scalar>) -> Result<DualSolution<P::Scalar>, Error> {
        if let Some(values) = self.values {
            return self.learn_from(values, y);
        }
        self.learn_from(&LazyGram::new(&self.design.kernel, self.design.points())?, y)
    }

    /// α, b and their certificate, from the kernel values of an operator.
    pub(super) fn learn_from(
        &self,
        gram: &dyn GramOperator<P::Scalar>,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<DualSolution<P::Scalar>, Error> {
        let Solution { gamma, intercepts } = self.solve(y)?;
        let alpha = self.design.unwhiten(gamma);
        let fitted = gram.apply(alpha.as_ref())?;
        let candidate = Candidate {
            alpha: alpha.as_ref(),
            fitted: fitted.as_ref(),
            intercepts: &intercepts,
            diagonal: &gram.diag(),
        };
        let report = certify(self.design, self.lambda, &candidate, y);
        Ok(DualSolution { alpha, intercepts, report })
    }

    /// The model for these targets.
    pub(super) fn model(
        &self,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error>
    where
        K: Clone,
    {
        let DualSolution { alpha, intercepts, report } = self.learn(y)?;
        report.check()?;
        let kernel = self.design.kernel.clone();
        let model = KernelExpansion::new(kernel, self.design.points(), alpha.as_ref())?;
        Ok((model.with_intercepts(intercepts), report))
    }

    /// γ = C·B^½y and b = sᵀM⁻¹B^½y/(sᵀu).
    pub(super) fn solve(&self, y: MatRef<'_, P::Scalar>) -> Result<Solution<P::Scalar>, Error> {
        check_targets(self.design.count(), y)?;
        let mut gamma = self.design.whiten(y)?;
        self.inverse.solve_in_place(gamma.as_mut())?;
        let mut intercepts = vec![P::Scalar::ZERO; y.ncols()];
        if let Some(border) = self.border {
            for (j, intercept) in intercepts.iter_mut().enumerate() {
                let column = gamma.col_as_slice_mut(j);
                let term = |(i, g): (usize, &P::Scalar)| self.design.root(i).to_f64() * g.to_f64();
                let b = column.iter().enumerate().map(term).sum::<f64>() / border.total;
                let pairs = column.iter_mut().zip(&border.u);
                pairs.for_each(|(g, u)| *g = P::Scalar::from_f64(g.to_f64() - b * u));
                *intercept = P::Scalar::from_f64(b);
            }
        }
        Ok(Solution { gamma, intercepts })
    }
}

/// A solver of Mx = v.
pub(super) trait Solve<T: Scalar>: Sync {
    /// v ← M⁻¹v.
    fn solve_in_place(&self, v: MatMut<'_, T>) -> Result<(), Error>;
}

/// A solver that provides the diagonal of the inverse.
pub(super) trait Diagonal<T: Scalar>: Solve<T> {
    /// The diagonal of M⁻¹.
    fn diagonal(&self) -> Result<Vec<f64>, Error>;
}

/// An inverse of M that also has a square root.
pub(super) trait Inverse<T: Scalar>: Diagonal<T> {
    /// v ← Rv for a root R of the inverse, RᵀR = M⁻¹.
    fn half_solve_in_place(&self, v: MatMut<'_, T>) -> Result<(), Error>;
}

impl<T: Scalar> Solve<T> for Cholesky<T> {
    fn solve_in_place(&self, v: MatMut<'_, T>) -> Result<(), Error> {
        self.solve_in_place(v);
        Ok(())
    }
}

impl<T: Scalar> Diagonal<T> for Cholesky<T> {
    fn diagonal(&self) -> Result<Vec<f64>, Error> {
        Ok(self.inverse_diagonal()?)
    }
}

impl<T: Scalar> Inverse<T> for Cholesky<T> {
    fn half_solve_in_place(&self, v: MatMut<'_, T>) -> Result<(), Error> {
        self.half_solve_in_place(v);
        Ok(())
    }
}
