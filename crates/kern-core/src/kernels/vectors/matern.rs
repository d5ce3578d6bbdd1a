//! The Matérn kernels of order ν = 3/2, ν = 5/2, and of any order ν. (For ν = ½ it is the
//! exponential kernel.)
//!
//! K(x, y) = 2^(1−ν)/Γ(ν)·z^ν·K_ν(z), z = √(2ν)·‖x − y‖₂/ℓ, with the modified Bessel function K_ν:
//! a polynomial times an exponential for half-integer ν.

use super::radial::{self, Radial, radial_kernels};
use super::{frequencies, modified_bessel};
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Scale, Setting};
use crate::simd::{dispatched, exp};
use crate::{Error, Positive, Scalar, Spectral};
use faer::traits::math_utils::sqrt;
use rand::Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};
use serde::{Deserialize, Serialize};

/// The largest order.
const LARGEST: f64 = 100.0;

/// The Matérn kernel with ν = 3/2.
///
/// # Definition
/// K(x, y) = (1 + z)·exp(−z), z = √3·‖x − y‖₂/ℓ, with the length scale ℓ > 0. Sample paths of its
/// Gaussian process are once differentiable. Mercer, because its spectral density is positive.
///
/// # Numerics
/// Blocks as for [`Rbf`](super::Rbf). The kernel is smooth as a function of d² = ‖x − y‖²: its
/// derivative is −(3/(2ℓ²))·exp(−z).
///
/// # Spectrum
/// Multivariate Student-t with three degrees of freedom: ω = (g/ℓ)·√(3/χ²₃), g ~ N(0, I), with one
/// χ² variable for all coordinates.
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
/// K(x, y) = (1 + z + z²/3)·exp(−z), z = √5·‖x − y‖₂/ℓ, with the length scale ℓ > 0. Sample paths
/// of its Gaussian process are twice differentiable. Mercer, because its spectral density is
/// positive.
///
/// # Numerics
/// Blocks as for [`Rbf`](super::Rbf). The kernel is smooth as a function of d² = ‖x − y‖²: its
/// derivative is −(5/(6ℓ²))·(1 + z)·exp(−z).
///
/// # Spectrum
/// Multivariate Student-t with five degrees of freedom: ω = (g/ℓ)·√(5/χ²₅), g ~ N(0, I), with one
/// χ² variable for all coordinates.
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

            /// z, computed without overflow of the rate.
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
                frequencies::add_student_frequency::<$degrees>(
                    self.length_scale().recip(),
                    rng,
                    omega,
                );
            }

            fn is_isotropic(&self) -> bool {
                true
            }

            fn uniforms(&self, dim: usize) -> Option<usize> {
                dim.checked_add($degrees)
            }

            fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
                frequencies::add_student_frequency_at::<$degrees>(
                    self.length_scale().recip(),
                    uniforms,
                    omega,
                );
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

    /// An error δ changes the value by (rate²·δ/2)·exp(−z).
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

    /// An error δ changes the value by (rate²·δ/6)·(1 + z)·exp(−z), and (1 + z)·exp(−z) ≤ 2·exp(−½
    /// − z/2), with equality at z = 1.
    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        let q = self.rate() * (self.rate() * error) / (6.0 * allowed);
        // If q ≤ 1, the error is insignificant even at z = 0, where the derivative is largest.
        let z = if q > 1.0 { 2.0 * (2.0 * q).ln() - 1.0 } else { 0.0 };
        (z / self.rate()).powi(2)
    }

    fn map<T: Scalar>(&self, distances: &mut [T], _: &mut [T]) {
        profile(distances, T::from_f64(self.rate()), T::from_f64(1.0 / 3.0));
    }
}

radial_kernels!(Matern32, Matern52);

/// factor·exp(−z), without overflow of the factor.
fn times_decay(factor: f64, z: f64) -> f64 {
    let decay = exp::single(-z);
    if decay > 0.0 { factor * decay } else { 0.0 }
}

dispatched! {
    /// d² ← (1 + z + square·z²)·exp(−z), z = rate·d; 0 where exp(−z) is 0, because z may be ∞
    /// there.
    fn profile<'a, T>(distances: &'a mut [T], rate: T, square: T) -> () {
        for d in distances {
            let z = rate * sqrt(d);
            let decay = (-z).exp_lane();
            let value = square.fma(z, T::ONE).fma(z, T::ONE) * decay;
            *d = if decay > T::ZERO { value } else { T::ZERO };
        }
    }
}

