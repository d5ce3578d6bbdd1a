//! Texts as sequences of words, and the words as features.

use crate::Bag;
use crate::kernels::strings::text_feature;
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

/// The words with their counts.
pub(super) fn bag<X: Words + ?Sized>(x: &X) -> Bag {
    let mut features = Vec::new();
    x.for_each_word(&mut |word| features.push((text_feature(word), 1.0)));
    features.into_iter().collect()
}
