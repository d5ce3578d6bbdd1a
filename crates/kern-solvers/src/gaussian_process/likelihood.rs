//! Likelihoods with their gradients in the parameters of the kernel and in the noise.

use super::evidence::Evidence;
use super::params::Objective;
use crate::design::Design;
use crate::model::Regression;
use crate::{Data, Error, Run};
use kern_core::gradient::Differentiable;
use kern_core::{Points, Positive};
use kern_gram::matrix_bytes;

/// The logarithm of a likelihood of the targets, and its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLikelihood {
    /// The logarithm, summed over outputs.
    pub value: f64,
    /// ∂/∂ln θ for each of the kernel's [`free_parameters`](kern_core::gradient::free_parameters), in their order.
    pub gradient: Vec<f64>,
    /// ∂/∂ln σ².
    pub noise: f64,
}

/// The log marginal likelihood of targets under a Gaussian process with this kernel and noise of this variance σ², and its
/// gradient in the logarithms of all parameters.
///
/// # Definition
/// ln p(y) = −½yᵀC⁻¹y − ½ ln|C| − (n/2) ln 2π with C = K + σ²B⁻¹, for n points of positive weight. With α = C⁻¹y, the adjoint of
/// K is ½(ααᵀ − C⁻¹), which is [pulled back](Differentiable::pull_back) tile by tile.
///
/// # Complexity
/// n³ flops, and 2n² numbers whatever the number of parameters is.
///
/// # Errors
/// [`Error::Core`] unless σ² is positive and finite, and if the kernel refuses the points; [`Error::Gram`] for kernel values
/// that are not finite, or if 2n² numbers do not fit the memory of the run; [`Error::NotPositiveDefinite`] if K + σ²B⁻¹ is not
/// positive definite in floating-point numbers; [`Error::Range`] for a likelihood or derivative that is not finite.
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
/// // At y² = C, where the likelihood of y is greatest, nothing is gained by another variance.
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
    at((kernel, noise), Objective::Likelihood, data, run)
}

/// The logarithm of the probability of each target given all others, summed over points, and its gradient in the logarithms of
/// all parameters.
///
/// # Definition
/// Σᵢ ln p(yᵢ | y₋ᵢ) = Σᵢ ½ ln Qᵢᵢ − ½αᵢ²/Qᵢᵢ − ½ ln 2π, with Q = C⁻¹, α = Qy and C as in [`log_likelihood`]: yᵢ is normal with the
/// mean yᵢ − αᵢ/Qᵢᵢ and the variance 1/Qᵢᵢ. The adjoint of K is
/// −Q·diag(a)·Q − ½(αwᵀ + wαᵀ), aᵢ = ½(1 + αᵢ²/Qᵢᵢ)/Qᵢᵢ, w = Qb, bᵢ = −αᵢ/Qᵢᵢ.
///
/// # Complexity
/// Some 3n³ flops, and 2n² numbers.
///
/// # Errors
/// As [`log_likelihood`].
///
/// # References
/// Rasmussen & Williams (2006), (5.10) to (5.13); Sundararajan & Keerthi (2001), *Predictive Approaches for Choosing
/// Hyperparameters in Gaussian Processes*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, Run, gaussian_process::leave_one_out_likelihood};
/// let x = Samples::from_rows(&[[0.0], [100.0]])?;
/// // Neither point knows of the other: both are N(0, 1 + 1).
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
    at((kernel, noise), Objective::LeaveOneOut, data, run)
}

fn at<P, Y, K>(
    (kernel, noise): (&K, f64),
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
    Evidence::new(&design, data.targets().matrix())?.likelihood((kernel, noise), objective)
}
