//! Every tolerance of this crate, with its derivation. u is the unit round-off.

/// Phases must stay below this number of turns.
///
/// From 2⁵² on, a double has no fractional part, so that cosine and sine of the phase would not
/// depend on the point any more.
pub const MAX_TURNS: f64 = 4_503_599_627_370_496.0;

/// Eigenvalues of the landmarks' m × m Gram matrix below this fraction of the greatest one are
/// taken for zero.
///
/// The m² entries carry one rounding each, of size u·max|G_ij| ≤ u·λ_max, and the eigenvalue
/// computation adds a backward error of the same kind; both move an eigenvalue by at most the
/// norm of the perturbation, m·u·λ_max (Weyl). What lies below is indistinguishable from zero;
/// to divide by its root would turn rounding into features. What is lost with it is less than
/// the cut in every entry of the landmarks' Gram matrix.
#[must_use]
pub fn eigenvalue_cut(landmarks: usize, unit_roundoff: f64) -> f64 {
    landmarks as f64 * unit_roundoff
}

/// The constant c in λ_min ≥ −c·m·u·λ_max, below which a Gram matrix is not positive
/// semi-definite: the worst case of [`eigenvalue_cut`] with entries that err by c round-offs, as
/// many as a tile may ([`kern_core::tolerance::TILE_ERROR`]).
pub const NOT_PSD: f64 = kern_core::tolerance::TILE_ERROR;
