//! Probability calibration of classifiers: Platt sigmoids fitted to held-out scores, with pairwise
//! coupling.
//!
//! # Definition
//! P(b | a or b) = 1/(1 + exp(A f + B)) for the decision function f of the pair a < b, with A and B
//! of maximum likelihood on held-out scores. For more than two classes the probabilities p minimise
//! Σ_{i≠j} (r_ji pᵢ − r_ij pⱼ)² subject to Σp = 1, where r_ij is the probability of i among i and
//! j. For one-versus-rest classifiers they are the normalised sigmoids.
//!
//! # References
//! Platt (2000), *Probabilities for SV Machines*; Lin, Lin & Weng (2007), *A note on Platt's
//! probabilistic outputs*, Algorithm 1; Wu, Lin & Weng (2004), *Probability estimates for
//! multi-class classification by pairwise coupling*, eq. 20 and Algorithm 2.

mod calibrated;
mod platt_scaling;

pub use crate::model::{PlattSigmoid, couple};
pub use calibrated::Calibrated;
