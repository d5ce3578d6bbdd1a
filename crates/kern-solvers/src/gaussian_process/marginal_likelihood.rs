//! Log marginal likelihood and leave-one-out log likelihood of the targets of a Gaussian process,
//! with their gradients in the kernel parameters and in the noise.

use super::adjoint::Adjoint;
use crate::design::Design;
use crate::model::Regression;
use crate::{Data, Error, Run};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::gradient::Differentiable;
use kern_core::memory::LargeMat;
use kern_core::products::matmul;
use kern_core::{Kernel, Points, Positive, Scalar, named_values};
use kern_gram::numerics::arithmetic::inner;
use kern_gram::numerics::cholesky::{Cholesky, column_blocks, scale_lower_in_place, squared_norm};
use kern_gram::{DenseGram, matrix_bytes, parallel, zeros};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Columns of a product that a thread computes at a time.
const WIDTH: usize = 64;

/// A log likelihood of the targets, and its derivatives.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LogLikelihood {
    /// The log likelihood, summed over outputs.
    pub value: f64,
    /// ∂/∂ln θ for each of the kernel's [`free_parameters`](kern_core::gradient::free_parameters),
    /// in their order.
    pub gradient: Vec<f64>,
    /// ∂/∂ln σ².
    pub noise: f64,
}

