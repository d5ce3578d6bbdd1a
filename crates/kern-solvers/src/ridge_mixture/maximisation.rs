//! Maximisation: the functions, shares and variances of given responsibilities.

use super::expectation::Components;
use super::params::Settings;
use crate::{Error, tolerance};
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{DenseGram, GramOperator, parallel, zeros};

/// Points with what is known of them, and what a mixture is to be.
pub(super) struct Problem<'p, T: Scalar> {
    pub(super) gram: &'p DenseGram<T>,
    pub(super) y: &'p [f64],
    /// w, all positive.
    pub(super) weights: &'p [f64],
    pub(super) settings: &'p Settings,
    /// The variance of the targets.
    pub(super) variance: f64,
}

/// A mixture with the responsibilities that it makes of its points.
#[derive(Clone)]
pub(super) struct Mixture<T: Scalar> {
    /// α, points × components.
    pub(super) alpha: Mat<T>,
    pub(super) components: Components,
    pub(super) responsibilities: Mat<f64>,
    /// −L.
    pub(super) objective: f64,
}

impl<T: Scalar> Problem<'_, T> {
    /// The variance that no component's is below.
    pub(super) fn floor(&self) -> f64 {
        self.settings.noise_floor * self.variance
    }

    /// The part of the objective that rounding hides: values that are off by e = u(max |y| + max K(x, x)·‖α‖), α's norm since errors
    /// of kernel values are independent, move the logarithm of a density by e/σ.
    pub(super) fn rounding(&self, mixture: &Mixture<T>) -> f64 {
        let greatest = self.y.iter().map(|y| y.abs()).fold(0.0, f64::max);
        let own = self.gram.diag().iter().map(|k| k.to_f64()).fold(0.0, f64::max);
        let longest = mixture.alpha.col_iter().map(|alpha| alpha.norm_l2().to_f64());
        let error = greatest + own * longest.fold(0.0, f64::max);
        let variances = mixture.components.variances.iter().copied();
        let least = variances.fold(f64::INFINITY, f64::min);
        let unit = tolerance::MIXTURE_ROUNDING * T::UNIT_ROUNDOFF;
        unit * self.weights.iter().sum::<f64>() * (1.0 + error / least.sqrt())
    }

    /// The mixture of these responsibilities, whose functions are those of these variances. `factor` is memory for a matrix.
    pub(super) fn round(
        &self,
        responsibilities: &Mat<f64>,
        variances: &[f64],
        factor: &mut LargeMat<f64>,
    ) -> Result<Mixture<T>, Error> {
        let (n, k) = responsibilities.shape();
        let mut alpha = zeros(n, k)?;
        for (c, &variance) in variances.iter().enumerate() {
            let column = self.function(responsibilities.col_as_slice(c), variance, factor)?;
            let to = alpha.col_as_slice_mut(c).iter_mut().zip(column.col_as_slice(0));
            to.for_each(|(to, &a)| *to = T::from_f64(a));
        }
        let f = self.gram.apply(alpha.as_ref())?;
        let components = self.components(responsibilities, (f.as_ref(), variances));
        let mut next = zeros(n, k)?;
        let known = (self.y, self.weights);
        let likelihood = components.weigh_all(known, f.as_ref(), &mut next);
        let pairs = alpha.col_iter().zip(f.col_iter());
        let norm: f64 = pairs
            .flat_map(|(alpha, f)| alpha.iter().zip(f.iter()))
            .map(|(a, f)| a.to_f64() * f.to_f64())
            .sum();
        let objective = 0.5 * self.settings.lambda * norm - likelihood;
        if !objective.is_finite() {
            let what = "the penalised likelihood of a mixture";
            return Err(Error::Range { what, given: objective });
        }
        Ok(Mixture { alpha, components, responsibilities: next, objective })
    }

    /// α of (RK + λσ²I)α = Ry, R = diag(wr): R^½(R^½KR^½ + λσ²I)⁻¹R^½y.
    fn function(
        &self,
        responsibilities: &[f64],
        variance: f64,
        factor: &mut LargeMat<f64>,
    ) -> Result<Mat<f64>, Error> {
        let pairs = responsibilities.iter().zip(self.weights);
        let roots: Vec<f64> = pairs.map(|(r, w)| (r * w).sqrt()).collect();
        let mut matrix = std::mem::replace(factor, LargeMat::zeros(0, 0)?);
        whiten(self.gram.as_mat(), &roots, &mut matrix);
        let cholesky = Cholesky::new(matrix, self.settings.lambda * variance)?;
        let mut column = zeros(roots.len(), 1)?;
        let scaled = roots.iter().zip(self.y).map(|(root, y)| root * y);
        column.col_as_slice_mut(0).iter_mut().zip(scaled).for_each(|(to, y)| *to = y);
        cholesky.solve_in_place(column.as_mut());
        column.col_as_slice_mut(0).iter_mut().zip(&roots).for_each(|(a, root)| *a *= root);
        *factor = cholesky.into_matrix();
        Ok(column)
    }

    /// The shares of components, and the variances around these functions. A component without points keeps its variance.
    fn components(
        &self,
        responsibilities: &Mat<f64>,
        (f, before): (MatRef<'_, T>, &[f64]),
    ) -> Components {
        let sums = |c: usize| {
            let each = responsibilities.col_as_slice(c).iter().zip(self.weights);
            let each = each.zip(self.y.iter().zip(f.col(c).iter()));
            each.fold((0.0, 0.0), |(mass, squares), ((r, w), (y, f))| {
                let residual = y - f.to_f64();
                (mass + w * r, squares + w * r * residual * residual)
            })
        };
        let sums: Vec<(f64, f64)> = (0..before.len()).map(sums).collect();
        let (mass, squares) = sums.iter().fold((0.0, 0.0), |all, of| (all.0 + of.0, all.1 + of.1));
        let variance = |(&(own, square), &before): (&(f64, f64), &f64)| {
            let (own, square) =
                if self.settings.shared_noise { (mass, squares) } else { (own, square) };
            if own > 0.0 { (square / own).max(self.floor()) } else { before }
        };
        Components {
            shares: sums.iter().map(|(own, _)| own / mass).collect(),
            variances: sums.iter().zip(before).map(variance).collect(),
        }
    }
}

/// The lower triangle of R^½KR^½, by these roots.
fn whiten<T: Scalar>(gram: MatRef<'_, T>, roots: &[f64], matrix: &mut LargeMat<f64>) {
    let columns: Vec<_> = matrix.as_mut().col_iter_mut().enumerate().collect();
    parallel::for_each_init(
        columns,
        || (),
        |(), (j, column)| {
            let rows = column.iter_mut().zip(gram.col(j).iter()).zip(roots).skip(j);
            rows.for_each(|((to, value), root)| *to = root * value.to_f64() * roots[j]);
        },
    );
}
