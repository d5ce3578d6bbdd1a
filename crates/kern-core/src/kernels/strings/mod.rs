//! Kernels on strings. A letter is a Unicode scalar value (`char`), not a byte.

mod hamming;
mod hamming_rbf;
mod letters;
mod mismatch;
mod spectrum;
mod subsequence;
mod weighted_degree;

pub use hamming::Hamming;
pub use hamming_rbf::HammingRbf;
pub use mismatch::Mismatch;
pub use spectrum::Spectrum;
pub use subsequence::Subsequence;
pub use weighted_degree::WeightedDegree;

use super::fingerprint::Fingerprint;
use crate::Error;
use std::num::NonZeroUsize;

crate::impl_kernel_ops!([] Mismatch;);
crate::named! { [] Mismatch = "mismatch"; }

/// The features that fingerprints name; those below are exact.
const HASHED: u64 = 1 << 63;

/// The name of a piece of text as a feature. Up to seven bytes are packed with their number, which
/// is exact; longer ones have a fingerprint of 63 bits.
pub(super) fn text_feature(text: &str) -> u64 {
    match text.len() {
        0..=7 => text.bytes().fold(text.len() as u64, |packed, byte| packed << 8 | u64::from(byte)),
        _ => Fingerprint::new(0).text(text).finish() | HASHED,
    }
}

/// A number of letters, at least one.
fn at_least_one(name: &'static str, given: usize) -> Result<NonZeroUsize, Error> {
    let allowed = "a whole number >= 1";
    NonZeroUsize::new(given).ok_or(Error::Parameter { name, given: given as f64, allowed })
}
