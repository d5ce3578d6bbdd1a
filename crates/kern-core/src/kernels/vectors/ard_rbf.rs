//! The Gaussian kernel with a width for each feature (ARD).

use super::frequencies::normal_quantile;
use super::radial::{self, Radial, radial_kernels};
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::exp;
use crate::{Error, NonNegative, Scalar, Spectral};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// The Gaussian kernel with automatic relevance determination (ARD): a γ for each feature.
///
/// # Definition
/// K(x, y) = exp(−Σⱼ γ_j(x_j − y_j)²), γ_j ≥ 0. A feature with γ_j = 0 is ignored; equal γ_j give
/// [`Rbf`](super::Rbf). It is the RBF kernel pulled back along a diagonal matrix, hence Mercer.
///
/// # Numerics
/// Blocks as for [`Rbf`](super::Rbf), with weighted squares.
///
/// # Spectrum
/// ω_j ~ N(0, 2γ_j), independent.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, equation 5.2.
///
/// # Examples
/// ```
/// use kern_core::{Error, Kernel, Samples, kernels::ArdRbf};
/// let k = ArdRbf::new(&[0.5, 0.0])?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[2.0, 7.0], &[0.0, 0.0]), (-2.0_f64).exp());
/// assert_eq!(k.to_string(), "ard_rbf(gamma=[0.5, 0])");
/// let wrong = Samples::from_rows(&[[1.0, 2.0, 3.0]])?;
/// assert!(matches!(k.check(&wrong), Err(Error::Dimension { expected: 2, given: 3, .. })));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "anisotropic Gaussian")]
#[doc(alias = "automatic relevance determination")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct ArdRbf {
    gamma: Vec<f64>,
}

declared! {
    ArdRbf = "ard_rbf", [stationary, spectral];
    gamma: Domain::List;
    => Self::new(Vec::as_slice(&gamma))
}

/// The file format.
#[derive(Clone, Serialize, Deserialize)]
struct Packed {
    gamma: Vec<f64>,
}

impl TryFrom<Packed> for ArdRbf {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::new(&packed.gamma)
    }
}

impl From<ArdRbf> for Packed {
    fn from(kernel: ArdRbf) -> Self {
        Packed { gamma: kernel.gamma }
    }
}

impl ArdRbf {
    /// exp(−Σⱼ gamma_j·(x_j − y_j)²) on vectors with `gamma.len()` features.
    ///
    /// # Errors
    /// [`Error::Dimension`] if `gamma` is empty, [`Error::Parameter`] unless all values are finite
    /// and ≥ 0.
    pub fn new(gamma: &[f64]) -> Result<Self, Error> {
        if gamma.is_empty() {
            return Err(Error::Dimension { what: "gamma per feature", expected: 1, given: 0 });
        }
        for &g in gamma {
            NonNegative::new("gamma", g)?;
        }
        Ok(Self { gamma: gamma.to_vec() })
    }

    /// γ₁, …, γ_d.
    #[doc(alias = "bandwidth")]
    #[doc(alias = "sigma")]
    #[doc(alias = "length scale")]
    #[must_use]
    pub fn gamma(&self) -> &[f64] {
        &self.gamma
    }
}

impl Radial for ArdRbf {
    fn at(&self, squared_distance: f64) -> f64 {
        exp::single(-squared_distance)
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        self.gamma.iter().all(|g| T::from_f64(g.sqrt()).is_finite_number())
    }

    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        radial::gaussian_sensitive_below(1.0, error, allowed)
    }

    fn map<T: Scalar>(&self, distances: &mut [T], _: &mut [T]) {
        T::exp_scaled(distances, -T::ONE);
    }

    fn weights(&self) -> &[f64] {
        &self.gamma
    }
}

radial_kernels!(ArdRbf);

impl Spectral for ArdRbf {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        for (w, gamma) in omega.iter_mut().zip(&self.gamma) {
            let z: f64 = StandardNormal.sample(&mut rng);
            *w += (2.0 * gamma).sqrt() * z;
        }
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        Some(dim)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        for ((w, gamma), &u) in omega.iter_mut().zip(&self.gamma).zip(uniforms) {
            *w += (2.0 * gamma).sqrt() * normal_quantile(u);
        }
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        self.check_dim(dim)
    }
}
