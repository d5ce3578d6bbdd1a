//! Probabilities of classifiers that have none: sigmoids fitted to held-out scores, coupled over pairs of classes.
//!
//! # Definition
//! P(b | a or b) = 1/(1 + exp(A f + B)) for the function f of the pair a < b, with A and B of greatest likelihood
//! on scores of points that the function was not learned from. With more than two classes the probabilities p
//! minimise Σ_{i≠j} (r_ji pᵢ − r_ij pⱼ)² with Σp = 1, where r_ij is that of i among i and j; of classes that were learned
//! each against the rest they are the sigmoids' divided by their sum.
//!
//! # References
//! Platt (2000), *Probabilities for SV Machines*; Lin, Lin & Weng (2007), *A note on Platt's probabilistic outputs*,
//! Algorithm 1; Wu, Lin & Weng (2004), *Probability estimates for multi-class classification by pairwise
//! coupling*, eq. 20 and Algorithm 2.

mod calibrated;
mod platt_scaling;

pub use crate::model::{PlattSigmoid, couple};
pub use calibrated::Calibrated;