/// The Matérn kernel of order ν.
///
/// # Definition
/// K(x, y) = 2^(1−ν)/Γ(ν)·z^ν·K_ν(z), z = √(2ν)·‖x − y‖₂/ℓ, with the modified Bessel function of
/// the second kind K_ν, 0 < ν ≤ 100 and ℓ > 0. Sample paths of its Gaussian process are ⌈ν⌉ − 1
/// times differentiable. For ν = ½, 3/2, 5/2 it equals [`Exponential`](super::Exponential) with γ =
/// 1/ℓ, [`Matern32`](super::Matern32) and [`Matern52`](super::Matern52), which are faster; beyond
/// ν = 100 it differs from the [`Rbf`](super::Rbf) with γ = 1/(2ℓ²) by less than 0.0024. Mercer,
/// because its spectral density is positive. ν is fixed when parameters are learned by gradients:
/// it is not a [free parameter](crate::gradient::free_parameters).
///
/// # Numerics
/// Distances in blocks are computed as for [`Rbf`](super::Rbf), and the profile in double precision
/// for each distance: an exponential for half-integer ν, otherwise a series or a continued fraction
/// of 8 to 120 terms. With ν₀ = ν − ⌈ν⌉ + 1, the pair K_ν₀, K_1−ν₀ is computed by Temme's method.
/// The recurrences M' = M + D/(2ν), D' = z²M/(2ν) lead from (M, D) of one order, where M is the
/// value and D = −dM/d ln z, to those of the next. All terms are positive, so the relative error is
/// some tens of round-offs.
///
/// # Spectrum
/// Multivariate Student-t with 2ν degrees of freedom: ω = (g/ℓ)·√(ν/G), g ~ N(0, I), G ~ Gamma(ν).
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, equations 4.14 and 4.15;
/// Temme (1975), *On the Numerical Evaluation of the Modified Bessel Function of the Third Kind*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::{Matern, Matern32}};
/// let value = |k: &dyn Kernel<Samples<f64>>| k.eval(&[4.0, 0.0], &[0.0, 3.0]);
/// let (general, special) = (Matern::new(1.5, 2.0)?, Matern32::new(2.0)?);
/// assert!((value(&general) - value(&special)).abs() < 1e-15);
/// assert_eq!(general.to_string(), "matern(nu=1.5, length_scale=2)");
/// assert!(Matern::new(101.0, 1.0).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Matérn")]
#[doc(alias = "Whittle-Matern")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Matern {
    nu: Positive,
    length_scale: Positive,
}

declared! {
    Matern = "matern", [stationary, spectral];
    nu: Domain::Real { smallest: 0.0, largest: LARGEST, open: true, scale: Scale::Log },
        Setting::Real(1.5);
    length_scale: Domain::positive();
    => Self::new(nu, length_scale)
}

/// The file format.
#[derive(Clone, Serialize, Deserialize)]
struct Packed {
    nu: f64,
    length_scale: f64,
}

impl TryFrom<Packed> for Matern {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::new(packed.nu, packed.length_scale)
    }
}

impl From<Matern> for Packed {
    fn from(kernel: Matern) -> Self {
        Packed { nu: kernel.nu(), length_scale: kernel.length_scale() }
    }
}

impl Matern {
    /// The kernel of order `nu` with this length scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 < `nu` ≤ 100, and `length_scale` is finite and > 0.
    pub fn new(nu: f64, length_scale: f64) -> Result<Self, Error> {
        if nu > LARGEST {
            let allowed = "a number > 0 and <= 100";
            return Err(Error::Parameter { name: "nu", given: nu, allowed });
        }
        let nu = Positive::new("nu", nu)?;
        Ok(Self { nu, length_scale: Positive::new("length_scale", length_scale)? })
    }

    /// ν.
    #[doc(alias = "smoothness")]
    #[must_use]
    pub fn nu(&self) -> f64 {
        self.nu.get()
    }

    /// ℓ.
    #[doc(alias = "lengthscale")]
    #[doc(alias = "bandwidth")]
    #[must_use]
    pub fn length_scale(&self) -> f64 {
        self.length_scale.get()
    }

    /// ∂K/∂ln ℓ at a squared distance.
    pub(crate) fn slope(&self, squared_distance: f64) -> f64 {
        self.profile().at(self.argument(squared_distance))[1]
    }

    /// φ′ at each squared distance, where K = φ(‖x − y‖²): −D/(2d²). At 0 it is −ν/(2(ν − 1)ℓ²), if
    /// that exists.
    pub(crate) fn slopes<T: Scalar>(&self, squared_distances: &mut [T]) {
        let (profile, nu) = (self.profile(), self.nu());
        let at_zero = match nu > 1.0 {
            true => -0.5 * nu / (nu - 1.0) / self.length_scale() / self.length_scale(),
            false => 0.0,
        };
        for d in squared_distances {
            let (square, z) = (d.to_f64(), self.argument(d.to_f64()));
            let is_apart = square > 0.0 && (nu < 1.0 || z >= Profile::NEGLIGIBLE);
            let slope = if is_apart { -0.5 * (profile.at(z)[1] / square) } else { at_zero };
            *d = T::from_f64(slope);
        }
    }

    /// z, computed without overflow of √(2ν)/ℓ.
    fn argument(&self, squared_distance: f64) -> f64 {
        (2.0 * self.nu()).sqrt() * (squared_distance.sqrt() / self.length_scale())
    }

