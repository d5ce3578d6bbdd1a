//! All numerical tolerances of this crate with their derivations. u is the unit round-off.

/// The absolute error that a tile of sparse samples may have in the argument of a kernel's profile
/// before entries are recomputed from differences, in units of u.
///
/// A kernel value in [0, 1] cannot be more accurate than u/2; evaluating the profile adds about 3u.
/// The bound below is a worst case that real data stays below by a factor of 10 or more, so with
/// 256 the error is similar to that of the profile, and distances of ordinary data are rarely
/// recomputed.
pub const TILE_ERROR: f64 = 256.0;

/// Bound on |fl(d²) − d²| for d² = ‖x‖² + ‖y‖² − 2⟨x, y⟩, per unit of (‖x‖ + ‖y‖)².
///
/// A sum of d products has an error of at most d·u relative to the sum of magnitudes; the
/// three-term sum adds two rounding errors. The bound has √d instead of d, since rounding errors of
/// a long sum behave like a random walk (Higham & Mary 2019): 4·√(d + 4)·u exceeded the observed
/// errors on dense rows by a factor of 7 up to d = 64, of 3 at d = 784, and of 1.4 on rows of equal
/// coordinates, whose rounding errors all have the same sign.
#[must_use]
pub fn squared_distance_error(dim: usize, unit_roundoff: f64) -> f64 {
    4.0 * ((dim + 4) as f64).sqrt() * unit_roundoff
}

/// The rounding error that [`contract::verify`](crate::contract::verify) allows between a block and
/// the definition, in units of u·√(K(x, x)·K(y, y)) (or of u·(1 + |K|) if that is larger).
pub const CONTRACT_BLOCK: f64 = 4096.0;

/// The constant c in λ_min(G) ≥ −c·n·u·λ_max(G): the rounding of n² entries changes an eigenvalue
/// by at most n·u·max|G_ij| times the error of the entries in units of u, here up to 64.
pub const CONTRACT_PSD: f64 = 64.0;

/// The rounding error of a polynomial that interpolates a profile, relative to the largest value:
/// each value has a few round-offs, which interpolation at 16 Gauss nodes amplifies by a factor
/// below 8.
pub const PROFILE_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The part of a profile's tail that is truncated, relative to ∫|κ|.
pub const PROFILE_TAIL: f64 = 1e-15;

/// The slowest decrease of ∫|κ| from one octave to the next of a profile that counts as integrable:
/// that of |δ|^(−1.1) is 0.933. Slower decreases cannot be distinguished from 1/|δ|, whose octaves
/// do not decrease.
pub const PROFILE_DECREASE: f64 = 0.95;

/// The largest acceptable error of the piecewise ∫κ(δ)·cos(ωδ) dδ, relative to ∫|κ|; half of it is
/// rounding error.
pub const PROFILE_ERROR: f64 = 64.0 * f64::EPSILON;

/// The jump of a profile at 0 that counts as a discontinuity, relative to κ(0). Where |δ|^s with s
/// < 1 is added to κ(0), polynomials have a larger error than elsewhere until the pieces are short.
pub const PROFILE_JUMP: f64 = 1e-3;

/// The relative error of ∫|κ| beyond which a profile counts as unresolved.
pub const PROFILE_UNRESOLVED: f64 = 1e-2;

/// The largest |κ(δ) − κ(−δ)| of a profile that counts as even, and the largest |K(x + δ, x) −
/// K(δ, 0)| of a kernel that counts as shift-invariant, relative to κ(0): differences of
/// coordinates have a rounding error of 2⁻⁵³ of the coordinates, which a steep profile amplifies.
pub const PROFILE_EVEN: f64 = 1e-9;

/// The largest acceptable error of the distribution function of frequencies. It could be detected
/// only by 10¹⁸ samples.
pub const FREQUENCY_ERROR: f64 = 1e-9;

/// The part of a spectral density's integral, 1, that may be missing before octaves of frequencies
/// are searched at more points: tails below the numerical error of the density contribute less than
/// that.
pub const FREQUENCIES_FOUND: f64 = 1e-3;
