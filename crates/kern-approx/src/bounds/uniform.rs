//! The uniform bound of Sutherland and Schneider.

use super::ErrorBound;
use crate::Error;
use kern_core::Positive;
use kern_core::kernels::Rbf;

/// The largest error of the paired form over all pairs of points of a bounded set.
///
/// # Definition
/// For a set of diameter ℓ in dimension d and σ² = E‖ω‖²,
/// P(sup|ψ(x)ᵀψ(y) − K(x, y)| ≥ ε·κ(0)) ≤ β·(2σℓ/ε)^{2d/(d+2)}·exp(−Dε²/(8(d + 2))), ε ≤ 2σℓ, with
/// β = ((d/2)^{−d/(d+2)} + (d/2)^{2/(d+2)})·2^{(6d+2)/(d+2)} ≤ 66.
///
/// With an r-net of at most (4ℓ/r)^d differences x − y, Hoeffding's inequality for an error of ε/2
/// at each, and Markov's for the Lipschitz constant L of the error, P(L ≥ ε/(2r)) ≤ (2r/ε)²·E L²,
/// this is the smallest sum over r. From L ≤ (1/m)·Σ‖ω_i‖ + E‖ω‖ it follows that E L² ≤ 4σ².
///
/// # Correction of the paper
/// The paper has E L² ≤ σ², from the expectation of the gradient at its maximiser, as if the
/// maximiser did not depend on the frequencies. One frequency out of four that are almost the same
/// has E L² > 2σ² in one dimension (tested), and one out of many comes arbitrarily close to 4σ². So
/// σ is doubled here. That costs 16d·ln 2/ε² features, out of 8(d + 2)·ln(β/δ)/ε² and more.
///
/// # Sharpness
/// In one dimension the exponent is a sixth of the one that a kernel of two cosines has; no case is
/// known that comes closer.
///
/// A kernel with E‖ω‖² = ∞, such as the Laplacian or the exponential kernel, has no such bound.
///
/// # References
/// Sutherland & Schneider (2015), *On the Error of Random Fourier Features*, proposition 1.
///
/// # Examples
/// ```
/// use kern_approx::bounds::{ErrorBound, Uniform};
/// use kern_core::kernels::Rbf;
/// let bound = Uniform::rbf(&Rbf::new(0.5)?, 2, 10.0)?;
/// let dim = bound.dim(0.1, 0.05)?;
/// assert!(bound.failure(dim, 0.1) <= 0.05 && bound.failure(dim - 2, 0.1) > 0.05);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Uniform {
    input_dim: f64,
    /// 2σℓ.
    reach: f64,
}

impl Uniform {
    /// The bound for samples of dimension `input_dim` in a set of diameter `diameter`, and a kernel
    /// with E‖ω‖² = `second_moment`.
    ///
    /// # Errors
    /// [`Error::Zero`] for dimension 0, [`Error::Core`] unless the other two are finite and > 0.
    pub fn new(input_dim: usize, diameter: f64, second_moment: f64) -> Result<Self, Error> {
        if input_dim == 0 {
            return Err(Error::Zero { what: "the dimension of the samples" });
        }
        let diameter = Positive::new("the diameter", diameter)?.get();
        let sigma = Positive::new("the second moment of frequencies", second_moment)?.get().sqrt();
        Ok(Self { input_dim: input_dim as f64, reach: 2.0 * sigma * diameter })
    }

    /// The bound for the RBF kernel, where E‖ω‖² = 2γd.
    ///
    /// # Errors
    /// As [`Uniform::new`].
    pub fn rbf(kernel: &Rbf, input_dim: usize, diameter: f64) -> Result<Self, Error> {
        Self::new(input_dim, diameter, 2.0 * kernel.gamma() * input_dim as f64)
    }

    /// β.
    fn factor(&self) -> f64 {
        let d = self.input_dim;
        let sum = (d / 2.0).powf(-d / (d + 2.0)) + (d / 2.0).powf(2.0 / (d + 2.0));
        sum * 2.0_f64.powf((6.0 * d + 2.0) / (d + 2.0))
    }
}

impl ErrorBound for Uniform {
    fn failure(&self, dim: usize, error: f64) -> f64 {
        // A larger error is no more probable.
        let error = error.min(self.reach);
        let d = self.input_dim;
        let net = self.factor().ln() + 2.0 * d / (d + 2.0) * (self.reach / error).ln();
        let exponent = net - dim as f64 * error * error / (8.0 * (d + 2.0));
        f64::min(1.0, exponent.exp())
    }
}

#[cfg(test)]
mod tests {
    use super::Uniform;

    /// The smallest constant for all dimensions, as given in the paper.
    #[test]
    fn the_factor_is_at_most_66() {
        let factor = |d: u32| Uniform { input_dim: f64::from(d), reach: 1.0 }.factor();
        let largest = (1..10_000).map(factor).fold(0.0, f64::max);
        assert!(largest > 65.9 && largest < 66.05, "{largest}");
    }
}
