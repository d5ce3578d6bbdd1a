//! The Matérn kernels with ν = 3/2 and ν = 5/2. (The one with ν = ½ is the exponential kernel.)

use super::radial::{self, Radial, radial_kernels};
use super::student;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::dispatched;
use crate::simd::exp;
use crate::{Error, Positive, Scalar, Spectral};
use faer::traits::math_utils::sqrt;
use rand::Rng;
use serde::{Deserialize, Serialize};

/// The Matérn kernel with ν = 3/2.
///
/// # Definition
/// K(x, y) = (1 + z)·exp(−z), z = √3·‖x − y‖₂/ℓ, with the length scale ℓ > 0. Sample paths of its
/// Gaussian process have one derivative. Mercer, because its spectral density is positive.
///
/// # Numerics
/// Blocks as for [`Rbf`](super::Rbf). In terms of d² = ‖x − y‖² there is no kink: the derivative is
/// −(3/(2ℓ²))·exp(−z).
///
/// # Spectrum
/// Multivariate Student-t with three degrees of freedom: ω = (g/ℓ)·√(3/χ²₃), g ~ N(0, I), with one
/// χ² for all coordinates.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, equations 4.15 and 4.17.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Matern32};
/// let k = Matern32::new(3.0_f64.sqrt())?;
/// let value = Kernel::<Samples<f64>>::eval(&k, &[4.0, 0.0], &[0.0, 3.0]);
/// assert!((value - 6.0 * (-5.0_f64).exp()).abs() < 1e-15);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Matérn")]
#[doc(alias = "Matern 3/2")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matern32 {
    length_scale: Positive,
}

declared! {
    Matern32 = "matern32", [stationary, spectral];
    length_scale: Domain::positive();
    => Self::new(length_scale)
}

/// The Matérn kernel with ν = 5/2.
///
/// # Definition
/// K(x, y) = (1 + z + z²/3)·exp(−z), z = √5·‖x − y‖₂/ℓ, with the length scale ℓ > 0. Sample paths of
/// its Gaussian process have two derivatives. Mercer, because its spectral density is positive.
///
/// # Numerics
/// Blocks as for [`Rbf`](super::Rbf). In terms of d² = ‖x − y‖² there is no kink: the derivative is
/// −(5/(6ℓ²))·(1 + z)·exp(−z).
///
/// # Spectrum
/// Multivariate Student-t with five degrees of freedom: ω = (g/ℓ)·√(5/χ²₅), g ~ N(0, I), with one χ²
/// for all coordinates.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, equations 4.15 and 4.17.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Matern52};
/// let k = Matern52::new(5.0_f64.sqrt())?;
/// let value = Kernel::<Samples<f64>>::eval(&k, &[3.0], &[0.0]);
/// assert!((value - 7.0 * (-3.0_f64).exp()).abs() < 1e-15);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Matérn")]
#[doc(alias = "Matern 5/2")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matern52 {
    length_scale: Positive,
}

declared! {
    Matern52 = "matern52", [stationary, spectral];
    length_scale: Domain::positive();
    => Self::new(length_scale)
}

macro_rules! length_scale {
    ($kernel:ident, $degrees:literal, $formula:literal) => {
        impl $kernel {
            #[doc = $formula]
            ///
            /// # Errors
            /// [`Error::Parameter`] unless `length_scale` is finite and > 0.
            pub fn new(length_scale: f64) -> Result<Self, Error> {
                Ok(Self { length_scale: Positive::new("length_scale", length_scale)? })
            }

            /// ℓ.
            #[doc(alias = "lengthscale")]
            #[doc(alias = "bandwidth")]
            #[must_use]
            pub fn length_scale(&self) -> f64 {
                self.length_scale.get()
            }

            /// z = rate·‖x − y‖, rate = √(2ν)/ℓ.
            fn rate(&self) -> f64 {
                f64::sqrt(f64::from($degrees as u32)) / self.length_scale()
            }

            /// z, also where the rate overflows.
            fn argument(&self, squared_distance: f64) -> f64 {
                f64::sqrt(f64::from($degrees as u32))
                    * (squared_distance.sqrt() / self.length_scale())
            }
        }

        impl Spectral for $kernel {
            fn mass(&self) -> f64 {
                1.0
            }

            fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
                student::add_frequency::<$degrees>(self.length_scale().recip(), rng, omega);
            }

            fn is_isotropic(&self) -> bool {
                true
            }

            fn uniforms(&self, dim: usize) -> Option<usize> {
                dim.checked_add($degrees)
            }

            fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
                student::add_frequency_at::<$degrees>(self.length_scale().recip(), uniforms, omega);
            }
        }
    };
}

length_scale!(Matern32, 3, "(1 + z)·exp(−z), z = √3·‖x − y‖/length_scale.");
length_scale!(Matern52, 5, "(1 + z + z²/3)·exp(−z), z = √5·‖x − y‖/length_scale.");

impl Radial for Matern32 {
    fn at(&self, squared_distance: f64) -> f64 {
        let z = self.argument(squared_distance);
        times_decay(1.0 + z, z)
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        T::from_f64(self.rate()).is_finite_number()
    }

    /// An error δ moves the value by (rate²·δ/2)·exp(−z).
    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        let q = self.rate() * (self.rate() * error) / (2.0 * allowed);
        (q.ln().max(0.0) / self.rate()).powi(2)
    }

    fn map<T: Scalar>(&self, distances: &mut [T], _: &mut [T]) {
        profile(distances, T::from_f64(self.rate()), T::ZERO);
    }
}

impl Radial for Matern52 {
    fn at(&self, squared_distance: f64) -> f64 {
        let z = self.argument(squared_distance);
        times_decay(1.0 + z + z * z / 3.0, z)
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        T::from_f64(self.rate()).is_finite_number()
    }

    /// An error δ moves the value by (rate²·δ/6)·(1 + z)·exp(−z), and (1 + z)·exp(−z) ≤
    /// 2·exp(−½ − z/2), with equality at z = 1.
    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        let q = self.rate() * (self.rate() * error) / (6.0 * allowed);
        // No error is noticed at z = 0, where the derivative is greatest, if q ≤ 1.
        let z = if q > 1.0 { 2.0 * (2.0 * q).ln() - 1.0 } else { 0.0 };
        (z / self.rate()).powi(2)
    }

    fn map<T: Scalar>(&self, distances: &mut [T], _: &mut [T]) {
        profile(distances, T::from_f64(self.rate()), T::from_f64(1.0 / 3.0));
    }
}

radial_kernels!(Matern32, Matern52);

/// factor·exp(−z), also where the factor overflows.
fn times_decay(factor: f64, z: f64) -> f64 {
    let decay = exp::single(-z);
    if decay > 0.0 { factor * decay } else { 0.0 }
}

dispatched! {
    /// d² ← (1 + z + square·z²)·exp(−z), z = rate·d; 0 where exp is, because z may be ∞ there.
    fn profile<'a, T>(distances: &'a mut [T], rate: T, square: T) -> () {
        for d in distances {
            let z = rate * sqrt(d);
            let decay = (-z).exp_lane();
            let value = square.fma(z, T::ONE).fma(z, T::ONE) * decay;
            *d = if decay > T::ZERO { value } else { T::ZERO };
        }
    }
}
