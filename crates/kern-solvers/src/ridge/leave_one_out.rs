//! Leave-one-out and leave-folds-out of ridge regression, from the inverse of one factorisation.
//!
//! With C the upper left block of the inverse of the [bordered matrix](super::linear_system) and
//! γ = C·B^½y, the leave-one-out residual of point i is γᵢ/(√βᵢCᵢᵢ). The residuals of a fold F
//! under the model without it are B_F^−½·C_FF⁻¹γ_F.
//!
//! The leave-one-out models at any x: with the bordered inverse [[C, u/t], [uᵀ/t, −1/t]], t = sᵀu,
//! the coefficients (γ, b) without point i are those of all points minus γᵢ/Cᵢᵢ times column i of
//! the inverse, so that f₋ᵢ(x) = f(x) − (γᵢ/Cᵢᵢ)·(C·B^½k_x + u/t)ᵢ.

use super::Ridge;
use super::linear_system::{Diagonal, Inverse, Solution, Solve, System};
use super::ridge_duality_gap::{Candidate, certify};
use crate::model::{KernelExpansion, with_intercepts};
use crate::space::OnKernel;
use crate::{Data, Error, Report};
use faer::{Accum, ColRef, Mat, MatMut, MatRef};
use kern_approx::statistics::check_length;
use kern_core::memory::LargeMat;
use kern_core::products::inner_products;
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::numerics::cholesky::{self, Cholesky};
use kern_gram::{GramOperator, LazyGram, zeros};
use std::collections::BTreeMap;

impl<P: Points, K: Kernel<P> + ?Sized, I: Inverse<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// The rows and columns `rows` of C.
    fn block(&self, rows: &[usize]) -> Result<LargeMat<P::Scalar>, Error> {
        let mut roots = LargeMat::zeros(self.design.points().len(), rows.len())?;
        let mut v = roots.as_mut();
        rows.iter().enumerate().for_each(|(k, &i)| v[(i, k)] = P::Scalar::ONE);
        self.inverse.half_solve_in_place(v)?;
        let mut block = cholesky::inner_products(roots.as_ref())?;
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

    /// yᵢ − f₋ᵢ(xᵢ) = γᵢ/(√βᵢCᵢᵢ), where f₋ᵢ is the model without point i.
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
        // Points of weight zero are in no model.
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

    /// The residuals of the points `rows`, numbered among those with positive weight, under the
    /// model without them.
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

    /// The folds in ascending order, each with its points, numbered among those with positive
    /// weight.
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

impl<P: Points, K: Kernel<P> + ?Sized, I: Diagonal<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// The diagonal of C.
    pub(super) fn diagonal(&self) -> Result<Vec<f64>, Error> {
        let mut diagonal = self.inverse.diagonal()?;
        if let Some(border) = self.border {
            diagonal.iter_mut().enumerate().for_each(|(i, c)| *c -= border.taken(i, i));
        }
        Ok(diagonal)
    }

    /// Fails if there is an intercept and no point is left to determine it.
    pub(super) fn check_left(&self, fold: usize, left: usize) -> Result<(), Error> {
        if left == 0 && self.border.is_some() { Err(Error::NothingLeft { fold }) } else { Ok(()) }
    }
}

/// Passes on leave-one-out residuals; fails if one of them is not finite.
fn finite<T: Scalar>(residuals: Mat<T>) -> Result<Mat<T>, Error> {
    let mut all = residuals.col_iter().flat_map(ColRef::iter).map(|r| r.to_f64());
    let found = all.find(|r| !r.is_finite());
    drop(all);
    match found {
        Some(given) => Err(Error::Range { what: "a residual of a point left out", given }),
        None => Ok(residuals),
    }
}

/// The leave-one-out models of the points with positive weight.
pub(crate) struct LeftOut<T: Scalar> {
    /// γ and b of all points.
    pub(crate) gamma: Mat<T>,
    intercepts: Vec<T>,
    /// γᵢ/Cᵢᵢ, points × outputs.
    pub(crate) shifts: Mat<T>,
    /// yᵢ − f₋ᵢ(xᵢ), points × outputs.
    pub(crate) residuals: Mat<T>,
}

/// The values of queries, and the influence of each point on them.
pub(crate) struct Seen<T: Scalar> {
    /// f(x), queries × outputs.
    pub(crate) values: Mat<T>,
    /// C·B^½k_x + u/t, points × queries.
    pub(crate) influences: Mat<T>,
}

impl<P: Points, K: Kernel<P>, I: Diagonal<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// The models for these targets.
    pub(super) fn without_each(
        &self,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<LeftOut<P::Scalar>, Error> {
        let Solution { gamma, intercepts } = self.solve(y)?;
        let n = gamma.nrows();
        self.check_left(0, n - 1)?;
        let diagonal = self.diagonal()?;
        let (mut shifts, mut residuals) = (zeros(n, y.ncols())?, zeros(n, y.ncols())?);
        for j in 0..y.ncols() {
            for (i, c) in diagonal.iter().enumerate() {
                let shift = gamma[(i, j)].to_f64() / c;
                shifts[(i, j)] = P::Scalar::from_f64(shift);
                residuals[(i, j)] = P::Scalar::from_f64(shift / self.design.root(i).to_f64());
            }
        }
        let residuals = finite(residuals)?;
        Ok(LeftOut { gamma, intercepts, shifts, residuals })
    }
}

impl<P: Points, K: Kernel<P>, I: Solve<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// The queries x with B^½k_x in the columns of `k`.
    pub(super) fn seen(
        &self,
        mut k: Mat<P::Scalar>,
        left_out: &LeftOut<P::Scalar>,
    ) -> Result<Seen<P::Scalar>, Error> {
        let LeftOut { gamma, intercepts, .. } = left_out;
        let mut values = zeros(k.ncols(), gamma.ncols())?;
        let one = P::Scalar::ONE;
        inner_products(values.as_mut(), Accum::Replace, k.as_ref(), gamma.as_ref(), one);
        let values = with_intercepts(values, intercepts)?;
        // What the intercept leaves of 1: (1 − uᵀB^½k_x)/t.
        let border = self.border.map(|border| {
            let parts = k.col_iter().map(|k| border.unseen(k.iter()) / border.total);
            (border, parts.collect::<Vec<f64>>())
        });
        self.inverse.solve_in_place(k.as_mut())?;
        if let Some((border, parts)) = border {
            for (column, part) in k.col_iter_mut().zip(parts) {
                let pairs = column.iter_mut().zip(&border.u);
                pairs.for_each(|(v, u)| *v = P::Scalar::from_f64(v.to_f64() + part * u));
            }
        }
        Ok(Seen { values, influences: k })
    }
}

impl<K> Ridge<OnKernel<K>> {
    /// The model of all points from known coefficients, with its certificate: n² kernel values, and
    /// no factorisation.
    pub(crate) fn known<P: Points>(
        &self,
        data: &Data<'_, P>,
        known: &LeftOut<P::Scalar>,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error>
    where
        K: Mercer<P> + Clone,
    {
        let design = self.design(data)?;
        let gram = LazyGram::new(&design.kernel, design.points())?;
        let alpha = design.unwhiten(known.gamma.clone());
        let fitted = gram.apply(alpha.as_ref())?;
        let candidate = Candidate {
            alpha: alpha.as_ref(),
            fitted: fitted.as_ref(),
            intercepts: &known.intercepts,
            diagonal: &gram.diag(),
        };
        let report = certify(&design, self.settings.lambda, &candidate, y);
        drop(gram);
        Ok((design.into_model(alpha.as_ref(), known.intercepts.clone())?, report))
    }
}
