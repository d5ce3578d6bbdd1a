//! Matrix Bernstein inequality: bounds in the spectral norm, and relative to a regularised Gram
//! matrix.

use super::ErrorBound;
use crate::Error;
use kern_core::Positive;

/// The error of the Gram matrix of n points in the spectral norm, for the paired form.
///
/// # Definition
/// With m = D/2, G scaled to a diagonal of 1, and Ĝ_ij = ψ(x_i)ᵀψ(x_j),
/// P(‖Ĝ − G‖₂ ≥ t) ≤ 2n·exp(−(t²/2)/(n‖G‖₂/m + nt/(3m))), and
/// E‖Ĝ − G‖₂ ≤ √(2n‖G‖₂·ln(2n)/m) + n·ln(2n)/(3m).
///
/// The summands are X = ccᵀ + ssᵀ with the cosines and sines of one frequency: 0 ⪯ X ⪯ nI, E X = G,
/// hence ‖X − G‖ ≤ n and E(X − G)² ⪯ nG.
///
/// # References
/// Tropp (2015), *An Introduction to Matrix Concentration Inequalities*, theorem 6.1.1; its use here:
/// Lopez-Paz, Sra, Smola, Ghahramani & Schölkopf (2014), *Randomized Nonlinear Component Analysis*.
///
/// # Examples
/// ```
/// use kern_approx::bounds::{ErrorBound, SpectralNorm};
/// let bound = SpectralNorm::new(100, 40.0)?;
/// assert!(bound.expected(400) < 15.5);
/// assert!(bound.dim(4.0, 0.01)? > bound.dim(8.0, 0.01)?);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct SpectralNorm {
    points: f64,
    norm: f64,
}

impl SpectralNorm {
    /// The bound for n points whose Gram matrix has spectral norm `norm` (in units of κ(0); at most
    /// n).
    ///
    /// # Errors
    /// [`Error::EmptyPoints`] if n is 0, [`Error::Core`] unless `norm` is finite and > 0.
    pub fn new(points: usize, norm: f64) -> Result<Self, Error> {
        if points == 0 {
            return Err(Error::EmptyPoints { what: "a Gram matrix" });
        }
        let norm = Positive::new("the norm of the Gram matrix", norm)?.get();
        Ok(Self { points: points as f64, norm })
    }

    /// The bound on E‖Ĝ − G‖₂ for D features.
    #[must_use]
    pub fn expected(&self, dim: usize) -> f64 {
        let (n, m) = (self.points, dim as f64 / 2.0);
        let l = (2.0 * n).ln();
        (2.0 * n * self.norm * l / m).sqrt() + n * l / (3.0 * m)
    }
}

impl ErrorBound for SpectralNorm {
    fn failure(&self, dim: usize, error: f64) -> f64 {
        let (n, m) = (self.points, dim as f64 / 2.0);
        let exponent = 0.5 * error * m / (n * (self.norm / error + 1.0 / 3.0));
        f64::min(1.0, 2.0 * n * (-exponent).exp())
    }
}

/// The error of the Gram matrix of n points relative to G + λI, for the paired form: the error that
/// matters for kernel ridge regression with the ridge λ.
///
/// # Definition
/// With m = D/2, G scaled to a diagonal of 1, and Ĝ_ij = ψ(x_i)ᵀψ(x_j), (1 − Δ)(G + λI) ⪯ Ĝ + λI ⪯
/// (1 + Δ)(G + λI) fails with probability at most 2n·exp(−mΔ²/((2n/λ)(1 + Δ/3))). It takes on the
/// order of n/λ features, whatever the spectrum of G; if it decays, fewer Nyström features suffice.
///
/// The summands are those of [`SpectralNorm`](super::SpectralNorm) between two factors (G +
/// λI)^(−½): 0 ⪯ X ⪯ (n/λ)I and E X ⪯ I, hence ‖X − E X‖ ≤ n/λ and E X² ⪯ (n/λ)I.
///
/// # References
/// Tropp (2015), *An Introduction to Matrix Concentration Inequalities*, theorem 6.1.1; Avron, Kapralov,
/// Musco, Musco, Velingker & Zandieh (2017), *Random Fourier Features for Kernel Ridge Regression*, for
/// this kind of error.
///
/// # Examples
/// ```
/// use kern_approx::bounds::{ErrorBound, RelativeSpectral};
/// let bound = RelativeSpectral::new(1000, 10.0)?;
/// let dim = bound.dim(0.5, 0.01)?;
/// assert!(bound.failure(dim, 0.5) <= 0.01 && bound.error(dim, 0.01)? <= 0.5);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct RelativeSpectral {
    points: f64,
    lambda: f64,
}

impl RelativeSpectral {
    /// The bound for n points and λ (in units of κ(0)).
    ///
    /// # Errors
    /// [`Error::EmptyPoints`] if n is 0, [`Error::Core`] unless λ is finite and > 0.
    pub fn new(points: usize, lambda: f64) -> Result<Self, Error> {
        if points == 0 {
            return Err(Error::EmptyPoints { what: "a Gram matrix" });
        }
        let lambda = Positive::new("lambda", lambda)?.get();
        Ok(Self { points: points as f64, lambda })
    }
}

impl ErrorBound for RelativeSpectral {
    fn failure(&self, dim: usize, error: f64) -> f64 {
        let (n, m) = (self.points, dim as f64 / 2.0);
        // In this order nothing overflows if the result is finite.
        let exponent = 0.5 * m * (self.lambda / n) * (error / (1.0 / error + 1.0 / 3.0));
        f64::min(1.0, 2.0 * n * (-exponent).exp())
    }
}
