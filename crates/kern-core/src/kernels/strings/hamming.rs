//! The Hamming kernel, Σᵢ \[xᵢ = yᵢ\], and the Gaussian of the Hamming distance, exp(−γ·d(x, y)).

use super::letters::impl_letter_kernel;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::{Error, Positive};
use serde::{Deserialize, Serialize};

/// The Hamming kernel: the number of positions with equal letters.
///
/// # Definition
/// K(x, y) = Σᵢ \[xᵢ = yᵢ\], a sum of Kronecker deltas, over the positions that both strings have.
/// For strings of equal length L this is L minus the Hamming distance. The features are the
/// indicators of (position, letter), also for strings of different lengths, so the kernel is Mercer
/// on all strings; but a prefix is then as similar to the whole string as to itself.
///
/// A letter is a Unicode scalar value. [`HammingRbf`](super::HammingRbf) is the Gaussian of the
/// distance.
///
/// # Complexity
/// O(min(|x|, |y|)); a block decodes each string once.
///
/// # References
/// Hamming (1950), *Error detecting and error correcting codes*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::Hamming};
/// assert_eq!(Kernel::<Vec<&str>>::eval(&Hamming, &"GATTACA", &"GACTATA"), 5.0);
/// assert_eq!(Kernel::<Vec<&str>>::eval(&Hamming, &"GAT", &"GATTACA"), 3.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hamming;

declared! {
    Hamming = "hamming", [];
    => Ok(Self)
}

/// The number of positions with equal letters.
fn matches(x: &[char], y: &[char]) -> usize {
    x.iter().zip(y).filter(|(x, y)| x == y).count()
}

impl Hamming {
    #[allow(clippy::unused_self, reason = "the same shape for all kernels on letters")]
    fn value(&self, x: &[char], y: &[char]) -> f64 {
        matches(x, y) as f64
    }
}

impl_letter_kernel!(Hamming);

/// The Gaussian of the Hamming distance.
///
/// # Definition
/// K(x, y) = exp(−γ·d(x, y)), γ > 0, where d is the number of positions at which the letters
/// differ; a position that only one of the strings has counts as different. For strings of equal
/// length d is the Hamming distance, half the squared Euclidean distance of one-hot vectors, so
/// this is [`Rbf`](crate::kernels::Rbf) on those vectors with γ/2.
///
/// It is a product over the positions of the kernels e^{−γ} + (1 − e^{−γ})·\[xᵢ = yᵢ\], where
/// positions beyond the end hold a blank that equals only itself. Each factor is Mercer, and so is
/// the product, on strings of all lengths.
///
/// # Complexity
/// O(min(|x|, |y|)); a block decodes each string once.
///
/// # References
/// Kondor & Lafferty (2002), *Diffusion kernels on graphs and other discrete input spaces*: the
/// diffusion kernel on words of equal length is this kernel times a constant.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::HammingRbf};
/// let k = HammingRbf::new(0.5)?;
/// let value = Kernel::<Vec<&str>>::eval(&k, &"GATTACA", &"GACTATA");
/// assert_eq!(value, (-0.5 * 2.0_f64).exp());
/// assert_eq!(k.to_string(), "hamming_rbf(gamma=0.5)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HammingRbf {
    gamma: Positive,
}

declared! {
    HammingRbf = "hamming_rbf", [unit_diagonal];
    gamma: Domain::positive();
    => Self::new(gamma)
}

impl HammingRbf {
    /// exp(−gamma·d(x, y)).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `gamma` is finite and > 0.
    pub fn new(gamma: f64) -> Result<Self, Error> {
        Ok(Self { gamma: Positive::new("gamma", gamma)? })
    }

    /// γ.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }

    fn value(&self, x: &[char], y: &[char]) -> f64 {
        let distance = x.len().max(y.len()) - matches(x, y);
        (-self.gamma() * distance as f64).exp()
    }
}

impl_letter_kernel!(HammingRbf);
