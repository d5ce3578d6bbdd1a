//! Nyström features: the projection of a kernel onto landmarks.
//!
//! With landmarks 𝓘 and their Gram matrix G̃ = UΛUᵀ, the map is ψ(x) = Λ^{−1/2}Uᵀk_{𝓘,x}, and the
//! Gram matrix that it implies, K(X, 𝓘)·G̃⁺·K(𝓘, X), is the orthogonal projection of the kernel's
//! features onto the span of those of the landmarks. `params` picks landmarks, `factor` finds U and
//! Λ, `map` applies them.

mod factor;
mod map;
mod params;

pub use map::NystromMap;
pub use params::Nystrom;
