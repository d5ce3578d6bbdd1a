//! Posterior of the latent functions of a Gaussian process classifier, and class probabilities: the
//! mean of the sigmoid under a normal distribution.

use super::stored_cholesky::Factor;
use crate::Error;
use crate::model::{Arity, Decision, KernelExpansion};
use crate::variance::{between, by_blocks, unexplained};
use faer::Mat;
use kern_core::{Kernel, Named, Points, Scalar};
use kern_gram::numerics::sigmoid::sigmoid;
use kern_gram::zeros;
use libm::erfc;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// Step of the trapezoidal rule, for integrands that are smooth on the scale of 1.
const STEP: f64 = 0.5;

/// The posterior of the latent function of each problem, as a normal distribution around its mode.
///
/// # Definition
/// At x, with k = K(X, x), the latent function has the mean kᵀa and the variance K(x,
/// x) − kᵀ(K + W⁻¹)⁻¹k. Its [decision value](Decision::decide) is the logit of the mean probability
/// ∫ σ(z)N(z | mean, variance)dz, so 1/(1 + exp(−value)) is this probability. Far from all points
/// it is ½, however confident the classifier is near them.
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

/// A deserialised posterior before validation.
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
        Error::check_equal("factors", outputs, factors.len())?;
        Error::check_equal("roots", outputs, roots.len())?;
        for given in factors.iter().map(Factor::size).chain(roots.iter().map(Vec::len)) {
            Error::check_equal("numbers of a problem", n, given)?;
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
    /// The learned kernel.
    pub fn kernel(&self) -> &K {
        self.mean.kernel()
    }

    /// The log likelihood of the training classes in Laplace's approximation, summed over problems.
    pub const fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The mean of each latent function: queries × problems.
    ///
    /// # Errors
    /// Fails if the kernel rejects the queries or a value is non-finite.
    pub fn latent_mean(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        self.mean.decide(queries)
    }

    /// The variance of each latent function: queries × problems. Negative rounding errors become 0.
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

/// The logit of ∫ σ(z)N(z | mean, variance)dz.
///
/// The trapezoidal rule with step h converges as fast as exp(−2πd/h), where d is the distance of
/// the poles from the real axis. For σ(mean + √variance·u) it is π/√variance, which suits narrow
/// distributions. For wide ones, integration by parts gives the probability that a logistic
/// variable s is less than z: the poles of its density are at distance π, whatever the variance is.
/// Probabilities are accurate to 1e-15 in absolute terms, so the relative error of small ones is
/// larger.
fn logit_of_mean(mean: f64, variance: f64) -> f64 {
    let deviation = variance.sqrt();
    let (yes, no) = if variance < 1.0 {
        // N(u | 0, 1) beyond 9 is less than 1e-18.
        sum(9.0, |u| {
            let density = (-0.5 * u * u).exp() / TAU.sqrt();
            let (yes, no) = sigmoid(mean + deviation * u);
            (density * yes, density * no)
        })
    } else {
        sum(40.0, |s| {
            let e = (-s.abs()).exp();
            let density = e / ((1.0 + e) * (1.0 + e));
            let above = FRAC_1_SQRT_2 * (mean - s) / deviation;
            (0.5 * density * erfc(-above), 0.5 * density * erfc(above))
        })
    };
    // The logit stays finite where one of the probabilities underflows.
    yes.max(f64::MIN_POSITIVE).ln() - no.max(f64::MIN_POSITIVE).ln()
}

/// Trapezoidal sums of two functions over the multiples of [`STEP`] from −`end` to `end`.
fn sum(end: f64, of: impl Fn(f64) -> (f64, f64)) -> (f64, f64) {
    let half = (end / STEP) as i32;
    let terms = (-half..=half).map(|k| of(STEP * f64::from(k)));
    let (yes, no) = terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
    (STEP * yes, STEP * no)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probability(mean: f64, variance: f64) -> f64 {
        1.0 / (1.0 + (-logit_of_mean(mean, variance)).exp())
    }

    /// ```python
    /// # mpmath 1.4.1, mp.dps = 30; the breaks stand where either factor changes
    /// f = lambda z: npdf(z, m, sqrt(v)) / (1 + exp(-z))
    /// quad(f, sorted([m + k * sqrt(v) for k in range(-12, 13)] + [-30, -5, 0, 5, 30]))
    /// ```
    #[test]
    fn probabilities_are_the_integral() {
        let known = [
            (0.3, 0.01, 0.5742614096433242),
            (1.0, 0.5, 0.7115731678447065),
            (-2.0, 0.99, 0.1551405545179598),
            (1.5, 1.0, 0.7785265948093283),
            (2.0, 3.0, 0.7935196455368592),
            (-4.0, 40.0, 0.27146593123057905),
            (10.0, 400.0, 0.6907442195405283),
            (-30.0, 2.0, 2.543665647372142e-13),
            (5.0, 1e6, 0.5019946998096244),
        ];
        for (mean, variance, expected) in known {
            let found = probability(mean, variance);
            assert!(
                (found - expected).abs() < 1e-15 + 1e-13 * expected,
                "{mean} {variance}: {found} {expected}"
            );
        }
    }

    #[test]
    fn what_is_known_for_certain_is_the_sigmoid() {
        for mean in [-700.0, -3.0, 0.0, 0.1, 40.0] {
            assert!((logit_of_mean(mean, 0.0) - mean).abs() < 1e-12 * mean.abs().max(1.0));
        }
    }

    #[test]
    fn logits_are_finite_and_rise_with_the_mean() {
        for variance in [0.0, 0.5, 1.0, 30.0, 1e10, 1e300] {
            let means = [-1e300, -1e4, -10.0, -1.0, 0.0, 1.0, 10.0, 1e4, 1e300];
            let logits = means.map(|mean| logit_of_mean(mean, variance));
            assert!(logits.iter().all(|logit| logit.is_finite()), "{variance} {logits:?}");
            assert!(logits.is_sorted(), "{variance} {logits:?}");
            assert!(logits[4].abs() < 1e-14);
        }
    }
}