    fn profile(&self) -> Profile {
        Profile::new(self.nu())
    }
}

/// z ↦ (M, D): the value, and −dM/d ln z.
struct Profile {
    nu: f64,
    /// The order in (0, 1] from which the recurrence starts.
    first: f64,
    /// The number of its steps.
    steps: u32,
    /// 2^(1−ν₀)/Γ(ν₀).
    factor: f64,
}

impl Profile {
    /// Beyond this, all values underflow.
    const VANISHING: f64 = 2000.0;
    /// Below this, the first terms of the series give the value.
    const NEGLIGIBLE: f64 = 1e-100;

    fn new(nu: f64) -> Self {
        let steps = nu.ceil() - 1.0;
        let first = nu - steps;
        let factor = 2.0 * first * (-first).exp2() / libm::tgamma(1.0 + first);
        Self { nu, first, steps: steps as u32, factor }
    }

    fn at(&self, z: f64) -> [f64; 2] {
        if z <= 0.0 {
            return [1.0, 0.0];
        }
        if z < Self::NEGLIGIBLE {
            return self.near_zero(z);
        }
        // False for NaN.
        if z < Self::VANISHING { self.between(z) } else { [0.0, 0.0] }
    }

    /// 1 − Γ(1 − ν)/Γ(1 + ν)·(z/2)^2ν + O(z²).
    fn near_zero(&self, z: f64) -> [f64; 2] {
        if self.nu >= 1.0 {
            return [1.0, 0.0];
        }
        let ratio = libm::tgamma(1.0 - self.nu) / libm::tgamma(1.0 + self.nu);
        let rest = ratio * (2.0 * self.nu * (0.5 * z).ln()).exp();
        [1.0 - rest, 2.0 * self.nu * rest]
    }

    fn between(&self, z: f64) -> [f64; 2] {
        // Scaled by eᶻ, so that nothing underflows.
        let [mut value, mut slope] = self.start(z);
        for step in 0..self.steps {
            let twice = 2.0 * (self.first + f64::from(step));
            [value, slope] = [value + slope / twice, z * (z * value) / twice];
        }
        // In two halves, since a large polynomial may multiply an exponential that underflows.
        let half = exp::single(-0.5 * z);
        [(value * half * half).min(1.0), slope * half * half]
    }

    /// eᶻ·(M, D) of the first order.
    fn start(&self, z: f64) -> [f64; 2] {
        let half = 0.5;
        if (self.first - half).abs() <= 0.0 {
            return [1.0, z];
        }
        let power = self.factor * (self.first * z.ln()).exp();
        let [own, other] = if self.first < half {
            modified_bessel::scaled_pair(-self.first, z)
        } else {
            let [other, own] = modified_bessel::scaled_pair(self.first - 1.0, z);
            [own, other]
        };
        [power * own, power * (z * other)]
    }
}

impl Radial for Matern {
    fn at(&self, squared_distance: f64) -> f64 {
        self.profile().at(self.argument(squared_distance))[0]
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        true
    }

    /// An error δ changes the value by δ·D/(2d²), which decreases with d, because the kernel is a
    /// mixture of Gaussians: bisection on a logarithmic scale.
    fn sensitive_below(&self, error: f64, allowed: f64) -> f64 {
        // Where the slope is still that of the profile.
        const SMALLEST: f64 = 1e3 * Profile::NEGLIGIBLE;
        let (profile, rate) = (self.profile(), (2.0 * self.nu()).sqrt() / self.length_scale());
        let is_harmless = |log: f64| {
            let distance = log.exp() / rate;
            0.5 * error / distance * (profile.at(log.exp())[1] / distance) <= allowed
        };
        let (mut low, mut high) = (SMALLEST.ln(), Profile::VANISHING.ln());
        if is_harmless(low) {
            return 0.0;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *(if is_harmless(middle) { &mut high } else { &mut low }) = middle;
        }
        (high.exp() / rate).powi(2)
    }

    fn map<T: Scalar>(&self, distances: &mut [T], _: &mut [T]) {
        let profile = self.profile();
        for d in distances {
            *d = T::from_f64(profile.at(self.argument(d.to_f64()))[0]);
        }
    }
}

radial_kernels!(Matern);

impl Spectral for Matern {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        let nu = self.nu();
        // G/ν, with mean 1. The distribution exists for every positive order, so the fallback 1 is
        // never used.
        let mixture = Gamma::new(nu, 1.0).map_or(1.0, |law| law.sample(&mut rng) / nu);
        // For a small order, G may underflow to 0.
        let scale = 1.0 / mixture.max(f64::MIN_POSITIVE).sqrt() / self.length_scale();
        for w in omega {
            let g: f64 = StandardNormal.sample(&mut rng);
            *w += scale * g;
        }
    }

    fn is_isotropic(&self) -> bool {
        true
    }
}
