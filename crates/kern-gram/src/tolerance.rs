//! Every tolerance of this crate, with its derivation. u is the unit round-off.

use kern_core::Scalar;
use kern_core::tolerance::CONTRACT_PSD;

/// Roundings by which mirrored entries of a precomputed matrix may differ, in units of u·max|G_ij|.
///
/// Two evaluations of one kernel value differ by the rounding of the kernel, a few u for profiles
/// of a distance and √d·u for inner products of d terms, which is 64u at d = 4096. A matrix whose
/// halves differ by more was computed in a lower precision ([`rough_asymmetry`]), or is not symmetric.
pub const ASYMMETRY: f64 = 64.0;

/// By how much mirrored entries may differ in a matrix with this greatest |G_ij|.
#[must_use]
pub fn asymmetry<T: Scalar>(greatest: f64) -> f64 {
    ASYMMETRY * T::UNIT_ROUNDOFF * greatest
}

/// By how much mirrored entries may differ in a matrix that was computed in single precision, whatever type it has now.
#[must_use]
pub fn rough_asymmetry(greatest: f64) -> f64 {
    asymmetry::<f32>(greatest)
}

/// The least eigenvalue, which is negative, that rounding explains in an n × n matrix with this
/// greatest one: −c·n·u·λ_max, c = [`CONTRACT_PSD`].
#[must_use]
pub fn least_eigenvalue<T: Scalar>(n: usize, greatest: f64) -> f64 {
    -CONTRACT_PSD * n as f64 * T::UNIT_ROUNDOFF * greatest.abs()
}

/// The squared relative difference between the residual that conjugate gradients update and the one that is
/// computed from which on directions are forgotten: a tenth of the residual is no longer conjugate to them.
pub(crate) const CG_DRIFT: f64 = 0.01;
