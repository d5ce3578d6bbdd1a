//! Probabilistic bounds on the errors of random features and of column sampling.
//!
//! An [`ErrorBound`] gives the probability that the error of D features exceeds ε, and hence the D
//! for a probability δ, and the ε of a D. All are for [paired](crate::FourierForm::Paired) features
//! with independent frequencies, except [`Pointwise`], which covers both forms.
//!
//! | bound | what is bounded | depends on |
//! |---|---|---|
//! | [`Pointwise`] | \|ψ(x)ᵀψ(y) − K(x, y)\| for one pair, or a number of pairs | nothing else |
//! | [`Uniform`] | the largest such error over a bounded set | d, its diameter, E‖ω‖² |
//! | [`SpectralNorm`] | ‖Ĝ − G‖₂ of n points | n, ‖G‖₂ |
//! | [`RelativeSpectral`] | the Δ with ±(Ĝ − G) ⪯ Δ·(G + λI) | n, λ |
//!
//! Two bounds are of other kinds: [`SampledColumns`] bounds ‖G − G̃_k‖ of the Nyström approximation
//! in units of tr G, and [`KitchenSinks`] the excess risk of a model on random features.
//!
//! All constants are proved. Equality is attained in some cases by the variance behind
//! [`SampledColumns`] and the mean square behind [`KitchenSinks`]. The exponent of [`Pointwise`] is
//! that of some kernels for small errors; the one of [`Uniform`] is 2(d + 2) times smaller than for
//! a single pair, and the sum is the smallest that its proof gives. [`SpectralNorm`] and
//! [`RelativeSpectral`] are Bernstein's inequality, sharp up to the factor n.
//!
//! # Examples
//! ```
//! use kern_approx::bounds::{ErrorBound, Pointwise};
//! use kern_approx::FourierForm;
//! let bound = Pointwise::new(FourierForm::Paired);
//! let dim = bound.dim(0.1, 0.01)?; // P(error >= 0.1) <= 1 %
//! assert_eq!(dim, 2120);
//! assert!(bound.failure(dim, 0.1) <= 0.01);
//! # Ok::<(), kern_approx::Error>(())
//! ```

mod hoeffding;
mod kitchen_sinks;
mod matrix_bernstein;
mod sampled_columns;
mod uniform;

pub use hoeffding::Pointwise;
pub use kitchen_sinks::KitchenSinks;
pub use matrix_bernstein::{RelativeSpectral, SpectralNorm};
pub use sampled_columns::SampledColumns;
pub use uniform::Uniform;

use crate::Error;
use kern_core::Positive;

/// A bound on an error of D random features that holds with a given probability.
///
/// Errors are relative to κ(0) = K(x, x).
pub trait ErrorBound {
    /// A bound on the probability, at most 1, that D features have an error of at least `error`. It
    /// is non-increasing in both.
    fn failure(&self, dim: usize, error: f64) -> f64;

    /// The smallest even D, up to 2⁵², for which the error is at least `error` with probability at
    /// most `failure`.
    ///
    /// # Errors
    /// [`Error::Core`] unless `error` > 0 and `failure` > 0 are finite, [`Error::Unattainable`] if
    /// no such D exists.
    fn dim(&self, error: f64, failure: f64) -> Result<usize, Error> {
        let error = Positive::new("the error", error)?.get();
        let failure = Positive::new("the failure probability", failure)?.get();
        let holds = |half: usize| self.failure(2 * half, error) <= failure;
        let high = (0..52).map(|k| 1 << k).find(|&half| holds(half));
        let mut high = high.ok_or(Error::Unattainable { failure })?;
        let mut low = high / 2;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(middle) { high = middle } else { low = middle }
        }
        Ok(2 * high)
    }

    /// The error that D features exceed with probability at most `failure`, rounded up by a
    /// relative 2⁻⁵⁰ at most.
    ///
    /// # Errors
    /// [`Error::Zero`] if D is 0, [`Error::Core`] unless `failure` > 0 is finite,
    /// [`Error::Unattainable`] if no finite error suffices.
    fn error(&self, dim: usize, failure: f64) -> Result<f64, Error> {
        if dim == 0 {
            return Err(Error::Zero { what: "the number of features" });
        }
        let failure = Positive::new("the failure probability", failure)?.get();
        let holds = |error: f64| self.failure(dim, error) <= failure;
        let powers = (f64::MIN_EXP..f64::MAX_EXP).map(|k| 2.0_f64.powi(k));
        let mut high =
            powers.into_iter().find(|&e| holds(e)).ok_or(Error::Unattainable { failure })?;
        let mut low = high / 2.0;
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if holds(middle) { high = middle } else { low = middle }
        }
        Ok(high)
    }
}

/// ln(1/δ) for δ in (0, 1].
fn log_inverse(failure: f64) -> Result<f64, Error> {
    // NaN is neither.
    if failure > 0.0 && failure <= 1.0 {
        return Ok(-failure.ln());
    }
    let (name, allowed) = ("the failure probability", "a number > 0 and <= 1");
    Err(kern_core::Error::Parameter { name, given: failure, allowed }.into())
}
