//! The terms of a weighted sum of kernels, by the names of their weights.

use crate::gaussian_process::adjoint::Adjoint;
use crate::{Error, tolerance};
use faer::{Mat, MatRef};
use kern_core::Points;
use kern_core::gradient::{Differentiable, FreeParameter, free_parameters};
use kern_core::parameters::Parameters;
use kern_gram::zeros;

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

/// Refuses a kernel whose weights do not belong to one term each: with the derivatives gₖ of a function that is linear in K,
/// those of the weights add up to its value.
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
