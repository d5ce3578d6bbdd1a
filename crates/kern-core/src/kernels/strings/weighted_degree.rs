//! The weighted-degree kernel: common substrings at equal positions.

use super::letters::{at_least_one, impl_letter_kernel};
use crate::Error;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;

/// The weighted-degree kernel: common substrings of up to d letters at equal positions.
///
/// # Definition
/// K(x, y) = Σ_{k=1..d} β_k·Σᵢ \[xᵢ…x_{i+k−1} = yᵢ…y_{i+k−1}\] with β_k = 2(d − k + 1)/(d(d + 1)),
/// so that Σβ_k = 1. It is intended for strings of equal length, such as aligned windows of DNA.
/// For strings of different lengths, the positions that both have are compared; the features are
/// always the triples (k, position, substring), so the kernel is Mercer on all strings. d = 1 is
/// [`Hamming`](super::Hamming).
///
/// A letter is a Unicode scalar value.
///
/// # Complexity
/// O(min(|x|, |y|)), whatever d: at the r-th consecutive match, min(r, d) common substrings end. A
/// block decodes each string once.
///
/// # References
/// Rätsch & Sonnenburg (2004), *Accurate splice site prediction for Caenorhabditis elegans*,
/// in *Kernel Methods in Computational Biology*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::WeightedDegree};
/// let k = WeightedDegree::new(2)?;
/// // G, A, A, A at one place, weight 2/3 each; GA, weight 1/3.
/// let value = Kernel::<Vec<&str>>::eval(&k, &"GATTACA", &"GACGATA");
/// assert_eq!(value, 4.0 * 2.0 / 3.0 + 1.0 / 3.0);
/// assert_eq!(k.to_string(), "weighted_degree(d=2)");
/// assert!(WeightedDegree::new(0).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "WD kernel")]
#[doc(alias = "string kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightedDegree {
    d: NonZeroUsize,
}

declared! {
    WeightedDegree = "weighted_degree", [];
    d: Domain::count(1);
    => Self::new(d)
}

impl WeightedDegree {
    /// The kernel with substrings of 1, …, d letters.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless d ≥ 1.
    pub fn new(d: usize) -> Result<Self, Error> {
        Ok(Self { d: at_least_one("d", d)? })
    }

    /// The largest substring length, d.
    #[must_use]
    pub fn d(&self) -> usize {
        self.d.get()
    }

    fn value(&self, x: &[char], y: &[char]) -> f64 {
        let (mut run, mut sum, mut squares) = (0, 0_u128, 0_u128);
        for (x, y) in x.iter().zip(y) {
            // A mask instead of a branch, since matches are unpredictable: 0.56 of the time in
            // `cargo test -p kern --test facade text::splice`, by `perf`.
            let mask = 0_usize.wrapping_sub(usize::from(x == y));
            run = self.d().min(run + 1) & mask;
            let r = run as u128;
            sum += r;
            squares += r * r;
        }
        // Σ over the positions of β_1 + … + β_run, where that is run·(2d − run + 1)/(d(d + 1)).
        let d = self.d() as f64;
        ((2.0 * d + 1.0) * sum as f64 - squares as f64) / (d * (d + 1.0))
    }
}

impl_letter_kernel!(WeightedDegree);
