//! Kernels on bags of words: sums over the words that two texts share.
//!
//! With c_w(x), the number of times that the word w occurs in x, they are Σ_w c_w(x)·c_w(y),
//! Σ_w min(c_w(x), c_w(y)), and the latter divided word by word by √(c_w(x)·c_w(y)).

use crate::kernels::declaration::declared;
use crate::kernels::fingerprint::text_feature;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The words of a text: its maximal runs of letters and digits, in lower case.
///
/// A letter or digit is what [`char::is_alphanumeric`] says, lower case what
/// [`str::to_lowercase`] makes of the run. Everything else separates: `don't` is two words. For
/// other rules hand in the words themselves: see [`Words`].
///
/// # Examples
/// ```
/// use kern_core::kernels::words;
/// let found: Vec<String> = words("WIN £1000 now -- don't wait!").collect();
/// assert_eq!(found, ["win", "1000", "now", "don", "t", "wait"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()).map(str::to_lowercase)
}

/// A sequence of words: what the kernels on bags of words act on.
///
/// Strings are cut into [`words`]. Vectors, arrays and slices of strings are taken as they are,
/// each string one word, for a tokeniser of your own.
///
/// # Numerics
/// Words of up to 7 bytes are told apart exactly. Longer ones are known by 63-bit fingerprints, the
/// same on every machine: among N different words two have the same one with probability at most
/// N²/2⁶⁴, below 10⁻⁷ for a million. The kernels are Mercer even then.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::WordCount};
/// let text = Kernel::<Vec<&str>>::eval(&WordCount, &"To be, or not to be", &"to be");
/// let tokens = |words: &[&'static str]| words.to_vec();
/// let (x, y) = (tokens(&["to", "be", "or", "not", "to", "be"]), tokens(&["to", "be"]));
/// assert_eq!(Kernel::<Vec<Vec<&str>>>::eval(&WordCount, &x, &y), text);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sequence of words",
    note = "strings are, and vectors, arrays and slices of strings; \
            for your own type, implement `Words`"
)]
pub trait Words {
    /// Calls `visit` with each word, as often as it occurs.
    fn for_each_word(&self, visit: &mut dyn FnMut(&str));
}

impl Words for str {
    fn for_each_word(&self, visit: &mut dyn FnMut(&str)) {
        words(self).for_each(|word| visit(&word));
    }
}

impl Words for String {
    fn for_each_word(&self, visit: &mut dyn FnMut(&str)) {
        self.as_str().for_each_word(visit);
    }
}

impl Words for Cow<'_, str> {
    fn for_each_word(&self, visit: &mut dyn FnMut(&str)) {
        (**self).for_each_word(visit);
    }
}

impl<S: AsRef<str>> Words for [S] {
    fn for_each_word(&self, visit: &mut dyn FnMut(&str)) {
        self.iter().for_each(|word| visit(word.as_ref()));
    }
}

impl<S: AsRef<str>> Words for Vec<S> {
    fn for_each_word(&self, visit: &mut dyn FnMut(&str)) {
        self.as_slice().for_each_word(visit);
    }
}

impl<S: AsRef<str>, const N: usize> Words for [S; N] {
    fn for_each_word(&self, visit: &mut dyn FnMut(&str)) {
        self.as_slice().for_each_word(visit);
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<W: Words + ?Sized> Words for $pointer {
            fn for_each_word(&self, visit: &mut dyn FnMut(&str)) {
                (**self).for_each_word(visit);
            }
        }
    )*};
}

delegate!(&W, Box<W>, Arc<W>);

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

/// The words with their counts.
fn bag<X: Words + ?Sized>(x: &X) -> Bag {
    let mut features = Vec::new();
    x.for_each_word(&mut |word| features.push((text_feature(word), 1.0)));
    features.into_iter().collect()
}
