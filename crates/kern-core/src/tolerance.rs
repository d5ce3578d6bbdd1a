//! Every tolerance of this crate, with its derivation. u is the unit round-off.

/// The absolute error that a tile of sparse samples may have in the argument of a kernel's profile
/// before entries are recomputed from differences, in units of u.
///
/// A kernel value in [0, 1] cannot be better than u/2; evaluating the profile costs about 3u. The
/// bound below is a worst case that real data stays below by a factor of 10 or more, so 256 keeps
/// the error near the profile's own while distances of ordinary data are hardly ever recomputed.
pub const TILE_ERROR: f64 = 256.0;

/// Bound on |fl(d²) − d²| for d² = ‖x‖² + ‖y‖² − 2⟨x, y⟩, per unit of (‖x‖ + ‖y‖)².
///
/// A sum of d products errs by at most d·u relative to the sum of magnitudes; the three-term sum
/// adds two roundings. With √d rather than d, since rounding errors of a long sum behave like a
/// random walk (Higham & Mary 2019): 4·√(d + 4)·u exceeded what was observed on dense rows by a
/// factor of 7 up to d = 64, of 3 at d = 784, and of 1.4 on rows of equal coordinates, whose
/// roundings all have one sign.
#[must_use]
pub fn squared_distance_error(dim: usize, unit_roundoff: f64) -> f64 {
    4.0 * ((dim + 4) as f64).sqrt() * unit_roundoff
}

/// The rounding that [`contract::verify`](crate::contract::verify) allows between a block and the
/// definition, in units of u·√(K(x, x)·K(y, y)) (or of u·(1 + |K|) if that is greater).
pub const CONTRACT_BLOCK: f64 = 4096.0;

/// The constant c in λ_min(G) ≥ −c·n·u·λ_max(G): the rounding of n² entries moves an eigenvalue by
/// at most n·u·max|G_ij| times the entries' own error in u, here allowed to be 64.
pub const CONTRACT_PSD: f64 = 64.0;
