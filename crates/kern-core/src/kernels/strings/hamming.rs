//! The Hamming kernel: equal letters at equal positions.

use super::letters::impl_letter_kernel;
use crate::kernels::declaration::declared;
use serde::{Deserialize, Serialize};

/// The Hamming kernel: the number of positions with equal letters.
///
/// # Definition
/// K(x, y) = Σᵢ \[xᵢ = yᵢ\], a sum of Kronecker deltas, over the positions that both strings have.
/// For strings of one length L this is L minus the Hamming distance. The features are the pairs
/// (position, letter), also for strings of different lengths, so the kernel is Mercer on all
/// strings; but a string that another one begins with is then as similar to it as to itself.
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
pub(super) fn matches(x: &[char], y: &[char]) -> usize {
    x.iter().zip(y).filter(|(x, y)| x == y).count()
}

impl Hamming {
    #[allow(clippy::unused_self, reason = "the same shape for all kernels on letters")]
    fn value(&self, x: &[char], y: &[char]) -> f64 {
        matches(x, y) as f64
    }
}

impl_letter_kernel!(Hamming);
