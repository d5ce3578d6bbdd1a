//! The radial basis function (Gaussian) kernel.

use super::frequencies::normal_quantile;
use super::radial::{self, Radial, radial_kernels};
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::exp;
use crate::{Error, Positive, Scalar, Spectral};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// The radial basis function kernel, also called Gaussian or squared exponential kernel.
///
/// # Definition
/// K(x, y) = exp(−γ‖x − y‖₂²), γ > 0. With a width σ, γ = 1/(2σ²): [`Rbf::from_sigma`].
///
/// # Numerics
/// Blocks of dense samples are sums of squared differences, so they stay accurate far from the
/// origin and for distant clusters: absolute error ≤ ((d + 4)/e + 4)u. Blocks of sparse samples use
/// the common features of pairs; entries whose rounding error would change the kernel value by more
/// than [`TILE_ERROR`](crate::tolerance::TILE_ERROR) round-offs are recomputed from differences.
///
/// # Spectrum
/// ω ~ N(0, 2γI).
///
/// # References
/// Rahimi & Recht (2007), figure 1.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Rbf};
/// let k = Rbf::new(0.5)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[1.0, 0.0], &[1.0, 2.0]), (-2.0_f64).exp());
/// assert_eq!(Rbf::from_sigma(1.0)?, k);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Gaussian")]
#[doc(alias = "squared exponential")]
#[doc(alias = "SE")]
#[doc(alias = "radial basis function")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rbf {
    gamma: Positive,
}

declared! {
    Rbf = "rbf", [stationary, spectral];
    gamma: Domain::positive();
    => Self::new(gamma)
}

impl Rbf {
    /// exp(−gamma·‖x − y‖²).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `gamma` is finite and > 0.
    pub fn new(gamma: f64) -> Result<Self, Error> {
        Ok(Self { gamma: Positive::new("gamma", gamma)? })
    }

    /// exp(−‖x − y‖²/(2·sigma²)).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` and γ = 1/(2σ²) are finite and > 0.
    pub fn from_sigma(sigma: f64) -> Result<Self, Error> {
        let sigma = Positive::new("sigma", sigma)?.get();
        Self::new(0.5 / (sigma * sigma))
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

impl Radial for Rbf {
    fn at(&self, squared_distance: f64) -> f64 {
        exp::single(-self.gamma() * squared_distance)
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        T::from_f64(self.gamma()).is_finite_number()
    }

    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        radial::gaussian_sensitive_below(self.gamma(), error, allowed)
    }

    fn map<T: Scalar>(&self, distances: &mut [T], _: &mut [T]) {
        T::exp_scaled(distances, T::from_f64(-self.gamma()));
    }
}

radial_kernels!(Rbf);

impl Spectral for Rbf {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        let scale = (2.0 * self.gamma()).sqrt();
        for w in omega {
            let z: f64 = StandardNormal.sample(&mut rng);
            *w += scale * z;
        }
    }

    fn is_isotropic(&self) -> bool {
        true
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        Some(dim)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        let scale = (2.0 * self.gamma()).sqrt();
        for (w, &u) in omega.iter_mut().zip(uniforms) {
            *w += scale * normal_quantile(u);
        }
    }
}
