//! The posterior of latent functions.

use super::average::logit_of_mean;
use crate::Error;
use crate::gaussian_process::factor::Factor;
use crate::model::{Arity, Decision, KernelExpansion};
use crate::variance::{between, by_blocks, unexplained};
use faer::Mat;
use kern_core::{Kernel, Named, Points, Scalar};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// The posterior of the latent function of each problem, as a normal distribution around its mode.
///
/// # Definition
/// At x, with k = K(X, x), the latent function has the mean kᵀa and the variance K(x, x) − kᵀ(K + W⁻¹)⁻¹k. Its
/// [decision value](Decision::decide) is the logit of the mean probability ∫ σ(z)N(z | mean, variance)dz, so that
/// 1/(1 + exp(−value)) is this probability: far from all points it is ½, however sure the mode is between them.
///
/// # Complexity
/// n kernel values and n² flops for each query and problem.
///
/// # References
/// Rasmussen & Williams (2006), (3.21), (3.24) and (3.25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<P, K>",
    bound(
        serialize = "P: Serialize, K: Named + Serialize",
        deserialize = "P: Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"
    )
)]
pub struct LatentPosterior<P: Points, K> {
    pub(super) mean: KernelExpansion<P, K>,
    /// L of each problem.
    pub(super) factors: Vec<Factor<P::Scalar>>,
    /// W^½ of each problem.
    pub(super) roots: Vec<Vec<P::Scalar>>,
    pub(super) log_likelihood: f64,
}

/// A posterior as it is read.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"))]
struct Unchecked<P: Points, K> {
    mean: KernelExpansion<P, K>,
    factors: Vec<Factor<P::Scalar>>,
    roots: Vec<Vec<P::Scalar>>,
    log_likelihood: f64,
}

impl<P: Points, K: Kernel<P>> TryFrom<Unchecked<P, K>> for LatentPosterior<P, K> {
    type Error = Error;

    fn try_from(read: Unchecked<P, K>) -> Result<Self, Error> {
        let Unchecked { mean, factors, roots, log_likelihood } = read;
        let (n, outputs) = (mean.points().len(), mean.arity());
        for (name, given) in [("factors", factors.len()), ("roots", roots.len())] {
            if given != outputs {
                return Err(Error::Length { what: name, expected: outputs, given });
            }
        }
        let sizes = factors.iter().map(Factor::size).chain(roots.iter().map(Vec::len));
        for given in sizes {
            if given != n {
                return Err(Error::Length { what: "numbers of a problem", expected: n, given });
            }
        }
        let mut numbers = roots.iter().flatten().map(|root| root.to_f64());
        match numbers.find(|root| !root.is_finite() || *root < 0.0) {
            Some(given) => Err(Error::Range { what: "a root of W", given }),
            None if !log_likelihood.is_finite() => {
                Err(Error::Range { what: "the likelihood", given: log_likelihood })
            }
            None => Ok(Self { mean, factors, roots, log_likelihood }),
        }
    }
}

impl<P: Points, K: Kernel<P>> LatentPosterior<P, K> {
    /// The kernel that was learned.
    pub fn kernel(&self) -> &K {
        self.mean.kernel()
    }

    /// The logarithm of the likelihood of the classes of the fit, in Laplace's approximation, summed over problems.
    pub const fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The mean of each latent function: queries × problems.
    ///
    /// # Errors
    /// If the kernel refuses the queries, or a value is not finite.
    pub fn latent_mean(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        self.mean.decide(queries)
    }

    /// The variance of each latent function: queries × problems. Rounding below zero is cut off.
    ///
    /// # Errors
    /// As [`latent_mean`](Self::latent_mean).
    pub fn latent_variance(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let mut out = zeros(queries.len(), self.factors.len())?;
        for (problem, (factor, roots)) in self.factors.iter().zip(&self.roots).enumerate() {
            let variances = by_blocks(queries, |queries, start| {
                let mut k = between(self.kernel(), self.mean.points(), queries)?;
                for column in k.as_mut().col_iter_mut() {
                    column.iter_mut().zip(roots).for_each(|(k, &root)| *k *= root);
                }
                factor.half_solve_in_place(k.as_mut());
                unexplained(self.kernel(), queries, start, k.as_ref())
            })?;
            out.col_as_slice_mut(problem).copy_from_slice(&variances);
        }
        Ok(out)
    }
}

impl<P: Points, K> Arity for LatentPosterior<P, K> {
    fn arity(&self) -> usize {
        self.mean.arity()
    }
}

impl<P: Points, K: Kernel<P>> Decision<P> for LatentPosterior<P, K> {
    fn outputs(&self) -> usize {
        self.mean.outputs()
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        let (mut values, variances) = (self.latent_mean(points)?, self.latent_variance(points)?);
        for (column, variances) in values.as_mut().col_iter_mut().zip(variances.col_iter()) {
            for (value, variance) in column.iter_mut().zip(variances.iter()) {
                *value = P::Scalar::from_f64(logit_of_mean(value.to_f64(), variance.to_f64()));
            }
        }
        Ok(values)
    }

    fn check_numbers(&self) -> Result<(), Error> {
        self.mean.check_numbers()
    }
}
