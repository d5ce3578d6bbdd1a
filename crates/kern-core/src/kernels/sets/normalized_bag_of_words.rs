//! The min-intersection kernel on bags of words, normalised word by word.

use super::Words;
use super::words::bag;
use crate::kernels::declaration::declared;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};

/// The min-intersection kernel on bags of words, normalised word by word.
///
/// # Definition
/// K(x, y) = Σ_w min(c_w(x), c_w(y))/√(c_w(x)·c_w(y)) with 0/0 = 0, where c_w(x) is the number of
/// times that the word w occurs in x ([`Words`]). Each term is a Mercer kernel, min, divided by the
/// roots of its diagonal. A common word counts √(smaller count/greater count) ≤ 1, so K(x, x) is
/// the number of different words, not 1.
///
/// # Numerics
/// Words of more than 7 bytes are known by fingerprints: see [`Words`].
///
/// # Complexity
/// As [`WordCount`](super::WordCount).
///
/// # References
/// IIT Kanpur CS771, lectures on kernels. Min: as [`BagOfWords`](super::BagOfWords).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::NormalizedBagOfWords};
/// let value = |x, y| Kernel::<Vec<&str>>::eval(&NormalizedBagOfWords, x, y);
/// assert_eq!(value(&"no no no no yes", &"no. Yes!"), 0.5 + 1.0);
/// assert_eq!(value(&"", &"yes"), 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NormalizedBagOfWords;

declared! {
    NormalizedBagOfWords = "normalized_bag_of_words", [];
    => Ok(Self)
}

impl<X: Words + ?Sized> Embedded<X> for NormalizedBagOfWords {
    fn bag(&self, x: &X) -> Bag {
        bag(x)
    }

    fn pair(&self, x: f64, y: f64) -> f64 {
        x.min(y) / (x * y).sqrt()
    }
}

crate::impl_embedded_kernel!(NormalizedBagOfWords, Words);
