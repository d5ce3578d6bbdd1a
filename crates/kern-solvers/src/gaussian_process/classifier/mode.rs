//! The mode of the latent function's posterior, by Newton steps.

use crate::{Error, tolerance};
use faer::{Accum, Mat, MatRef};
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_core::products::matmul;
use kern_gram::numerics::cholesky::{Cholesky, scale_lower};
use kern_gram::numerics::sigmoid::{sigmoid, softplus};
use kern_gram::zeros;

/// One class against the others.
pub(super) struct Problem<'p> {
    /// The points of the class.
    pub(super) positive: &'p [bool],
    /// β, unless all are 1.
    pub(super) weights: Option<&'p [f64]>,
}

/// f = Ka at its most probable, with L and W^½ there.
pub(super) struct Mode<T: Scalar> {
    pub(super) f: Vec<f64>,
    pub(super) a: Mat<T>,
    pub(super) roots: Vec<T>,
    pub(super) factor: Cholesky<T>,
    /// ln Z ≈ −½aᵀf + Σβ ln σ(±f) − ½ ln|B|.
    pub(super) value: f64,
}

impl Problem<'_> {
    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// ∇ᵢ and Wᵢ.
    pub(super) fn slopes(&self, i: usize, f: f64) -> (f64, f64) {
        let ((p, q), weight) = (sigmoid(f), self.weight(i));
        let residual = if self.positive[i] { q } else { -p };
        (weight * residual, weight * p * q)
    }

    /// −½aᵀf + Σβ ln σ(±f).
    fn objective<T: Scalar>(&self, a: &Mat<T>, f: &[f64]) -> f64 {
        let term = |(i, &f): (usize, &f64)| {
            let signed = if self.positive[i] { f } else { -f };
            -0.5 * a[(i, 0)].to_f64() * f - self.weight(i) * softplus(-signed)
        };
        f.iter().enumerate().map(term).sum()
    }

    /// The mode for this K, in the memory of `matrix`. The objective is concave, so that halved Newton steps always reach it.
    pub(super) fn mode<T: Scalar>(
        &self,
        k: MatRef<'_, T>,
        mut matrix: LargeMat<T>,
    ) -> Result<Mode<T>, Error> {
        let n = self.positive.len();
        let (mut f, mut a) = (vec![0.0; n], zeros::<T>(n, 1)?);
        let mut objective = self.objective(&a, &f);
        let least = tolerance::laplace::<T>();
        for _ in 0..tolerance::MOST_LAPLACE_STEPS {
            let (roots, factor) = self.factorise(k, &f, matrix)?;
            let target = self.newton(k, (&f, &roots), &factor)?;
            let before = objective;
            (f, a, objective) = self.line(k, target, (f, a, objective))?;
            let done = (objective - before).abs() <= least * (1.0 + objective.abs());
            matrix = factor.into_matrix();
            if done {
                break;
            }
        }
        let (roots, factor) = self.factorise(k, &f, matrix)?;
        let value = objective - 0.5 * factor.log_determinant();
        Ok(Mode { f, a, roots, factor, value })
    }

    /// W^½ and the factor of B.
    fn factorise<T: Scalar>(
        &self,
        k: MatRef<'_, T>,
        f: &[f64],
        mut matrix: LargeMat<T>,
    ) -> Result<(Vec<T>, Cholesky<T>), Error> {
        let root = |(i, &f): (usize, &f64)| T::from_f64(self.slopes(i, f).1.sqrt());
        let roots: Vec<T> = f.iter().enumerate().map(root).collect();
        scale_lower(k, &roots, matrix.as_mut());
        Ok((roots, Cholesky::new(matrix, 1.0)?))
    }

    /// The a of a whole Newton step: b − W^½B⁻¹W^½Kb with b = Wf + ∇.
    fn newton<T: Scalar>(
        &self,
        k: MatRef<'_, T>,
        (f, roots): (&[f64], &[T]),
        factor: &Cholesky<T>,
    ) -> Result<Mat<T>, Error> {
        let mut b = zeros::<T>(f.len(), 1)?;
        for (i, &f) in f.iter().enumerate() {
            let (gradient, w) = self.slopes(i, f);
            b[(i, 0)] = T::from_f64(w * f + gradient);
        }
        let mut v = times(k, &b)?;
        scale(&mut v, roots);
        factor.solve_in_place(v.as_mut());
        scale(&mut v, roots);
        Ok(b - v)
    }

    /// The first of the points target, (target + a)/2, … at which the objective is no less.
    fn line<T: Scalar>(
        &self,
        k: MatRef<'_, T>,
        mut target: Mat<T>,
        start: (Vec<f64>, Mat<T>, f64),
    ) -> Result<(Vec<f64>, Mat<T>, f64), Error> {
        let half = T::from_f64(0.5);
        for _ in 0..tolerance::MOST_HALVINGS {
            let f: Vec<f64> = times(k, &target)?.col(0).iter().map(|f| f.to_f64()).collect();
            let objective = self.objective(&target, &f);
            if objective >= start.2 {
                return Ok((f, target, objective));
            }
            for i in 0..target.nrows() {
                target[(i, 0)] = half * (target[(i, 0)] + start.1[(i, 0)]);
            }
        }
        Ok(start)
    }
}

/// KV.
pub(super) fn times<T: Scalar>(k: MatRef<'_, T>, v: &Mat<T>) -> Result<Mat<T>, Error> {
    let mut out = zeros(k.nrows(), v.ncols())?;
    matmul(out.as_mut(), Accum::Replace, k, v.as_ref(), T::ONE);
    Ok(out)
}

fn scale<T: Scalar>(v: &mut Mat<T>, roots: &[T]) {
    v.col_as_slice_mut(0).iter_mut().zip(roots).for_each(|(v, &root)| *v *= root);
}
