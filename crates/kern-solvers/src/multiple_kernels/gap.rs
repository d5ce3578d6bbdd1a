//! The distance of weights from the best ones.

use super::Expanded;
use super::terms::{Term, check_sum, quadratic, terms};
use crate::model::KernelExpansion;
use crate::{Error, tolerance};
use kern_core::Points;
use kern_core::gradient::Differentiable;
use kern_gram::numerics::arithmetic::inner;
use kern_gram::{GramOperator, LazyGram, zeros};

/// The terms of a function's kernel, with gₖ = ηₖαᵀKₖα, summed over outputs.
pub(super) struct Shares {
    pub(super) terms: Vec<Term>,
    pub(super) shares: Vec<f64>,
}

impl Shares {
    pub(super) fn of<P, K>(function: &KernelExpansion<P, K>) -> Result<Self, Error>
    where
        P: Points,
        K: Differentiable<P>,
    {
        let (kernel, alpha) = (function.kernel(), function.coefficients());
        let terms = terms(kernel)?;
        let slopes = quadratic(kernel, function.points(), alpha)?;
        let shares: Vec<f64> = terms.iter().map(|term| slopes[term.place].max(0.0)).collect();
        let mut values = zeros(alpha.nrows(), alpha.ncols())?;
        LazyGram::new(kernel, function.points())?.apply_into(alpha, values.as_mut())?;
        check_sum(&shares, inner(alpha, values.as_ref()))?;
        Ok(Self { terms, shares })
    }

    /// (‖η‖_p·‖a‖_q − Σgₖ)/Σgₖ with aₖ = gₖ/ηₖ and 1/p + 1/q = 1.
    pub(super) fn gap(&self, norm: f64) -> f64 {
        let weights: Vec<f64> = self.terms.iter().map(|term| term.weight).collect();
        let pairs = self.shares.iter().zip(&weights);
        let slopes: Vec<f64> =
            pairs.map(|(g, &eta)| if eta > 0.0 { g / eta } else { 0.0 }).collect();
        let dual = if norm > 1.0 { norm / (norm - 1.0) } else { f64::INFINITY };
        let sum: f64 = self.shares.iter().sum();
        if sum > 0.0 { (p_norm(&weights, norm) * p_norm(&slopes, dual) - sum) / sum } else { 0.0 }
    }

    /// The weights with the same p-norm that are best for ‖fₖ‖² = ηₖgₖ: proportional to ‖fₖ‖^{2/(p + 1)}.
    pub(super) fn next(&self, norm: f64) -> Vec<f64> {
        let weights: Vec<f64> = self.terms.iter().map(|term| term.weight).collect();
        let pairs = weights.iter().zip(&self.shares);
        let next: Vec<f64> = pairs.map(|(eta, g)| (eta * g).powf(1.0 / (norm + 1.0))).collect();
        let scale = p_norm(&weights, norm) / p_norm(&next, norm);
        next.iter().map(|next| next * scale).collect()
    }
}

/// ‖v‖_p of numbers that are not negative, without overflow.
fn p_norm(v: &[f64], p: f64) -> f64 {
    let greatest = v.iter().copied().fold(0.0, f64::max);
    if greatest == 0.0 || p == f64::INFINITY {
        return greatest;
    }
    greatest * v.iter().map(|v| (v / greatest).powf(p)).sum::<f64>().powf(1.0 / p)
}

/// The relative gap of the weights of a model's kernel: what other weights of the same p-norm could take of its penalty at most.
///
/// # Definition
/// The objective of a learner with the penalty ½‖f‖² (or λ‖f‖²) is a convex function of the weights η of K = Σ ηₖKₖ, with the
/// derivatives −½aₖ, aₖ = αᵀKₖα summed over outputs, so it is no more than ½(‖η‖_p‖a‖_q − Σηₖaₖ) above that of the best weights
/// with the norm ‖η‖_p, where 1/p + 1/q = 1. The gap is this relative to ½Σηₖaₖ = ½‖f‖².
///
/// # Complexity
/// 2n² values of the kernel for n points that the function knows.
///
/// # Errors
/// [`Error::Unsupported`] for a kernel that is no weighted sum; [`Error::Gram`] for kernel values that are not finite;
/// [`Error::Core`] for a norm less than 1.
///
/// # References
/// Kloft, Brefeld, Sonnenburg & Zien (2011), *ℓp-Norm Multiple Kernel Learning*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::multiple_kernels::weight_gap;
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// // Two equal kernels: no weights are better than others.
/// let kernel = 0.3 * Rbf::new(1.0)? + 0.7 * Rbf::new(1.0)?;
/// let model = Ridge::on_kernel(kernel).lambda(0.1).fit(&x, &[1.0_f64, 0.0, 2.0])?;
/// let gap = weight_gap::<Samples<f64>, _>(&model, 1.0)?;
/// assert!(gap.abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn weight_gap<P, M>(model: &M, norm: f64) -> Result<f64, Error>
where
    P: Points,
    M: Expanded<P>,
    M::Kernel: Differentiable<P>,
{
    tolerance::P_NORM.accept("norm", &norm.into())?;
    Ok(Shares::of(model.expansion())?.gap(norm))
}
