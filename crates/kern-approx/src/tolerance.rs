//! Every tolerance of this crate, with its derivation. u is the unit round-off.

use kern_core::Scalar;

/// The upper limit of phases, in turns.
///
/// From 2⁵² on, a double has no fractional part, so that cosine and sine of the phase would no
/// longer depend on the point.
pub const MAX_TURNS: f64 = 4_503_599_627_370_496.0;

/// Eigenvalues of the landmarks' m × m Gram matrix below this fraction of the largest one are
/// treated as zero.
///
/// Every entry has a rounding error of at most u·max|G_ij|. A symmetric matrix of m² such errors,
/// without pattern, has norm 2√m·u·max|G_ij| (Wigner), which is at most 2√m·u·λ_max, and may change
/// an eigenvalue by that much (Weyl). Smaller eigenvalues are indistinguishable from zero; dividing
/// by their root would turn rounding errors into features.
///
/// Dropping them changes the entries of landmarks by less than the cut, and an entry K(x, landmark)
/// by less than √(cut·K(x, x)), with cut = 2√m·u·λ_max. Measured with all of 1024 uniform points in
/// \[0, 1\]² as landmarks of an RBF kernel, γ = 100, and as many new points, six seeds:
///
/// | cut | error at landmarks | landmark and new point | violation of G_nys ⪯ G on new points |
/// |---|---|---|---|
/// | m·u | 9e-13 | 1.7e-8 | 0.02 m·u·λ_max |
/// | 4√m·u | 2e-13 | 7e-9 | 42 m·u·λ_max |
/// | **2√m·u** | 6e-14 | 4e-9 | 125 m·u·λ_max (5e-10) |
/// | 4u | 3e-14 | 2e-9 | 6400 m·u·λ_max |
///
/// The violation is relative: in all of 6·10⁴ random cases G_nys ⪯ (1 + 1/8)·G + 16·n·u·λ_max, and
/// it concerns only directions in which G itself is of the size of the cut.
#[must_use]
pub fn eigenvalue_cut(landmarks: usize, unit_roundoff: f64) -> f64 {
    2.0 * (landmarks as f64).sqrt() * unit_roundoff
}

/// The constant c in λ_min ≥ −c·m·u·λ_max, below which a Gram matrix is not positive semi-definite:
/// the norm of m² errors of c round-offs each, all of one sign, where c is the largest error of an
/// entry of a sparse tile ([`kern_core::tolerance::TILE_ERROR`]).
pub const NOT_PSD: f64 = kern_core::tolerance::TILE_ERROR;

/// The smallest eigenvalue for which the Gram matrix of m landmarks counts as well conditioned: its
/// root is then a Cholesky factor, and otherwise it is computed from eigenvectors.
///
/// It is 16 times the rounding error ε = 2√m·u·max|G_ij| of the Gram matrix (see
/// [`eigenvalue_cut`]), which affects G_nys ⪯ (1 + ε/(λ − ε))·G by no more than 1/15. The cut of
/// eigenvectors is relative to λ_max instead of max|G_ij|, up to m times that, and would drop
/// directions that the entries determine.
#[must_use]
pub fn cholesky_floor(landmarks: usize, largest_entry: f64, unit_roundoff: f64) -> f64 {
    16.0 * eigenvalue_cut(landmarks, unit_roundoff) * largest_entry
}

/// Residuals of a partial Cholesky factorisation of rank m below this fraction of the largest
/// diagonal entry are treated as zero: 2m·u, the rounding error of a sum of m squares.
///
/// If a factorisation ends because no larger residual is left, any entry changes by at most the
/// cut, by the Cauchy–Schwarz inequality: a residual matrix is positive semi-definite. Measured as
/// in the table of [`eigenvalue_cut`], with random pivots and six seeds, the worst of each: error
/// at landmarks 2.3e-13, landmark and new point 7.3e-9, violation of G_nys ⪯ G on new points 7
/// m·u·λ_max.
#[must_use]
pub fn pivot_cut(rank: usize, unit_roundoff: f64) -> f64 {
    2.0 * rank as f64 * unit_roundoff
}

/// A residual diagonal entry more negative than this fraction of the largest diagonal entry means
/// that a kernel is not positive semi-definite.
///
/// A pivot p divides the rounding error u of a residual entry by √p, and a square of the quotient f
/// has an error of 2·f·u/√p. With f ≤ 1 and p at the cut, u or more, that is 2√u; entries have
/// [`NOT_PSD`] round-offs each.
#[must_use]
pub fn negative_residual(unit_roundoff: f64) -> f64 {
    NOT_PSD * unit_roundoff.sqrt()
}

/// Squared distances K(x, x) − 2K(x, y) + K(y, y) below this fraction of the largest diagonal entry
/// count as those of equal points: four entries, each with [`NOT_PSD`] round-offs, with a safety
/// factor of two.
#[must_use]
pub fn distance_floor(unit_roundoff: f64) -> f64 {
    8.0 * NOT_PSD * unit_roundoff
}

/// The smallest shift ν of a preconditioner AAᵀ + νI that is applied by the Cholesky factor of
/// AᵀA + νI: four times the backward error of that factor, (k + 1)·u·tr(AᵀA) (Higham 2002, theorem
/// 10.3), and of the sums of AᵀA, whose blocks of 512 terms in double precision have an error of
/// less than 2⁹u.
#[must_use]
pub fn preconditioner_shift(rank: usize, trace: f64) -> f64 {
    4.0 * (rank as f64 + 512.0) * f64::UNIT_ROUNDOFF * trace
}
