//! The rational quadratic kernel.

use super::radial::{self, Radial, radial_kernels};
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::exp;
use crate::{Error, Positive, Scalar, Spectral};
use faer::traits::math_utils::min_positive;
use rand::Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};
use serde::{Deserialize, Serialize};

/// The rational quadratic kernel: a scale mixture of Gaussians.
///
/// # Definition
/// K(x, y) = (1 + ‖x − y‖₂²/(2αℓ²))^−α, α > 0, ℓ > 0. For α → ∞ it approaches the RBF kernel with
/// γ = 1/(2ℓ²). Mercer, because it is a mixture of RBF kernels.
///
/// # Numerics
/// Blocks as for [`Rbf`](super::Rbf), with the profile exp(−t), t = α·ln(1 + s), s = d²/(2αℓ²).
/// There are at most 7 rounding errors in t, so the value has an error of at most 7u·t·exp(−t) + u
/// ≤ 4u. The derivative with respect to d² is −(1 + s)^(−α−1)/(2ℓ²).
///
/// # Spectrum
/// ω = √τ·g, g ~ N(0, I), τ ~ Gamma with shape α and rate αℓ².
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, equations 4.19 and 4.20.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::RationalQuadratic};
/// let k = RationalQuadratic::new(2.0, 0.5)?;
/// let value = Kernel::<Samples<f64>>::eval(&k, &[1.0], &[0.0]);
/// assert!((value - 0.25).abs() < 1e-15); // (1 + 1)^-2
/// assert_eq!(k.to_string(), "rational_quadratic(alpha=2, length_scale=0.5)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "RQ")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RationalQuadratic {
    alpha: Positive,
    length_scale: Positive,
}

declared! {
    RationalQuadratic = "rational_quadratic", [stationary, spectral];
    alpha: Domain::positive();
    length_scale: Domain::positive();
    => Self::new(alpha, length_scale)
}

impl RationalQuadratic {
    /// (1 + ‖x − y‖²/(2·alpha·length_scale²))^−alpha.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `alpha` and `length_scale` are finite and > 0.
    pub fn new(alpha: f64, length_scale: f64) -> Result<Self, Error> {
        let alpha = Positive::new("alpha", alpha)?;
        Ok(Self { alpha, length_scale: Positive::new("length_scale", length_scale)? })
    }

    /// α.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        self.alpha.get()
    }

    /// ℓ.
    #[doc(alias = "lengthscale")]
    #[doc(alias = "bandwidth")]
    #[must_use]
    pub fn length_scale(&self) -> f64 {
        self.length_scale.get()
    }

    /// x/(2αℓ²). Separate divisions, since ℓ² may underflow.
    fn scaled(&self, x: f64) -> f64 {
        x / self.length_scale() / self.length_scale() / (2.0 * self.alpha())
    }
}

impl Radial for RationalQuadratic {
    fn at(&self, squared_distance: f64) -> f64 {
        exp::single(-self.alpha() * self.scaled(squared_distance).ln_1p())
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        let (alpha, scale) = (self.alpha(), self.scaled(1.0));
        let is_finite = |v: f64| T::from_f64(v).is_finite_number();
        // A subnormal scale would have too few digits.
        let is_normal = scale >= min_positive::<T>().to_f64();
        is_normal && [alpha, scale, alpha * scale].into_iter().all(is_finite)
    }

    /// An error δ changes the value by (δ/(2ℓ²))·(1 + s)^(−α−1), which is harmless from (1 +
    /// s)^(α+1) = δ/(2ℓ²·allowed) on.
    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        let (alpha, length_scale) = (self.alpha(), self.length_scale());
        let q = error / (length_scale * length_scale) / (2.0 * allowed);
        let s = (q.ln().max(0.0) / (alpha + 1.0)).exp_m1();
        2.0 * alpha * (length_scale * length_scale) * s
    }

    fn map<T: Scalar>(&self, distances: &mut [T], buffer: &mut [T]) {
        buffer.copy_from_slice(distances);
        T::ln_1p_scaled(distances, T::from_f64(self.scaled(1.0)));
        if T::all_finite(distances) {
            T::exp_scaled(distances, T::from_f64(-self.alpha()));
        } else {
            // Where s overflows, the value may still be non-zero for a small α.
            let decay = T::from_f64(-self.alpha());
            let other = |i: usize, value: &mut T| *value = T::from_f64(self.at(buffer[i].to_f64()));
            radial::by_runs(distances, |_, run| T::exp_scaled(run, decay), other);
        }
    }
}

radial_kernels!(RationalQuadratic);

impl Spectral for RationalQuadratic {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        let alpha = self.alpha();
        // τℓ², with mean 1. The distribution exists for every positive shape, so the fallback 1 is
        // never used.
        let mixture = Gamma::new(alpha, 1.0).map_or(1.0, |law| law.sample(&mut rng) / alpha);
        let scale = mixture.sqrt() / self.length_scale();
        for w in omega {
            let g: f64 = StandardNormal.sample(&mut rng);
            *w += scale * g;
        }
    }

    fn is_isotropic(&self) -> bool {
        true
    }
}
