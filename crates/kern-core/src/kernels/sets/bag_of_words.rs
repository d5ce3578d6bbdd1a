//! The min-intersection kernel on bags of words.

use super::Words;
use super::words::bag;
use crate::kernels::declaration::declared;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};

/// The min-intersection kernel on bags of words: the size of the common bag.
///
/// # Definition
/// K(x, y) = Σ_w min(c_w(x), c_w(y)), where c_w(x) is the number of times that the word w occurs
/// in x ([`Words`]). Features: the indicators of "w occurs at least n times", for all w and n ≥ 1,
/// so it is Mercer.
///
/// # Numerics
/// Words of more than 7 bytes are known by fingerprints: see [`Words`].
///
/// # Complexity
/// As [`WordCount`](super::WordCount).
///
/// # References
/// Swain & Ballard (1991), *Color indexing*; Mercer: Odone, Barla & Verri (2005), *Building kernels
/// from binary strings for image matching*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::BagOfWords};
/// let value = Kernel::<Vec<&str>>::eval(&BagOfWords, &"a rose is a rose", &"A rose, a thorn.");
/// assert_eq!(value, 2.0 + 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BagOfWords;

declared! {
    BagOfWords = "bag_of_words", [];
    => Ok(Self)
}

impl<X: Words + ?Sized> Embedded<X> for BagOfWords {
    fn bag(&self, x: &X) -> Bag {
        bag(x)
    }

    fn pair(&self, x: f64, y: f64) -> f64 {
        x.min(y)
    }
}

crate::impl_embedded_kernel!(BagOfWords, Words);
