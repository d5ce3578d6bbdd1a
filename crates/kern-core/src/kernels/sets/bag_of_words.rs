//! Kernels on bags of words: sums over the common words of two texts.
//!
//! With the word counts c_w(x): Σ_w c_w(x)·c_w(y), Σ_w min(c_w(x), c_w(y)), and the latter with
//! each term divided by √(c_w(x)·c_w(y)).

use crate::kernels::declaration::declared;
use crate::kernels::fingerprint::text_feature;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The words of a text: its maximal runs of letters and digits, in lower case.
///
/// Letters and digits are defined by [`char::is_alphanumeric`], lower case by
/// [`str::to_lowercase`]. Everything else separates words: `don't` is two words. For other rules,
/// tokenise the text yourself: see [`Words`].
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

/// A sequence of words: the type of points of kernels on bags of words.
///
/// Strings are split into [`words`]. In vectors, arrays and slices of strings, each string is one
/// word, for use with your own tokeniser.
///
/// # Numerics
/// Words of up to 7 bytes are identified exactly, longer ones by 63-bit fingerprints that are the
/// same on every machine: among N different words a collision has probability at most N²/2⁶⁴, below
/// 10⁻⁷ for a million. The kernels are Mercer even then.
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
    /// Calls `visit` for each occurrence of each word.
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
/// Words of more than 7 bytes are identified by fingerprints: see [`Words`].
///
/// # Complexity
/// O(|x|·log|x|) for the features of a text, computed once per text for a Gram matrix, then one
/// step per common word.
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

/// The min-intersection kernel on bags of words: the size of the multiset intersection.
///
/// # Definition
/// K(x, y) = Σ_w min(c_w(x), c_w(y)), where c_w(x) is the number of times that the word w occurs in
/// x ([`Words`]). The features are the indicators of "w occurs at least n times", for all w and n ≥
/// 1, so it is Mercer.
///
/// # Numerics
/// Words of more than 7 bytes are identified by fingerprints: see [`Words`].
///
/// # Complexity
/// As for [`WordCount`](super::WordCount).
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
/// times that the word w occurs in x ([`Words`]). Each term is a Mercer kernel, min, normalised to
/// the unit diagonal. A common word contributes √(smaller count/larger count) ≤ 1, so K(x, x) is
/// the number of distinct words, not 1.
///
/// # Numerics
/// Words of more than 7 bytes are identified by fingerprints: see [`Words`].
///
/// # Complexity
/// As for [`WordCount`](super::WordCount).
///
/// # References
/// IIT Kanpur CS771, lectures on kernels. For min, see [`BagOfWords`](super::BagOfWords).
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
