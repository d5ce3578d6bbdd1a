//! The spectrum kernel: strings as bags of k-mers (k-grams).

use super::letters::at_least_one;
use crate::kernels::declaration::declared;
use crate::kernels::fingerprint::text_feature;
use crate::parameters::{Domain, Setting};
use crate::{Bag, Embedded, Error};
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;

/// The spectrum kernel, also called p-gram or k-mer kernel: counts common substrings of k letters.
///
/// # Definition
/// K(x, y) = Σ_u n_u(x)·n_u(y) over all strings u of k letters, where n_u(x) is the number of
/// occurrences of u in x. A string of fewer than k letters has no features.
///
/// The *blended* spectrum is the sum of these kernels for 1, 2, …, k letters:
/// [`Spectrum::blended`].
///
/// A letter is a Unicode scalar value (`char`), not a byte and not a grapheme cluster.
///
/// # Numerics
/// Substrings of up to 7 bytes in UTF-8 (7 letters of ASCII) are identified exactly, longer ones by
/// 63-bit fingerprints that are the same on every machine: among N different substrings a collision
/// has probability at most N²/2⁶⁴, below 10⁻⁷ for a million. The kernel is Mercer even then.
///
/// # Complexity
/// |x| features of k letters (k·|x| if blended), sorted; then a sparse inner product. A Gram matrix
/// computes the features of each string once.
///
/// # References
/// Leslie, Eskin & Noble (2002), *The spectrum kernel: a string kernel for SVM protein
/// classification*. Blended: Shawe-Taylor & Cristianini (2004), chapter 11, with equal weights.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::Spectrum};
/// let k = Spectrum::new(2)?;
/// // "an" twice and once, "na" twice and once.
/// assert_eq!(Kernel::<Vec<&str>>::eval(&k, &"banana", &"nana"), 2.0 * 1.0 + 2.0 * 2.0);
/// assert_eq!(k.to_string(), "spectrum(k=2)");
/// assert!(Spectrum::new(0).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "k-mer")]
#[doc(alias = "n-gram")]
#[doc(alias = "string kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spectrum {
    k: NonZeroUsize,
    blended: bool,
}

declared! {
    Spectrum = "spectrum", [];
    k: Domain::count(1);
    blended: Domain::Flag, Setting::Flag(false);
    => if blended { Self::blended(k) } else { Self::new(k) }
}

impl Spectrum {
    /// The kernel with substrings of exactly k letters.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless k ≥ 1.
    pub fn new(k: usize) -> Result<Self, Error> {
        Ok(Self { k: at_least_one("k", k)?, blended: false })
    }

    /// The blended kernel with substrings of 1, 2, …, k letters.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless k ≥ 1.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Kernel, kernels::Spectrum};
    /// let k = Spectrum::blended(2)?;
    /// // a, b and ab, each once.
    /// assert_eq!(Kernel::<Vec<&str>>::eval(&k, &"ab", &"abc"), 3.0);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn blended(k: usize) -> Result<Self, Error> {
        Ok(Self { k: at_least_one("k", k)?, blended: true })
    }

    /// The (largest) number of letters, k.
    #[must_use]
    pub fn k(&self) -> usize {
        self.k.get()
    }

    /// Whether shorter substrings count as well.
    #[must_use]
    pub fn is_blended(&self) -> bool {
        self.blended
    }
}

impl<S: AsRef<str> + ?Sized> Embedded<S> for Spectrum {
    fn bag(&self, x: &S) -> Bag {
        let text = x.as_ref();
        // The start of each letter, and the end of the last one.
        let starts = text.char_indices().map(|(at, _)| at);
        let bounds: Vec<usize> = starts.chain([text.len()]).collect();
        let longest = self.k().min(bounds.len());
        let shortest = if self.blended { 1 } else { self.k() };
        let pieces = (shortest..=longest)
            .flat_map(|k| bounds.iter().zip(&bounds[k.min(bounds.len())..]))
            .map(|(&from, &to)| (text_feature(&text[from..to]), 1.0));
        pieces.collect()
    }
}

crate::impl_embedded_kernel!(Spectrum, AsRef<str>);
