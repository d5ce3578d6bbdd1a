//! Kernels on strings. A letter is a Unicode scalar value (`char`), not a byte.

mod hamming;
mod letters;
mod mismatch;
mod spectrum;
mod subsequence;
mod weighted_degree;

pub use hamming::{Hamming, HammingRbf};
pub use mismatch::Mismatch;
pub use spectrum::Spectrum;
pub use subsequence::Subsequence;
pub use weighted_degree::WeightedDegree;
