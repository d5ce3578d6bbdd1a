//! Kernel two-sample tests (MMD) and independence tests (HSIC).
//!
//! | question | statistic | test |
//! |---|---|---|
//! | Do two samples have the same distribution? | [`mmd`], the distance of their means in feature space | [`MmdTest`], a permutation test with one kernel, several kernels or features; [`LinearMmd`] in linear time |
//! | Where do they differ? | [`Witness`], the witness function: the difference of their means | |
//! | Are the parts of pairs independent? | [`hsic`], the norm of the cross-covariance of their features | [`HsicTest`], a permutation test |
//!
//! Points may have any type, and the two parts of a pair different types. A permutation test is
//! exact for any number of points: under the null hypothesis p ≤ a with a probability of at most a,
//! for every kernel that was chosen independently of the data.
//!
//! # References
//! Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*; Gretton,
//! Fukumizu, Teo, Song, Schölkopf & Smola (2008), *A Kernel Statistical Test of Independence*.

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
