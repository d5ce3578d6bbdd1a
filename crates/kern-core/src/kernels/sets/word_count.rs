//! The linear kernel on word counts.

use super::Words;
use super::words::bag;
use crate::kernels::declaration::declared;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};

/// The linear kernel on word counts.
///
/// # Definition
/// K(x, y) = Σ_w c_w(x)·c_w(y), where c_w(x) is the number of times that the word w occurs in x
/// ([`Words`]): the inner product of term-frequency vectors. For the cosine, wrap it in
/// [`Normalized`](crate::closure::Normalized).
///
/// # Numerics
/// Words of more than 7 bytes are known by fingerprints: see [`Words`].
///
/// # Complexity
/// O(|x|·log|x|) for the features of a text, once per text for a Gram matrix, then one step per
/// common word.
///
/// # References
/// Joachims (1998), *Text categorization with support vector machines*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::WordCount};
/// let value = Kernel::<Vec<&str>>::eval(&WordCount, &"a rose is a rose", &"A rose, a thorn.");
/// assert_eq!(value, 2.0 * 2.0 + 2.0 * 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordCount;

declared! {
    WordCount = "word_count", [];
    => Ok(Self)
}

impl<X: Words + ?Sized> Embedded<X> for WordCount {
    fn bag(&self, x: &X) -> Bag {
        bag(x)
    }
}

crate::impl_embedded_kernel!(WordCount, Words);
