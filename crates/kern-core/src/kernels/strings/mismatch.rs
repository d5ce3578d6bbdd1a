//! The mismatch kernel: the spectrum kernel on k-mers with up to m mismatches.

use super::letters::at_least_one;
use crate::kernels::fingerprint::{Fingerprint, HASHED};
use crate::parameters::{Domain, Parameter, Parameters, Setting, unknown};
use crate::{Bag, Embedded, Error};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroUsize;

/// The largest number of words in the mismatch neighbourhood of a k-mer: 4 MiB of features.
const NEIGHBORS: u64 = 1 << 18;

/// The (k, m)-mismatch kernel: counts common k-mers with up to m mismatches.
///
/// # Definition
/// For an alphabet Σ, the features are indexed by the words w ∈ Σᵏ: φ_w(x) is the number of
/// substrings of k letters (k-mers) of x that differ from w in at most m positions, and K(x, y) =
/// Σ_w φ_w(x)·φ_w(y). With m = 0 and all letters in Σ, this is [`Spectrum`](super::Spectrum).
///
/// A letter of x outside Σ differs from every letter of w. A letter is a Unicode scalar value. The
/// order of the alphabet and repetitions in it do not matter.
///
/// # Numerics
/// If |Σ|ᵏ < 2⁶³, words are identified exactly (DNA up to k = 31, proteins up to k = 14). Otherwise
/// they are identified by 63-bit fingerprints that are the same on every machine: among N different
/// words a collision has probability at most N²/2⁶⁴.
///
/// # Complexity
/// Each distinct k-mer has Σ_{i ≤ m} C(k, i)·(|Σ| − 1)ⁱ words of k letters in its neighbourhood.
/// That number is limited to 2¹⁸: m ≤ 3 is possible for DNA up to k = 31, m ≤ 2 for proteins up to
/// k = 38. A Gram matrix computes the features of each string once.
///
/// # References
/// Leslie, Eskin, Cohen, Weston & Noble (2004), *Mismatch string kernels for discriminative
/// protein classification*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::Mismatch};
/// let k = Mismatch::new("AB", 2, 1)?;
/// // AA is near AA, AB, BA; BB is near BB, AB, BA.
/// assert_eq!(Kernel::<Vec<&str>>::eval(&k, &"AA", &"BB"), 2.0);
/// assert_eq!(k.to_string(), "mismatch(alphabet=AB, k=2, m=1)");
/// assert!(Mismatch::new("AB", 2, 2).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "k-mer")]
#[doc(alias = "string kernel")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Mismatch {
    /// Sorted and without repetitions.
    alphabet: Vec<char>,
    k: NonZeroUsize,
    m: usize,
}

/// The file format; deserialisation goes through the constructor.
#[derive(Clone, Serialize, Deserialize)]
struct Packed {
    alphabet: String,
    k: usize,
    m: usize,
}

impl TryFrom<Packed> for Mismatch {
    type Error = Error;
    fn try_from(given: Packed) -> Result<Self, Error> {
        Self::new(&given.alphabet, given.k, given.m)
    }
}

impl From<Mismatch> for Packed {
    fn from(kernel: Mismatch) -> Self {
        Self { alphabet: kernel.alphabet(), k: kernel.k(), m: kernel.m }
    }
}

crate::named! { [] Mismatch = "mismatch"; }

crate::impl_kernel_ops!([] Mismatch;);

impl Mismatch {
    /// The kernel with words of k letters of the alphabet and up to m mismatches.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the alphabet has a letter, k ≥ 1 and m < k; [`Error::TooMany`]
    /// for more than 2¹⁸ words in a neighbourhood.
    pub fn new(alphabet: &str, k: usize, m: usize) -> Result<Self, Error> {
        let mut alphabet: Vec<char> = alphabet.chars().collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        at_least_one("the number of letters in the alphabet", alphabet.len())?;
        let k = at_least_one("k", k)?;
        if m >= k.get() {
            let allowed = "a whole number from 0 to k - 1";
            return Err(Error::Parameter { name: "m", given: m as f64, allowed });
        }
        check_neighborhood(alphabet.len(), k.get(), m)?;
        Ok(Self { alphabet, k, m })
    }

    /// The letters of the alphabet, in order.
    #[must_use]
    pub fn alphabet(&self) -> String {
        self.alphabet.iter().collect()
    }

    /// The number of letters of a word, k.
    #[must_use]
    pub fn k(&self) -> usize {
        self.k.get()
    }

    /// The largest number of mismatches, m.
    #[must_use]
    pub fn m(&self) -> usize {
        self.m
    }

