//! Tests of two samples, and of independence.
//!
//! | question | statistic | test |
//! |---|---|---|
//! | Are two samples of the same distribution? | [`mmd`], the distance of their means in feature space | [`MmdTest`] by permutations, of one kernel or several, or of features; [`LinearMmd`] in linear time |
//! | Where do they differ? | [`Witness`], the difference of their means as a function | |
//! | Are pairs independent? | [`hsic`], the covariance of their features | [`HsicTest`] by permutations |
//!
//! Points may be of any kind, and those of a pair of two kinds. A test by permutations has its level for any number of points: if the
//! hypothesis holds, p ≤ a with a probability of at most a, whatever the kernel, as long as it was chosen without the data.
//!
//! # References
//! Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*; Gretton, Fukumizu, Teo, Song, Schölkopf & Smola
//! (2008), *A Kernel Statistical Test of Independence*.

mod discrepancy;
mod factors;
mod family;
mod features;
mod hsic;
mod independence;
mod linear;
mod mmd;
mod permutation;
mod pooled;
mod splits;
mod stored;
mod tiles;
mod witness;

pub use discrepancy::{Discrepancy, mmd};
pub use family::{FamilyTest, OnKernels};
pub use features::mmd_on_features;
pub use hsic::{Dependence, hsic};
pub use independence::HsicTest;
pub use linear::LinearMmd;
pub use mmd::MmdTest;
pub use permutation::PermutationTest;
pub use witness::Witness;
