//! M = B^½KB^½ + nλI for one λ, bordered by the intercept's condition: solutions, and what its
//! inverse says about models that have not seen a point.
//!
//! With s = √β the optimality conditions of ridge regression with an intercept b are
//! Mγ + bs = B^½y and sᵀγ = 0, α = B^½γ. Without the border, b = 0. The upper left block of the inverse
//! of the bordered matrix is C = M⁻¹ − uuᵀ/(sᵀu), u = M⁻¹s; γ = C·B^½y.

use super::certificate::{Candidate, certify};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::{Error, Report};
use faer::{ColRef, Mat, MatMut, MatRef};
use kern_approx::statistics::{check_length, check_targets};
use kern_core::memory::LargeMat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::cholesky::{Cholesky, inner_products, squared_norm};
use kern_gram::{GramOperator, LazyGram, zeros};
use std::collections::BTreeMap;

/// A solver of Mx = v.
pub(super) trait Solve<T: Scalar>: Sync {
    /// v ← M⁻¹v.
    fn solve_in_place(&self, v: MatMut<'_, T>) -> Result<(), Error>;
}

/// A solver that knows the diagonal of the inverse.
pub(super) trait Diagonal<T: Scalar>: Solve<T> {
    /// The diagonal of M⁻¹.
    fn diagonal(&self) -> Result<Vec<f64>, Error>;
}

/// The inverse of M, in some form.
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

/// Residuals of models that have not seen a point, all of which are numbers.
pub(super) fn finite<T: Scalar>(residuals: Mat<T>) -> Result<Mat<T>, Error> {
    let mut all = residuals.col_iter().flat_map(ColRef::iter).map(|r| r.to_f64());
    let found = all.find(|r| !r.is_finite());
    drop(all);
    match found {
        Some(given) => Err(Error::Range { what: "a residual of a point left out", given }),
        None => Ok(residuals),
    }
}

/// The linear system of a ridge regression.
pub(super) struct System<'s, 'a, P: Points, K: ?Sized, I: ?Sized> {
    pub(super) design: &'s Design<'a, P, K>,
    pub(super) lambda: f64,
    pub(super) inverse: &'s I,
    pub(super) border: Option<&'s Border>,
    /// Kernel values for the certificate, where it is too dear to compute them once more.
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

    /// 1 − uᵀk: what the points do not tell of the intercept's share in a query that sees them so.
    pub(super) fn unseen<'k, T: Scalar>(&self, k: impl Iterator<Item = &'k T>) -> f64 {
        1.0 - self.u.iter().zip(k).map(|(u, k)| u * k.to_f64()).sum::<f64>()
    }

    /// (uuᵀ/(sᵀu))ᵢⱼ, what the intercept takes from the inverse.
    fn taken(&self, i: usize, j: usize) -> f64 {
        self.u[i] * self.u[j] / self.total
    }
}

/// γ, and the intercept of each output.
pub(crate) struct Solution<T: Scalar> {
    pub(crate) gamma: Mat<T>,
    pub(crate) intercepts: Vec<T>,
}

/// The result of a fit: α of the points that are used, the intercepts, and the evidence.
pub(super) struct Learned<T: Scalar> {
    pub(super) alpha: Mat<T>,
    pub(super) intercepts: Vec<T>,
    pub(super) report: Report,
}