    /// Whether there are few enough words to number them all.
    fn is_exact(&self) -> bool {
        let words = u32::try_from(self.k()).ok().and_then(|k| self.size().checked_pow(k));
        words.is_some_and(|words| words < HASHED)
    }

    /// The size of the alphabet, also used as the code of a letter outside it.
    fn size(&self) -> u64 {
        self.alphabet.len() as u64
    }

    fn code(&self, letter: char) -> u64 {
        self.alphabet.binary_search(&letter).map_or_else(|_| self.size(), |at| at as u64)
    }
}

/// Rejects neighbourhoods of more than 2¹⁸ words, Σ_{i ≤ m} C(k, i)·(|Σ| − 1)ⁱ. A single letter
/// counts as two, since letters outside the alphabet must be changed; so m is also below 18.
fn check_neighborhood(letters: usize, k: usize, m: usize) -> Result<(), Error> {
    let others = (letters.max(2) - 1) as u64;
    let (mut term, mut words) = (1_u64, 1_u64);
    for i in 1..=m as u64 {
        // Exact: C(k, i − 1)·(k − i + 1) is a multiple of i.
        term = term.saturating_mul(k as u64 - i + 1) / i;
        words = words.saturating_add(term.saturating_mul(others.saturating_pow(i as u32)));
        if words > NEIGHBORS {
            let what = "words with up to m mismatches near a piece of k letters";
            return Err(Error::TooMany { what, given: words, limit: NEIGHBORS });
        }
    }
    Ok(())
}

/// The mismatch neighbourhood of one k-mer.
struct Neighborhood<'a, F> {
    kernel: &'a Mismatch,
    visit: F,
}

impl<F: FnMut(&[u64])> Neighborhood<'_, F> {
    /// Visits all words that differ from `word` in at most `budget` of the positions from `from`
    /// on. Earlier positions are already fixed. The recursion depth is at most m.
    fn vary(&mut self, word: &mut [u64], from: usize, budget: usize) {
        let size = self.kernel.size();
        if word[from..].iter().all(|&code| code < size) {
            (self.visit)(word);
        }
        if budget == 0 {
            return;
        }
        for at in from..word.len() {
            let original = word[at];
            for code in (0..size).filter(|&code| code != original) {
                word[at] = code;
                self.vary(word, at + 1, budget - 1);
            }
            word[at] = original;
            if original == size {
                // A letter outside the alphabet must be changed.
                return;
            }
        }
    }
}

impl<S: AsRef<str> + ?Sized> Embedded<S> for Mismatch {
    fn bag(&self, x: &S) -> Bag {
        let codes: Vec<u64> = x.as_ref().chars().map(|letter| self.code(letter)).collect();
        let (size, exact) = (self.size(), self.is_exact());
        let name = |word: &[u64]| {
            if exact {
                word.iter().fold(0, |number, &code| number * size + code)
            } else {
                word.iter().fold(Fingerprint::new(0), |f, &code| f.word(code)).finish() | HASHED
            }
        };
        let mut pieces: Vec<&[u64]> = codes.windows(self.k()).collect();
        pieces.sort_unstable();
        let mut features = Vec::new();
        // Each neighbourhood is enumerated once, however often its k-mer occurs.
        for same in pieces.chunk_by(|a, b| a == b) {
            let visit = |word: &[u64]| features.push((name(word), same.len() as f64));
            Neighborhood { kernel: self, visit }.vary(&mut same[0].to_vec(), 0, self.m);
        }
        features.into_iter().collect()
    }
}

crate::impl_embedded_kernel!(Mismatch, AsRef<str>);

impl Parameters for Mismatch {
    /// k and m; the alphabet is not a hyper-parameter.
    fn parameters(&self) -> Vec<Parameter> {
        let (k, m) = (self.k() as u64, self.m as u64);
        vec![
            Parameter::new("k", k, Domain::count(m + 1)),
            Parameter::new("m", m, Domain::count_to(0, k - 1)),
        ]
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        let known = self.parameters();
        let Some(p) = known.iter().find(|p| p.name == name) else {
            return Err(unknown(name, &known));
        };
        let accepted = p.domain.accept(name, value)?.as_u64();
        let number = accepted.and_then(|v| usize::try_from(v).ok());
        let (k, m) = if name == "k" { (number, Some(self.m)) } else { (Some(self.k()), number) };
        // A count that does not fit in `usize` is rejected as an invalid one.
        *self = Self::new(&self.alphabet(), k.unwrap_or(0), m.unwrap_or(usize::MAX))?;
        Ok(())
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mismatch(alphabet={}, k={}, m={})", self.alphabet(), self.k, self.m)
    }
}
