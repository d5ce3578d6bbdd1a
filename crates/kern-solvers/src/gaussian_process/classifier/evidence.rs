//! Laplace's approximation of the likelihood of classes, and its gradient.

use super::mode::{Mode, Problem, times};
use crate::Error;
use crate::gaussian_process::LogLikelihood;
use crate::gaussian_process::adjoint::Adjoint;
use faer::{Accum, Mat, MatRef};
use kern_core::gradient::Differentiable;
use kern_core::memory::LargeMat;
use kern_core::products::matmul;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::cholesky::squared_norm;
use kern_gram::numerics::sigmoid::sigmoid;
use kern_gram::{DenseGram, parallel, tile_ranges, zeros};

/// Columns of FK that a thread holds.
const WIDTH: usize = 64;

/// Points and their classes, and three matrices of n² numbers that all evaluations share.
pub(super) struct Evidence<'e, P: Points> {
    points: &'e P,
    problems: &'e [Problem<'e>],
    matrices: Vec<LargeMat<P::Scalar>>,
}

impl<'e, P: Points> Evidence<'e, P> {
    pub(super) const fn new(points: &'e P, problems: &'e [Problem<'e>]) -> Self {
        Self { points, problems, matrices: Vec::new() }
    }

    fn matrix(&mut self) -> Result<LargeMat<P::Scalar>, Error> {
        let n = self.points.len();
        Ok(self.matrices.pop().map_or_else(|| LargeMat::zeros(n, n), Ok)?)
    }

    fn gram<K: Kernel<P>>(&mut self, kernel: &K) -> Result<LargeMat<P::Scalar>, Error> {
        let mut gram = self.matrix()?;
        DenseGram::fill(kernel, self.points, gram.as_mut())?;
        Ok(gram)
    }

    /// The mode of each problem.
    pub(super) fn modes<K: Kernel<P>>(
        &mut self,
        kernel: &K,
    ) -> Result<Vec<Mode<P::Scalar>>, Error> {
        let gram = self.gram(kernel)?;
        let mut modes = Vec::with_capacity(self.problems.len());
        for problem in self.problems {
            modes.push(problem.mode(gram.as_ref(), self.matrix()?)?);
        }
        Ok(modes)
    }

    /// The likelihood, summed over problems, and its gradient.
    pub(super) fn likelihood<K: Differentiable<P>>(
        &mut self,
        kernel: &K,
    ) -> Result<LogLikelihood, Error> {
        let gram = self.gram(kernel)?;
        let mut sum = LogLikelihood { value: 0.0, gradient: Vec::new(), noise: 0.0 };
        for problem in self.problems {
            let mode = problem.mode(gram.as_ref(), self.matrix()?)?;
            let gradient = self.gradient((kernel, gram.as_ref()), problem, &mode)?;
            sum.value += mode.value;
            match sum.gradient.is_empty() {
                true => sum.gradient = gradient,
                false => sum.gradient.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += g),
            }
            self.matrices.push(mode.factor.into_matrix());
        }
        self.matrices.push(gram);
        for given in sum.gradient.iter().copied().chain([sum.value]) {
            if !given.is_finite() {
                return Err(Error::Range { what: "the likelihood or its gradient", given });
            }
        }
        Ok(sum)
    }

    /// The adjoint of K is ½(aaᵀ − R) + ½(u∇ᵀ + ∇uᵀ) with u = s − RKs, sᵢ = −½((K⁻¹ + W)⁻¹)ᵢᵢ·∂Wᵢ/∂fᵢ; and a = ∇ at the mode.
    fn gradient<K: Differentiable<P>>(
        &mut self,
        (kernel, gram): (&K, MatRef<'_, P::Scalar>),
        problem: &Problem<'_>,
        mode: &Mode<P::Scalar>,
    ) -> Result<Vec<f64>, Error> {
        let n = self.points.len();
        let mut root = self.matrix()?;
        mode.factor.inverse_root_into(root.as_mut());
        for (column, &scale) in root.as_mut().col_iter_mut().zip(&mode.roots) {
            column.iter_mut().for_each(|value| *value *= scale);
        }
        let explained = explained(root.as_ref(), gram);
        let mut s = zeros::<P::Scalar>(n, 1)?;
        for i in 0..n {
            let (p, q) = sigmoid(mode.f[i]);
            let left = gram[(i, i)].to_f64() - explained[i];
            s[(i, 0)] = P::Scalar::from_f64(-0.5 * left * problem.weight(i) * p * q * (q - p));
        }
        let (root_ref, one) = (root.as_ref(), P::Scalar::ONE);
        let seen = times(root_ref, &times(gram, &s)?)?;
        let mut u = s;
        matmul(u.as_mut(), Accum::Add, root_ref.transpose(), seen.as_ref(), -one);
        let (mut slopes, half) = (zeros(n, 1)?, P::Scalar::from_f64(0.5));
        for i in 0..n {
            slopes[(i, 0)] = P::Scalar::from_f64(problem.slopes(i, mode.f[i]).0);
        }
        let with_half = Mat::from_fn(n, 1, |i, _| half * slopes[(i, 0)] + u[(i, 0)]);
        let adjoint = Adjoint {
            factor: root_ref,
            is_lower: true,
            weight: 0.5,
            vectors: (with_half.as_ref(), slopes.as_ref()),
        };
        let gradient = adjoint.pull_back(kernel, self.points);
        self.matrices.push(root);
        Ok(gradient)
    }
}

/// The diagonal of KRK, by the squared norms of the columns of FK.
fn explained<T: Scalar>(root: MatRef<'_, T>, gram: MatRef<'_, T>) -> Vec<f64> {
    let n = gram.nrows();
    let of_block = |(): &mut (), range: std::ops::Range<usize>| {
        let mut seen = Mat::<T>::zeros(n, range.len());
        let columns = gram.subcols(range.start, range.len());
        matmul(seen.as_mut(), Accum::Replace, root, columns, T::ONE);
        seen.col_iter().map(squared_norm).collect::<Vec<f64>>()
    };
    parallel::map_init(tile_ranges(n, WIDTH), || (), of_block).concat()
}