impl<P: Points, K: Kernel<P> + ?Sized, I: Solve<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// α, b and their certificate, from freshly computed kernel values, unless these are dear.
    pub(super) fn learn(&self, y: MatRef<'_, P::Scalar>) -> Result<Learned<P::Scalar>, Error> {
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
    ) -> Result<Learned<P::Scalar>, Error> {
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
        Ok(Learned { alpha, intercepts, report })
    }

    /// The model for these targets.
    pub(super) fn model(
        &self,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error>
    where
        K: Clone,
    {
        let Learned { alpha, intercepts, report } = self.learn(y)?;
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

impl<P: Points, K: Kernel<P> + ?Sized, I: Diagonal<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// The diagonal of C.
    pub(super) fn diagonal(&self) -> Result<Vec<f64>, Error> {
        let mut diagonal = self.inverse.diagonal()?;
        if let Some(border) = self.border {
            diagonal.iter_mut().enumerate().for_each(|(i, c)| *c -= border.taken(i, i));
        }
        Ok(diagonal)
    }

    /// An intercept is not determined by no points.
    pub(super) fn check_left(&self, fold: usize, left: usize) -> Result<(), Error> {
        if left == 0 && self.border.is_some() { Err(Error::NothingLeft { fold }) } else { Ok(()) }
    }
}

impl<P: Points, K: Kernel<P> + ?Sized, I: Inverse<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// The rows and columns `rows` of C.
    fn block(&self, rows: &[usize]) -> Result<LargeMat<P::Scalar>, Error> {
        let mut roots = LargeMat::zeros(self.design.points().len(), rows.len())?;
        let mut v = roots.as_mut();
        rows.iter().enumerate().for_each(|(k, &i)| v[(i, k)] = P::Scalar::ONE);
        self.inverse.half_solve_in_place(v)?;
        let mut block = inner_products(roots.as_ref())?;
        if let Some(border) = self.border {
            let mut block = block.as_mut();
            for (b, &j) in rows.iter().enumerate() {
                for (a, &i) in rows.iter().enumerate() {
                    block[(a, b)] -= P::Scalar::from_f64(border.taken(i, j));
                }
            }
        }
        Ok(block)
    }

    /// yᵢ − f₋ᵢ(xᵢ) = γᵢ/(√βᵢCᵢᵢ), where f₋ᵢ has not seen point i.
    pub(super) fn leave_one_out(&self, y: MatRef<'_, P::Scalar>) -> Result<Mat<P::Scalar>, Error> {
        let solution = self.solve(y)?;
        self.check_left(0, self.design.points().len() - 1)?;
        let mut out = zeros(self.design.count(), y.ncols())?;
        let diagonal = self.diagonal()?;
        for j in 0..y.ncols() {
            for (i, c) in diagonal.iter().enumerate() {
                let residual = solution.gamma[(i, j)].to_f64() / c;
                let residual = residual / self.design.root(i).to_f64();
                out[(self.design.index(i), j)] = P::Scalar::from_f64(residual);
            }
        }
        // No model sees points of weight zero.
        self.plain_residuals(solution, &self.design.dropped(), y, out.as_mut())?;
        finite(out)
    }

    /// For each fold F: y_F − f₋F(x_F) = B_F^−½·C_FF⁻¹γ_F.
    pub(super) fn leave_folds_out(
        &self,
        y: MatRef<'_, P::Scalar>,
        folds: &[usize],
    ) -> Result<Mat<P::Scalar>, Error> {
        check_length("folds", self.design.count(), folds.len())?;
        let solution = self.solve(y)?;
        let mut out = zeros(self.design.count(), y.ncols())?;
        for (fold, rows) in self.by_fold(folds) {
            self.check_left(fold, self.design.points().len() - rows.len())?;
            let residuals = self.left_out(solution.gamma.as_ref(), &rows)?;
            for (k, &i) in rows.iter().enumerate() {
                out.row_mut(self.design.index(i)).copy_from(residuals.row(k));
            }
        }
        let mut dropped = BTreeMap::<usize, Vec<usize>>::new();
        for i in self.design.dropped() {
            dropped.entry(folds[i]).or_default().push(i);
        }
        for (fold, indices) in dropped {
            // The model without a fold is that of all points if the fold's targets are what it
            // predicts there.
            let residual = |i, j| if folds[i] == fold { out[(i, j)] } else { P::Scalar::ZERO };
            let mut known = zeros(y.nrows(), y.ncols())?;
            for j in 0..y.ncols() {
                (0..y.nrows()).for_each(|i| known[(i, j)] = y[(i, j)] - residual(i, j));
            }
            let without = self.solve(known.as_ref())?;
            self.plain_residuals(without, &indices, y, out.as_mut())?;
        }
        finite(out)
    }

    /// The residuals of the points `rows`, among those that are used, under the model without them.
    fn left_out(
        &self,
        gamma: MatRef<'_, P::Scalar>,
        rows: &[usize],
    ) -> Result<Mat<P::Scalar>, Error> {
        let factor = Cholesky::new(self.block(rows)?, 0.0)?;
        let mut residuals = zeros(rows.len(), gamma.ncols())?;
        for (k, &i) in rows.iter().enumerate() {
            residuals.row_mut(k).copy_from(gamma.row(i));
        }
        factor.solve_in_place(residuals.as_mut());
        for (k, &i) in rows.iter().enumerate() {
            let root = self.design.root(i);
            residuals.row_mut(k).iter_mut().for_each(|r| *r /= root);
        }
        Ok(residuals)
    }

    /// The folds in ascending order, each with its points among those that are used.
    fn by_fold(&self, folds: &[usize]) -> BTreeMap<usize, Vec<usize>> {
        let mut members = BTreeMap::<usize, Vec<usize>>::new();
        for i in 0..self.design.points().len() {
            members.entry(folds[self.design.index(i)]).or_default().push(i);
        }
        members
    }

    /// yᵢ − f(xᵢ) for these indices i among all points.
    fn plain_residuals(
        &self,
        solution: Solution<P::Scalar>,
        indices: &[usize],
        y: MatRef<'_, P::Scalar>,
        mut out: MatMut<'_, P::Scalar>,
    ) -> Result<(), Error> {
        let Solution { gamma, intercepts } = solution;
        let alpha = self.design.unwhiten(gamma);
        let values = self.design.values_at(indices, alpha.as_ref())?;
        for (j, &b) in intercepts.iter().enumerate() {
            for (k, &i) in indices.iter().enumerate() {
                out[(i, j)] = y[(i, j)] - values[(k, j)] - b;
            }
        }
        Ok(())
    }

    /// n₊‖γ‖²/tr(C)², summed over outputs; n₊ is the number of points that are used.
    pub(super) fn gcv(&self, y: MatRef<'_, P::Scalar>) -> Result<f64, Error> {
        let solution = self.solve(y)?;
        self.check_left(0, self.design.points().len() - 1)?;
        let trace: f64 = self.diagonal()?.iter().sum();
        let total: f64 = solution.gamma.col_iter().map(squared_norm).sum();
        let score = self.design.points().len() as f64 * total / (trace * trace);
        if score.is_finite() {
            Ok(score)
        } else {
            Err(Error::Range { what: "the score of generalised cross-validation", given: score })
        }
    }

    /// The mean of the squared leave-one-out residuals, weighted by β, summed over outputs.
    pub(super) fn leave_one_out_error(&self, y: MatRef<'_, P::Scalar>) -> Result<f64, Error> {
        let residuals = self.leave_one_out(y)?;
        let (mut total, mut weights) = (0.0, 0.0);
        for i in 0..self.design.points().len() {
            let row = residuals.row(self.design.index(i));
            let squares: f64 = row.iter().map(|r| r.to_f64() * r.to_f64()).sum();
            total += self.design.weight(i) * squares;
            weights += self.design.weight(i);
        }
        Ok(total / weights)
    }
}
