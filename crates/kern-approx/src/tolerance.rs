//! Every tolerance of this crate, with its derivation. u is the unit round-off.

/// Phases must stay below this number of turns.
///
/// From 2⁵² on, a double has no fractional part, so that cosine and sine of the phase would not
/// depend on the point any more.
pub const MAX_TURNS: f64 = 4_503_599_627_370_496.0;

/// Eigenvalues of the landmarks' m × m Gram matrix below this fraction of the greatest one are
/// taken for zero.
///
/// Every entry carries a rounding of at most u·max|G_ij|. A symmetric matrix of m² such errors,
/// without pattern, has norm 2√m·u·max|G_ij| (Wigner), which is at most 2√m·u·λ_max, and by so much
/// it may move an eigenvalue (Weyl). What lies below is indistinguishable from zero; to divide by
/// its root would turn rounding into features.
///
/// What is lost with it is less than the cut in the entries of landmarks, and less than
/// √(cut·K(x, x)) in an entry K(x, landmark), cut being 2√m·u·λ_max. Measured with all of 1024 uniform
/// points in \[0, 1\]² as landmarks of an RBF kernel, γ = 100, and as many new points, six seeds:
///
/// | cut | error at landmarks | landmark and new point | violation of G_nys ⪯ G on new points |
/// |---|---|---|---|
/// | m·u | 9e-13 | 1.7e-8 | 0.02 m·u·λ_max |
/// | 4√m·u | 2e-13 | 7e-9 | 42 m·u·λ_max |
/// | **2√m·u** | 6e-14 | 4e-9 | 125 m·u·λ_max (5e-10) |
/// | 4u | 3e-14 | 2e-9 | 6400 m·u·λ_max |
///
/// The violation is relative: in all of 6·10⁴ random cases G_nys ⪯ (1 + 1/8)·G + 16·n·u·λ_max, and it
/// concerns only directions in which G itself is of the size of the cut.
#[must_use]
pub fn eigenvalue_cut(landmarks: usize, unit_roundoff: f64) -> f64 {
    2.0 * (landmarks as f64).sqrt() * unit_roundoff
}

/// The constant c in λ_min ≥ −c·m·u·λ_max, below which a Gram matrix is not positive
/// semi-definite: the norm of m² errors of c round-offs each, all of one sign, and c the most that
/// an entry of a sparse tile may have ([`kern_core::tolerance::TILE_ERROR`]).
pub const NOT_PSD: f64 = kern_core::tolerance::TILE_ERROR;
