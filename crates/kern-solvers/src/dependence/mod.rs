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

mod centred_matrices;
mod hsic;
mod linear_time_mmd;
mod mmd;
mod mmd_of_features;
mod permutation_test;
mod pooled;
mod splits;
mod witness;

pub use hsic::{Dependence, HsicTest, hsic};
pub use linear_time_mmd::LinearMmd;
pub use mmd::{Discrepancy, MmdTest, mmd};
pub use mmd_of_features::mmd_on_features;
pub use permutation_test::{FamilyTest, OnKernels, PermutationTest};
pub use witness::Witness;
