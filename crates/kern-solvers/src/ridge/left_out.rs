//! The models that have not seen one of the points: their residuals there, and their values anywhere.
//!
//! With the bordered inverse [[C, u/t], [uᵀ/t, −1/t]], t = sᵀu, the coefficients (γ, b) without point i are those of all
//! points less the inverse's column i times γᵢ/Cᵢᵢ, so that f₋ᵢ(x) = f(x) − (γᵢ/Cᵢᵢ)·(C·B^½k_x + u/t)ᵢ.

use super::Ridge;
use super::certificate::{Candidate, certify};
use super::system::{Diagonal, Solution, Solve, System, finite};
use crate::model::{KernelExpansion, with_intercepts};
use crate::space::OnKernel;
use crate::{Data, Error, Report};
use faer::{Accum, Mat, MatRef};
use kern_core::products::inner_products;
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::{GramOperator, LazyGram, zeros};

/// The models that have not seen one of the points that are used.
pub(crate) struct LeftOut<T: Scalar> {
    /// γ and b of all points.
    pub(crate) gamma: Mat<T>,
    intercepts: Vec<T>,
    /// γᵢ/Cᵢᵢ, points × outputs.
    pub(crate) shifts: Mat<T>,
    /// yᵢ − f₋ᵢ(xᵢ), points × outputs.
    pub(crate) residuals: Mat<T>,
}

impl<K> Ridge<OnKernel<K>> {
    /// The model of all points, whose coefficients are known, with its certificate: n² kernel values, and no factorisation.
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

/// Queries as the models see them.
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
    /// The queries whose B^½k_x are the columns of `k`.
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