/// The log marginal likelihood of the targets under a Gaussian process with this kernel and noise
/// variance σ², and its gradient in the logarithms of all parameters.
///
/// # Definition
/// ln p(y) = −½yᵀC⁻¹y − ½ ln|C| − (n/2) ln 2π with C = K + σ²B⁻¹, for n points of positive weight.
/// With α = C⁻¹y, the adjoint of K is ½(ααᵀ − C⁻¹), which is [pulled
/// back](Differentiable::pull_back) tile by tile.
///
/// # Complexity
/// n³ flops and memory for 2n² values, independent of the number of parameters.
///
/// # Errors
/// [`Error::Core`] unless σ² is positive and finite, and if the kernel rejects the points;
/// [`Error::Gram`] for non-finite kernel values, or if 2n² values exceed the memory of the run;
/// [`Error::NotPositiveDefinite`] if K + σ²B⁻¹ is not numerically positive definite;
/// [`Error::Range`] for a non-finite likelihood or derivative.
///
/// # References
/// Rasmussen & Williams (2006), (5.8) and (5.9).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, Run, gaussian_process::log_likelihood};
/// let x = Samples::from_rows(&[[0.0]])?;
/// // y ~ N(0, 3 + 1).
/// let found = log_likelihood(&(3.0 * Rbf::new(1.0)?), 1.0, &Data::new(&x, &[2.0])?, &Run::new())?;
/// let expected = -0.5 - 0.5 * (std::f64::consts::TAU * 4.0).ln();
/// assert!((found.value - expected).abs() < 1e-15);
/// // y² = C is the maximum in the variance, so both derivatives vanish.
/// assert!(found.gradient[0].abs() < 1e-15 && found.noise.abs() < 1e-15);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "marginal likelihood")]
#[doc(alias = "evidence")]
pub fn log_likelihood<P, Y, K>(
    kernel: &K,
    noise: f64,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Differentiable<P>,
{
    at(kernel, noise, Objective::Likelihood, data, run)
}

/// The leave-one-out log likelihood: the log probability of each target given all others, summed
/// over points, and its gradient in the logarithms of all parameters.
///
/// # Definition
/// Σᵢ ln p(yᵢ | y₋ᵢ) = Σᵢ ½ ln Qᵢᵢ − ½αᵢ²/Qᵢᵢ − ½ ln 2π, with Q = C⁻¹, α = Qy and C as in
/// [`log_likelihood`]: yᵢ is normal with the mean yᵢ − αᵢ/Qᵢᵢ and the variance 1/Qᵢᵢ. The adjoint
/// of K is −Q·diag(a)·Q − ½(αwᵀ + wαᵀ), aᵢ = ½(1 + αᵢ²/Qᵢᵢ)/Qᵢᵢ, w = Qb, bᵢ = −αᵢ/Qᵢᵢ.
///
/// # Complexity
/// About 3n³ flops and memory for 2n² values.
///
/// # Errors
/// As [`log_likelihood`].
///
/// # References
/// Rasmussen & Williams (2006), (5.10) to (5.13); Sundararajan & Keerthi (2001), *Predictive
/// Approaches for Choosing Hyperparameters in Gaussian Processes*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, Run, gaussian_process::leave_one_out_likelihood};
/// let x = Samples::from_rows(&[[0.0], [100.0]])?;
/// // The points are independent: both targets are N(0, 1 + 1).
/// let data = Data::new(&x, &[1.0, 2.0])?;
/// let found = leave_one_out_likelihood(&Rbf::new(1.0)?, 1.0, &data, &Run::new())?;
/// let expected = -0.25 * (1.0 + 4.0) - (std::f64::consts::TAU * 2.0).ln();
/// assert!((found.value - expected).abs() < 1e-15);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn leave_one_out_likelihood<P, Y, K>(
    kernel: &K,
    noise: f64,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Differentiable<P>,
{
    at(kernel, noise, Objective::LeaveOneOut, data, run)
}

fn at<P, Y, K>(
    kernel: &K,
    noise: f64,
    objective: Objective,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Differentiable<P>,
{
    Positive::new("noise", noise)?;
    let weights = data.sample_weights().map(<[f64]>::to_vec);
    let design = Design::new((), data.points(), weights, false)?;
    let n = design.points().len();
    let needed = matrix_bytes::<P::Scalar>(n, 2 * n);
    run.budget().require("the gradient of a likelihood", needed, "learn on fewer points")?;
    Evidence::new(&design, data.targets().matrix())?.likelihood(kernel, noise, objective)
}

/// The objective that the hyper-parameters of a Gaussian process maximise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Objective {
    /// The marginal likelihood of all targets: [`log_likelihood`].
    #[default]
    Likelihood,
    /// The probability of each target given the others: [`leave_one_out_likelihood`]. It is less
    /// sensitive to a wrong prior.
    LeaveOneOut,
}

named_values!(Objective { "likelihood" => Likelihood, "leave_one_out" => LeaveOneOut });

/// Points with their targets, and two n × n matrices that all evaluations reuse.
pub(super) struct Evidence<'d, 'a, P: Points> {
    design: &'d Design<'a, P, ()>,
    /// B^½y.
    whitened: Mat<P::Scalar>,
    matrices: Vec<LargeMat<P::Scalar>>,
}

/// The factor of M = B^½KB^½ + σ²I, and γ = M⁻¹B^½y.
pub(super) struct Solved<T: Scalar> {
    pub(super) factor: Cholesky<T>,
    pub(super) gamma: Mat<T>,
}

impl<'d, 'a, P: Points> Evidence<'d, 'a, P> {
    pub(super) fn new(
        design: &'d Design<'a, P, ()>,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<Self, Error> {
        Ok(Self { design, whitened: design.whiten(y)?, matrices: Vec::new() })
    }

    fn matrix(&mut self) -> Result<LargeMat<P::Scalar>, Error> {
        let n = self.whitened.nrows();
        Ok(self.matrices.pop().map_or_else(|| LargeMat::zeros(n, n), Ok)?)
    }

    /// Factorises M for this kernel and this σ², and solves for γ.
    pub(super) fn solve<K: Kernel<P>>(
        &mut self,
        kernel: &K,
        noise: f64,
    ) -> Result<Solved<P::Scalar>, Error> {
        let mut matrix = self.matrix()?;
        DenseGram::fill(kernel, self.design.points(), matrix.as_mut())?;
        if let Some(roots) = self.design.roots() {
            scale_lower_in_place(matrix.as_mut(), roots);
        }
        let factor = Cholesky::new(matrix, noise)?;
        let mut gamma = self.whitened.clone();
        factor.solve_in_place(gamma.as_mut());
        Ok(Solved { factor, gamma })
    }

    /// The value of an objective.
    pub(super) fn value(
        &self,
        solved: &Solved<P::Scalar>,
        objective: Objective,
    ) -> Result<f64, Error> {
        match objective {
            Objective::Likelihood => finite(self.marginal_value(solved)),
            Objective::LeaveOneOut => {
                let diagonal = solved.factor.inverse_diagonal()?.into_iter().enumerate();
                let diagonal: Vec<f64> = diagonal.map(|(i, c)| self.design.weight(i) * c).collect();
                let alpha = self.design.unwhiten(solved.gamma.clone());
                finite(left_out_value(&diagonal, alpha.as_ref()))
            }
        }
    }

    /// The value of an objective, and its derivatives.
    pub(super) fn likelihood<K: Differentiable<P>>(
        &mut self,
        kernel: &K,
        noise: f64,
        objective: Objective,
    ) -> Result<LogLikelihood, Error> {
        let solved = self.solve(kernel, noise)?;
        let mut root = self.matrix()?;
        solved.factor.inverse_root_into(root.as_mut());
        let (found, matrix) = match objective {
            Objective::Likelihood => {
                let found = self.marginal(kernel, noise, &solved, root.as_mut());
                (found, solved.factor.into_matrix())
            }
            Objective::LeaveOneOut => {
                let mut inverse = solved.factor.into_matrix();
                let found =
                    self.left_out(kernel, noise, solved.gamma, root.as_mut(), inverse.as_mut())?;
                (found, inverse)
            }
        };
        self.matrices = vec![matrix, root];
        for number in found.gradient.iter().copied().chain([found.value, found.noise]) {
            finite(number)?;
        }
        Ok(found)
    }

    /// −½yᵀα − ½ ln|C| − (n/2) ln 2π, for each output, with ln|C| = ln|M| − ln|B|.
    fn marginal_value(&self, Solved { factor, gamma }: &Solved<P::Scalar>) -> f64 {
        let (n, outputs) = (gamma.nrows(), gamma.ncols() as f64);
        let energy = inner(self.whitened.as_ref(), gamma.as_ref());
        let weights: f64 = (0..n).map(|i| self.design.weight(i).ln()).sum();
        let determinant = factor.log_determinant() - weights;
        -0.5 * energy - 0.5 * outputs * (determinant + n as f64 * TAU.ln())
    }

    /// The marginal likelihood: ∂/∂K = ½(Σ ααᵀ − outputs·C⁻¹), summed over outputs. `root` is R,
    /// the inverse of M's factor, and is overwritten.
    fn marginal<K: Differentiable<P>>(
        &self,
        kernel: &K,
        noise: f64,
        solved: &Solved<P::Scalar>,
        mut root: MatMut<'_, P::Scalar>,
    ) -> LogLikelihood {
        let outputs = solved.gamma.ncols() as f64;
        let squares: f64 = solved.gamma.col_iter().map(squared_norm).sum();
        let trace: f64 = root.as_ref().col_iter().map(squared_norm).sum();
        self.scale_columns(root.as_mut());
        let alpha = self.design.unwhiten(solved.gamma.clone());
        let half = P::Scalar::from_f64(0.5);
        let halves = Mat::from_fn(alpha.nrows(), alpha.ncols(), |i, k| half * alpha[(i, k)]);
        let adjoint = Adjoint {
            factor: root.as_ref(),
            is_lower: true,
            weight: 0.5 * outputs,
            vectors: (alpha.as_ref(), halves.as_ref()),
        };
        LogLikelihood {
            value: self.marginal_value(solved),
            gradient: adjoint.pull_back(kernel, self.design.points()),
            noise: 0.5 * noise * (squares - outputs * trace),
        }
    }

    /// The leave-one-out likelihood. With Q = C⁻¹, aᵢ = Σ ½(1 + αᵢ²/Qᵢᵢ)/Qᵢᵢ over outputs,
    /// bᵢ = −αᵢ/Qᵢᵢ and w = Qb of each of them, ∂/∂K = −Q·diag(a)·Q − ½Σ(αwᵀ + wαᵀ). `root` is R
    /// and `inverse` is overwritten.
    fn left_out<K: Differentiable<P>>(
        &self,
        kernel: &K,
        noise: f64,
        gamma: Mat<P::Scalar>,
        mut root: MatMut<'_, P::Scalar>,
        mut inverse: MatMut<'_, P::Scalar>,
    ) -> Result<LogLikelihood, Error> {
        let (n, outputs) = gamma.shape();
        self.scale_columns(root.as_mut());
        let alpha = self.design.unwhiten(gamma);
        square(root.as_ref(), inverse.as_mut());
        let diagonal: Vec<f64> = (0..n).map(|i| inverse[(i, i)].to_f64()).collect();
        let value = left_out_value(&diagonal, alpha.as_ref());

        let mut slopes = zeros(n, outputs)?;
        let mut roots = vec![0.0; n];
        for (i, q) in diagonal.iter().enumerate() {
            for k in 0..outputs {
                let alpha = alpha[(i, k)].to_f64();
                roots[i] += 0.5 * (1.0 + alpha * alpha / q) / q;
                slopes[(i, k)] = P::Scalar::from_f64(alpha / q);
            }
        }
        let roots: Vec<P::Scalar> = roots.iter().map(|a| P::Scalar::from_f64(a.sqrt())).collect();
        // −w.
        let mut away: Mat<P::Scalar> = zeros(n, outputs)?;
        let one = P::Scalar::ONE;
        matmul(away.as_mut(), Accum::Replace, inverse.as_ref(), slopes.as_ref(), one);
        for column in inverse.as_mut().col_iter_mut() {
            column.iter_mut().zip(&roots).for_each(|(q, &root)| *q *= root);
        }
        let of_point = |i: usize| {
            let pair = |k: usize| alpha[(i, k)].to_f64() * away[(i, k)].to_f64();
            let vectors: f64 = (0..outputs).map(pair).sum();
            (vectors - squared_norm(inverse.as_ref().col(i))) / self.design.weight(i)
        };
        let noise = noise * (0..n).map(of_point).sum::<f64>();
        let adjoint = Adjoint {
            factor: inverse.as_ref(),
            is_lower: false,
            weight: 1.0,
            vectors: (alpha.as_ref(), away.as_ref()),
        };
        let gradient = adjoint.pull_back(kernel, self.design.points());
        Ok(LogLikelihood { value, gradient, noise })
    }

    /// R ← RB^½.
    fn scale_columns(&self, root: MatMut<'_, P::Scalar>) {
        let Some(roots) = self.design.roots() else { return };
        for (column, &scale) in root.col_iter_mut().zip(roots) {
            column.iter_mut().for_each(|value| *value *= scale);
        }
    }
}

/// Σ ½ ln Qᵢᵢ − ½αᵢ²/Qᵢᵢ − ½ ln 2π over points and outputs.
fn left_out_value<T: Scalar>(diagonal: &[f64], alpha: MatRef<'_, T>) -> f64 {
    let of_output = |alpha: faer::ColRef<'_, T>| -> f64 {
        let points = alpha.iter().zip(diagonal);
        points.map(|(alpha, q)| 0.5 * (q.ln() - alpha.to_f64().powi(2) / q - TAU.ln())).sum()
    };
    alpha.col_iter().map(of_output).sum()
}

/// `out` ← RᵀR for a lower triangular R.
fn square<T: Scalar>(root: MatRef<'_, T>, out: MatMut<'_, T>) {
    let n = root.nrows();
    let of_block = |(): &mut (), (start, out): (usize, MatMut<'_, T>)| {
        // The columns of R start with zeros.
        let left = root.subrows(start, n - start);
        let right = left.subcols(start, out.ncols());
        matmul(out, Accum::Replace, left.transpose(), right, T::ONE);
    };
    parallel::for_each_init(column_blocks(out, WIDTH), || (), of_block);
}

/// Fails if a likelihood or derivative is non-finite.
fn finite(given: f64) -> Result<f64, Error> {
    if given.is_finite() {
        Ok(given)
    } else {
        Err(Error::Range { what: "the likelihood or its gradient", given })
    }
}
