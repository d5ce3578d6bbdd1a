//! Bochner's theorem as a computation: the spectral density of a profile that is known by its values alone, where it
//! is negative if the profile is no kernel, and random frequencies if it is one.
//!
//! The kernels of this library know their spectra in closed form ([`Spectral`](crate::Spectral)), and so do formulas
//! of them ([`KernelSpec::spectrum`](crate::KernelSpec::spectrum)). This is for the others, in one dimension:
//! [`ProfileTransform`] computes, [`ProfileSpectrum`] samples.
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
