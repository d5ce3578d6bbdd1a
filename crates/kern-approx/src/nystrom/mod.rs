//! Nyström features: the projection of a kernel onto landmarks.
//!
//! With landmarks 𝓘 and their Gram matrix G̃ = RRᵀ, the map is ψ(x) = R⁺k_{𝓘,x}, and the
//! Gram matrix that it implies, K(X, 𝓘)·G̃⁺·K(𝓘, X), is the orthogonal projection of the kernel's
//! features onto the span of those of the landmarks. `params` holds the parameters, `selection` and
//! `random_pivots` pick landmarks from a `source`, `root` finds R⁺ by `cholesky` or `spectral` and
//! applies it, `fit` puts it together for points and `gram` for a Gram matrix.

mod cholesky;
mod fit;
mod gram;
mod map;
mod params;
mod random_pivots;
mod report;
mod root;
mod selection;
mod source;
mod spectral;

pub use gram::NystromGram;
pub use map::NystromMap;
pub use params::Nystrom;
pub use random_pivots::PivotedCholesky;
pub use report::{NystromFit, NystromReport};
pub use selection::Selection;
pub(crate) use selection::uniform;
