//! Every tolerance of this crate, with its derivation. u is the unit round-off.

use kern_core::Scalar;
use kern_core::tolerance::CONTRACT_PSD;

/// The largest difference of mirrored entries of a precomputed matrix, in units of u·max|G_ij|.
///
/// Two evaluations of one kernel value differ by the rounding of the kernel: a few u for profiles
/// of a distance, and √d·u for inner products of d terms, which is 64u at d = 4096. A matrix with
/// larger differences was computed in a lower precision ([`single_precision_asymmetry`]), or is not
/// symmetric.
pub const ASYMMETRY: f64 = 64.0;

/// The largest difference of mirrored entries in a matrix with this largest |G_ij|.
#[must_use]
pub fn asymmetry<T: Scalar>(largest: f64) -> f64 {
    ASYMMETRY * T::UNIT_ROUNDOFF * largest
}

/// The largest difference of mirrored entries in a matrix that was computed in single precision,
/// whatever its type now.
#[must_use]
pub fn single_precision_asymmetry(largest: f64) -> f64 {
    asymmetry::<f32>(largest)
}

/// The most negative eigenvalue that rounding can explain, in an n × n matrix with this largest
/// eigenvalue: −c·n·u·λ_max, c = [`CONTRACT_PSD`].
#[must_use]
pub fn smallest_eigenvalue<T: Scalar>(n: usize, largest: f64) -> f64 {
    -CONTRACT_PSD * n as f64 * T::UNIT_ROUNDOFF * largest.abs()
}

/// The squared relative difference between the updated and the recomputed residual of conjugate
/// gradients beyond which directions are discarded: a tenth of the residual is no longer conjugate
/// to them.
pub(crate) const CG_DRIFT: f64 = 0.01;
