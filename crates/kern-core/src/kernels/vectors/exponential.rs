//! The exponential kernel, or Matérn kernel with ν = ½.

use super::frequencies;
use super::radial::{self, Radial, radial_kernels};
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::exp;
use crate::{Error, Positive, Scalar, Spectral};
use rand::Rng;
use serde::{Deserialize, Serialize};

/// The exponential kernel, also called Ornstein–Uhlenbeck or Matérn-½ kernel.
///
/// # Definition
/// K(x, y) = exp(−γ‖x − y‖₂), γ > 0, with the L2 distance. (With the L1 distance it is the
/// [`Laplacian`](super::Laplacian).) It is the Matérn kernel with ν = ½ and ℓ = 1/γ. Mercer,
/// because its spectral density is positive.
///
/// # Numerics
/// Blocks as for [`Rbf`](super::Rbf). The kernel is not differentiable at r = ‖x − y‖ = 0: an error
/// δ of r² changes r by δ/(2r), and so the value by γδ·exp(−γr)/(2r). Sparse blocks recompute all
/// entries for which that exceeds [`TILE_ERROR`](crate::tolerance::TILE_ERROR) round-offs.
///
/// # Spectrum
/// Multivariate Student-t with one degree of freedom: ω = γg/|h|, g ~ N(0, I), h ~ N(0, 1).
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, equations 4.14 and 4.15.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Exponential};
/// let k = Exponential::new(0.5)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[4.0, 0.0], &[0.0, 3.0]), (-2.5_f64).exp());
/// assert_eq!(k.to_string(), "exponential(gamma=0.5)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Ornstein-Uhlenbeck")]
#[doc(alias = "OU")]
#[doc(alias = "Matern12")]
#[doc(alias = "Matern 1/2")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exponential {
    gamma: Positive,
}

declared! {
    Exponential = "exponential", [stationary, spectral];
    gamma: Domain::positive();
    => Self::new(gamma)
}

impl Exponential {
    /// exp(−gamma·‖x − y‖₂).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `gamma` is finite and > 0.
    pub fn new(gamma: f64) -> Result<Self, Error> {
        Ok(Self { gamma: Positive::new("gamma", gamma)? })
    }

    /// γ.
    #[doc(alias = "bandwidth")]
    #[doc(alias = "sigma")]
    #[doc(alias = "length scale")]
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }
}

impl Radial for Exponential {
    fn at(&self, squared_distance: f64) -> f64 {
        exp::single(-self.gamma() * squared_distance.sqrt())
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        T::from_f64(self.gamma()).is_finite_number()
    }

    /// With z = γr the value changes by γ²δ·exp(−z)/(2z), which is at most `allowed` if z·exp(z) ≥
    /// q = γ²δ/(2·allowed). That holds for z ≥ ln(1 + q), because (1 + q)·ln(1 + q) ≥ q.
    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        let q = self.gamma() * (self.gamma() * error) / (2.0 * allowed);
        (q.ln_1p() / self.gamma()).powi(2)
    }

    fn map<T: Scalar>(&self, distances: &mut [T], _: &mut [T]) {
        T::sqrt_scaled(distances, T::ONE);
        T::exp_scaled(distances, T::from_f64(-self.gamma()));
    }
}

radial_kernels!(Exponential);

impl Spectral for Exponential {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
        frequencies::add_student_frequency::<1>(self.gamma(), rng, omega);
    }

    fn is_isotropic(&self) -> bool {
        true
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        dim.checked_add(1)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        frequencies::add_student_frequency_at::<1>(self.gamma(), uniforms, omega);
    }
}
