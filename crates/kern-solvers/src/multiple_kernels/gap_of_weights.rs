//! The optimality gap of the weights of a sum of kernels, Σ ηₖKₖ, from the terms of the sum.

use crate::gaussian_process::adjoint::Adjoint;
use crate::model::{
    Classifier, KernelExpansion, MultiRegressor, ProbabilisticClassifier, Regressor,
};
use crate::{Error, tolerance};
use faer::{Mat, MatRef};
use kern_core::Points;
use kern_core::gradient::{Differentiable, FreeParameter, free_parameters};
use kern_core::parameters::Parameters;
use kern_gram::numerics::arithmetic::inner;
use kern_gram::{GramOperator, LazyGram, zeros};

/// The relative optimality gap of the weights of a model's kernel: other weights of the same p-norm
/// could save at most this part of its penalty.
///
/// # Definition
/// The objective of a learner with the penalty ½‖f‖² (or λ‖f‖²) is a convex function of the weights
/// η of K = Σ ηₖKₖ, with the derivatives −½aₖ, aₖ = αᵀKₖα summed over outputs, so it is at most
/// ½(‖η‖_p‖a‖_q − Σηₖaₖ) above that of the optimal weights with the norm ‖η‖_p, where
/// 1/p + 1/q = 1. The gap is this relative to ½Σηₖaₖ = ½‖f‖².
///
/// # Complexity
/// 2n² values of the kernel for a function on n points.
///
/// # Errors
/// [`Error::Unsupported`] for a kernel that is not a weighted sum; [`Error::Gram`] for non-finite
/// kernel values; [`Error::Core`] for a norm less than 1.
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
/// // Two equal kernels: all weights are equally good.
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

/// A model with a function f(x) = b + Σᵢ αᵢK(x, xᵢ).
pub trait Expanded<P: Points> {
    /// The kernel K.
    type Kernel;

    /// The function.
    fn expansion(&self) -> &KernelExpansion<P, Self::Kernel>;
}

impl<P: Points, K> Expanded<P> for Regressor<KernelExpansion<P, K>> {
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}

impl<P: Points, K> Expanded<P> for MultiRegressor<KernelExpansion<P, K>> {
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}

impl<P: Points, K, L: crate::Label> Expanded<P> for Classifier<KernelExpansion<P, K>, L> {
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}

impl<P: Points, K, L: crate::Label> Expanded<P>
    for ProbabilisticClassifier<KernelExpansion<P, K>, L>
{
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}

/// The terms of a function's kernel, with gₖ = ηₖαᵀKₖα, summed over outputs.
pub(super) struct Shares {
    pub(super) terms: Vec<Term>,
    shares: Vec<f64>,
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

    /// The optimal weights with the same p-norm for ‖fₖ‖² = ηₖgₖ, proportional to ‖fₖ‖^{2/(p + 1)}.
    pub(super) fn next(&self, norm: f64) -> Vec<f64> {
        let weights: Vec<f64> = self.terms.iter().map(|term| term.weight).collect();
        let pairs = weights.iter().zip(&self.shares);
        let next: Vec<f64> = pairs.map(|(eta, g)| (eta * g).powf(1.0 / (norm + 1.0))).collect();
        let scale = p_norm(&weights, norm) / p_norm(&next, norm);
        next.iter().map(|next| next * scale).collect()
    }
}

/// ‖v‖_p of non-negative values, without overflow.
fn p_norm(v: &[f64], p: f64) -> f64 {
    let largest = v.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 || p == f64::INFINITY {
        return largest;
    }
    largest * v.iter().map(|v| (v / largest).powf(p)).sum::<f64>().powf(1.0 / p)
}

/// A weight of a sum: its place among the free parameters, its name, and its value η.
pub(super) struct Term {
    pub(super) place: usize,
    pub(super) name: String,
    pub(super) weight: f64,
}

/// The weights of a kernel, at least two.
///
/// # Errors
/// [`Error::Unsupported`] for fewer.
pub(super) fn terms(kernel: &(impl Parameters + ?Sized)) -> Result<Vec<Term>, Error> {
    let is_weight = |free: &FreeParameter| free.name.rsplit('.').next() == Some("weight");
    let numbered = free_parameters(kernel).into_iter().enumerate();
    let terms: Vec<Term> = numbered
        .filter(|(_, free)| is_weight(free))
        .map(|(place, free)| Term { place, name: free.name, weight: free.value })
        .collect();
    match terms.len() {
        0 | 1 => Err(Error::Unsupported {
            what: "the weights of a kernel that is no weighted sum",
            instead: "learn those of a sum like `1.0 * a + 1.0 * b`",
        }),
        _ => Ok(terms),
    }
}

/// Fails unless each term of a kernel has one weight: then the derivatives gₖ, with respect to the
/// logarithms of the weights, of a function that is linear in K add up to its value.
pub(super) fn check_sum(slopes: &[f64], value: f64) -> Result<(), Error> {
    let sum: f64 = slopes.iter().sum();
    match (sum - value).abs() <= tolerance::MISSING_TERM * value.abs() {
        true => Ok(()),
        false => Err(Error::Unsupported {
            what: "a kernel of which a part has no weight, or two",
            instead: "give each term of the sum one weight",
        }),
    }
}

/// ∂ tr(αᵀKα)/∂ln θ for each free parameter.
pub(super) fn quadratic<P, K>(
    kernel: &K,
    points: &P,
    alpha: MatRef<'_, P::Scalar>,
) -> Result<Vec<f64>, Error>
where
    P: Points,
    K: Differentiable<P>,
{
    let none: Mat<P::Scalar> = zeros(0, alpha.nrows())?;
    let adjoint =
        Adjoint { factor: none.as_ref(), is_lower: false, weight: 0.0, vectors: (alpha, alpha) };
    Ok(adjoint.pull_back(kernel, points))
}
