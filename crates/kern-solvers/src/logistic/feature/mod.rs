//! Logistic regression on the features of a map, in the primal.
//!
//! # Definition
//! f(x) = b + wᵀψ(x) minimises J = (1/n) Σᵢ βᵢ ln(1 + exp(−yᵢf(xᵢ))) + (λ/2)‖w‖². For features that reproduce a kernel
//! this is the problem of [`KernelLogistic`](super::KernelLogistic) with the same λ. More than two classes are learned each against the
//! rest, one after the other.
//!
//! # Method and certificate
//! With gᵢ = −βᵢyᵢσ(−yᵢfᵢ), hᵢ = βᵢσ(fᵢ)σ(−fᵢ), ρ = Σg, s = Σh and r̃ = Zg − (ρ/s)Zh + nλw, Newton's step is
//!
//! (Z diag(h) Zᵀ − (Zh)(Zh)ᵀ/s + nλI) d = −r̃, δ = −(ρ + (Zh)ᵀd)/s,
//!
//! without the terms in s, and δ = 0, unless there is an intercept. J exceeds its minimum by at most
//!
//! ρ²/(ns) + ‖r̃‖²/(2n²λ) if |ρ| ≤ s, and by at most J,
//!
//! the duality gap bound of [`logistic`](super). All of this is made of [`LogisticStatistics`](crate::statistics::LogisticStatistics), one
//! pass over the points for each step.

mod fit;
mod params;

pub use params::FeatureLogistic;
