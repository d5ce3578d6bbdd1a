//! Spectral samplers: random frequencies of shift-invariant kernels.

use crate::Error;
use rand::Rng;

/// A shift-invariant kernel on Rᵈ whose spectral measure can be sampled.
///
/// # Definition
/// By Bochner's theorem, a continuous K(x, y) = κ(x − y) is PSD if and only if κ is the Fourier
/// transform of a finite non-negative measure: κ(δ) = κ(0)·E cos(ωᵀδ), ω ~ p. This trait provides
/// the mass κ(0) and samples of p. Closure rules propagate it: scaling a kernel scales the mass, a
/// sum is a mixture weighted by mass, a product has the sum of independent frequencies.
///
/// Random Fourier features require this trait: a kernel without it is rejected at compile time.
///
/// # References
/// Rahimi & Recht (2007), *Random Features for Large-Scale Kernel Machines*, section 3.
///
/// # Examples
/// ```
/// use kern_core::{Spectral, kernels::{Laplacian, Rbf}};
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
/// let k = Rbf::new(0.5)? * (0.5 * Laplacian::new(1.0)?);
/// assert_eq!(k.mass(), 0.5);
/// let mut omega = [0.0; 3];
/// k.add_frequency(&mut ChaCha8Rng::seed_from_u64(1), &mut omega);
/// assert!(omega.iter().all(|w| w.is_finite()));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Bochner")]
#[doc(alias = "spectral density")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no spectral sampler",
    note = "random Fourier features need a shift-invariant kernel (`Rbf`, `Laplacian`, … and \
            their sums, products and scalings); for any other kernel use Nystrom features"
)]
pub trait Spectral: Send + Sync {
    /// κ(0) = K(x, x), the total mass of the spectral measure.
    fn mass(&self) -> f64;

    /// Draws a frequency ω ∈ Rᵈ, d = `omega.len()`, and *adds* it to `omega`.
    ///
    /// Since it is added, the product rule (a sum of independent frequencies) needs no buffer.
    fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]);

    /// Whether the distribution of ω is rotation-invariant in every dimension d, that is, K(x, y)
    /// depends on ‖x − y‖₂ only. Required by orthogonal and structured random features. Default:
    /// false.
    fn is_isotropic(&self) -> bool {
        false
    }

    /// The number of uniform random variables that determine a frequency in dimension `dim`
    /// ([`add_frequency_at`](Spectral::add_frequency_at)), for quasi-random features. Default:
    /// none.
    fn uniforms(&self, dim: usize) -> Option<usize> {
        let _ = dim;
        None
    }

    /// Adds to `omega` the frequency determined by [`uniforms`](Spectral::uniforms) numbers in the
    /// open interval (0, 1). If these are independent and uniform, it has the distribution of
    /// [`add_frequency`](Spectral::add_frequency). The default does nothing.
    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        let _ = (uniforms, omega);
    }

    /// Checks that the parameters are valid for samples of dimension `dim`.
    ///
    /// # Errors
    /// What is wrong, with the value given and the allowed values. The default accepts everything.
    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        let _ = dim;
        Ok(())
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<K: Spectral + ?Sized> Spectral for $pointer {
            fn mass(&self) -> f64 {
                (**self).mass()
            }
            fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
                (**self).add_frequency(rng, omega);
            }
            fn is_isotropic(&self) -> bool {
                (**self).is_isotropic()
            }
            fn uniforms(&self, dim: usize) -> Option<usize> {
                (**self).uniforms(dim)
            }
            fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
                (**self).add_frequency_at(uniforms, omega);
            }
            fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
                (**self).check_spectrum(dim)
            }
        }
    )*};
}

delegate!(&K, Box<K>, std::sync::Arc<K>);
