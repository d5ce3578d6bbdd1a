//! The matrix Bernstein inequality.

use super::ErrorBound;
use crate::Error;
use kern_core::Positive;

/// The error of the Gram matrix of n points in the spectral norm, in the paired form.
///
/// # Definition
/// With m = D/2, G scaled to a diagonal of 1, and Ĝ_ij = ψ(x_i)ᵀψ(x_j),
/// P(‖Ĝ − G‖₂ ≥ t) ≤ 2n·exp(−(t²/2)/(n‖G‖₂/m + nt/(3m))), and
/// E‖Ĝ − G‖₂ ≤ √(2n‖G‖₂·ln(2n)/m) + n·ln(2n)/(3m).
///
/// The terms are X = ccᵀ + ssᵀ with the cosines and sines of one frequency: 0 ⪯ X ⪯ nI, E X = G, hence
/// ‖X − G‖ ≤ n and E(X − G)² ⪯ nG.
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
    /// For n points whose Gram matrix has the spectral norm `norm` (in units of κ(0); at most n).
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
