//! Bochner's theorem, numerically: the spectral density of a profile that is given by its values
//! only, where it is negative if the profile is not a kernel, and random frequencies if it is one.
//!
//! The kernels of this library have closed-form spectra ([`Spectral`](crate::Spectral)), and so do
//! formulas of them ([`KernelSpec::spectrum`](crate::KernelSpec::spectrum)). This module is for all
//! others, in one dimension: [`ProfileTransform`] computes the density, [`ProfileSpectrum`] samples
//! from it.
//!
//! # Examples
//! ```
//! use kern_core::bochner::{ProfileSpectrum, ProfileTransform};
//! // Quotients of polynomials: one is a kernel, the other is not.
//! let kernel = ProfileTransform::new(|d| 1.0 / (1.0 + d * d))?;
//! assert!((kernel.density(2.0) - 0.5 * (-2.0_f64).exp()).abs() <= kernel.error());
//! assert!(ProfileSpectrum::new(&kernel).is_ok());
//! let other = ProfileTransform::new(|d| 1.0 / (1.0 + d.powi(4)))?;
//! assert!(other.negative_part().is_some() && ProfileSpectrum::new(&other).is_err());
//! # Ok::<(), kern_core::Error>(())
//! ```

mod bochner_transform;
mod legendre;
mod piecewise_polynomials;
mod profile_spectrum;
mod spherical_bessel;

pub use bochner_transform::{NegativePart, ProfileTransform};
pub use profile_spectrum::ProfileSpectrum;
