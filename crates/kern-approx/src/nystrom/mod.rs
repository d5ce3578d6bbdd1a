//! Nyström features: the projection of a kernel onto landmarks.
//!
//! With landmarks 𝓘 and their Gram matrix G̃ = RRᵀ, the map is ψ(x) = R⁺k_{𝓘,x}, and the Gram
//! matrix that it implies, K(X, 𝓘)·G̃⁺·K(𝓘, X), is the orthogonal projection of the kernel's
//! features onto the span of those of the landmarks. `nystrom_method` holds the parameters and the
//! fit to points, `selection` and `randomly_pivoted_cholesky` pick landmarks from a
//! `landmark_source`, `inverse_root` computes R⁺ by a Cholesky factor or by eigenvalues,
//! `nystrom_map` applies it, and `nystrom_gram` approximates a Gram matrix.

mod inverse_root;
mod k_means_seeds;
mod landmark_source;
mod leverage_scores;
mod nystrom_gram;
mod nystrom_map;
mod nystrom_method;
mod randomly_pivoted_cholesky;
mod selection;

pub(crate) use landmark_source::uniform;
pub use nystrom_gram::NystromGram;
pub use nystrom_map::{NystromFit, NystromMap, NystromReport};
pub use nystrom_method::Nystrom;
pub use randomly_pivoted_cholesky::PivotedCholesky;
pub use selection::Selection;
