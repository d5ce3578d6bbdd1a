//! Distances in the feature space from the differences of points: −½‖φ(x) − φ(y)‖² as a kernel.
//!
//! Taken from values, ‖φ(x) − φ(y)‖² = K(x, x) − 2K(x, y) + K(y, y) is rounded like K(x, x), which is many times the distance where the
//! points lie far from the origin. Where the family of a kernel allows it, the distance comes from x − y, and is as
//! good as that difference. Sums Σᵢⱼ cᵢcⱼK(xᵢ, xⱼ) with Σᵢ cᵢ = 0 are the same of K and of −½‖φ(x) − φ(y)‖², which is
//! conditionally positive definite (Schölkopf 2001, *The Kernel Trick for Distances*).

mod cosine;
mod linear;
mod parts;
mod polynomial;

pub(crate) use cosine::CosineDistance;
pub(crate) use linear::LinearDistance;
pub(crate) use polynomial::{GREATEST_DEGREE, PolynomialDistance};
