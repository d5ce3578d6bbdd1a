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

/// The error of a polynomial through values of a profile that is rounding, relative to the greatest of them: each
/// value carries a few round-offs of its own, and interpolation at 16 nodes of Gauss multiplies by less than 8.
pub const PROFILE_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A tail of a profile that is left out, relative to ∫|κ|.
pub const PROFILE_TAIL: f64 = 1e-15;

/// The slowest decrease of ∫|κ| from one octave to the next of a profile that is integrable: that of |δ|^(−1.1) is
/// 0.933. Slower ones cannot be told from 1/|δ|, whose octaves do not decrease.
pub const PROFILE_DECREASE: f64 = 0.95;

/// The error of ∫κ(δ)·cos(ωδ) dδ by pieces that is small enough, relative to ∫|κ|: half of it comes from rounding.
pub const PROFILE_ERROR: f64 = 64.0 * f64::EPSILON;

/// The jump of a profile at 0 that is called one, relative to κ(0). Where |δ|^s, s < 1, is added to κ(0), polynomials
/// miss it by more than other things until they are short.
pub const PROFILE_JUMP: f64 = 1e-3;

/// The error of ∫|κ|, relative to it, at which a profile counts as not resolved.
pub const PROFILE_UNRESOLVED: f64 = 1e-2;

/// |κ(δ) − κ(−δ)| of a profile that is called even, and |K(x + δ, x) − K(δ, 0)| of a kernel of differences, relative
/// to κ(0): differences of coordinates round by 2⁻⁵³ of the coordinates, which a steep profile magnifies.
pub const PROFILE_EVEN: f64 = 1e-9;

/// The error of the distribution function of frequencies that is small enough. No sample shows it: 10¹⁸ of them
/// would be needed.
pub const FREQUENCY_ERROR: f64 = 1e-9;

/// The part of a spectral density's integral, 1, that may be missing before octaves of frequencies are searched in
/// more places: tails that are below the numerical error of the density are less than that.
pub const FREQUENCIES_FOUND: f64 = 1e-3;
