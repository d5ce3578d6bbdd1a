//! The wave kernel: products of cosines of differences, the components of spectral mixtures.

use super::phases::{dense_block, in_turns, squared_sine};
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::points::check_dim;
use crate::tile::{Scratch, Tile, united};
use crate::{Entry, Error, Kernel, Mercer, NonNegative, Samples, Scalar, SparseSamples, Spectral};
use faer::MatMut;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// The wave kernel: a product of cosines of the differences of the features.
///
/// # Definition
/// K(x, y) = ∏ⱼ cos(2πf_j(x_j − y_j)), with a frequency f_j ≥ 0 for each feature. Mercer: its
/// spectrum is the uniform distribution on the points (±f₁, …, ±f_d). On its own it models a
/// function that is exactly periodic; times [`ArdRbf`](super::ArdRbf) it is a component of a
/// spectral mixture, constructed by
/// [`KernelSpec::spectral_mixture`](crate::KernelSpec::spectral_mixture). (For the similarity of
/// directions, see [`Cosine`](super::Cosine).)
///
/// # Numerics
/// Whole turns are subtracted from each f_jx_j exactly, so a factor has an error of some u wherever
/// the points are. (A phase that overflows is treated as 0.) Dense blocks are computed in double
/// precision, sparse ones pair by pair.
///
/// # Spectrum
/// ω_j = ±2πf_j with independent signs.
///
/// # References
/// Wilson & Adams (2013), *Gaussian Process Kernels for Pattern Discovery and Extrapolation*,
/// equation 12.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Wave};
/// let k = Wave::new(&[0.25, 0.0])?;
/// let value = Kernel::<Samples<f64>>::eval(&k, &[2.0, 7.0], &[0.0, 0.0]);
/// assert_eq!(value, -1.0); // half a turn
/// assert_eq!(k.to_string(), "wave(frequency=[0.25, 0])");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Wave {
    frequency: Vec<f64>,
}

declared! {
    Wave = "wave", [stationary, spectral];
    frequency: Domain::List;
    => Self::new(Vec::as_slice(&frequency))
}

/// The file format.
#[derive(Clone, Serialize, Deserialize)]
struct Packed {
    frequency: Vec<f64>,
}

impl TryFrom<Packed> for Wave {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::new(&packed.frequency)
    }
}

impl From<Wave> for Packed {
    fn from(kernel: Wave) -> Self {
        Packed { frequency: kernel.frequency }
    }
}

impl Wave {
    /// ∏ⱼ cos(2π·frequency_j·(x_j − y_j)) on vectors with `frequency.len()` features.
    ///
    /// # Errors
    /// [`Error::Dimension`] if `frequency` is empty, [`Error::Parameter`] unless all values are
    /// finite and ≥ 0.
    pub fn new(frequency: &[f64]) -> Result<Self, Error> {
        if frequency.is_empty() {
            return Err(Error::Dimension { what: "frequency per feature", expected: 1, given: 0 });
        }
        for &f in frequency {
            NonNegative::new("frequency", f)?;
        }
        Ok(Self { frequency: frequency.to_vec() })
    }

    /// f₁, …, f_d, in cycles per unit of the feature.
    #[must_use]
    pub fn frequency(&self) -> &[f64] {
        &self.frequency
    }

    /// The phase of feature k; 0 for a feature without a frequency, which `check` rejects.
    fn phase(&self, k: usize, x: f64) -> f64 {
        self.frequency.get(k).map_or(0.0, |&frequency| in_turns(x, frequency))
    }

    /// cos(2πf_k(x − y)).
    fn factor(&self, k: usize, x: f64, y: f64) -> f64 {
        cosine(squared_sine(self.phase(k, x), self.phase(k, y)))
    }
}

/// cos 2α = 1 − 2·sin²α, exactly 1 at 0.
fn cosine(squared_sine: f64) -> f64 {
    1.0 - 2.0 * squared_sine
}

impl<T: Scalar> Kernel<Samples<T>> for Wave {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        let factors = x.iter().zip(y).enumerate();
        let factor = |(k, (x, y)): (usize, (&T, &T))| self.factor(k, x.to_f64(), y.to_f64());
        T::from_f64(factors.map(factor).product())
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, _: &mut Scratch<T>) {
        let multiply = |product: f64, square: f64| product * cosine(square);
        dense_block(tile, out, |k, x| self.phase(k, x), 1.0, multiply, |_| {});
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        check_dim(self.frequency.len(), points.dim())
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Wave {}

impl<T: Scalar> Kernel<SparseSamples<T>> for Wave {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        let product = Cell::new(1.0);
        let _ = united(x, y, |k, x, y| {
            product.set(product.get() * self.factor(k as usize, x, y));
            0.0
        });
        T::from_f64(product.get())
    }

    fn diag(&self, _: &SparseSamples<T>, _: usize) -> T {
        T::ONE
    }

    fn check(&self, points: &SparseSamples<T>) -> Result<(), Error> {
        check_dim(self.frequency.len(), points.dim())
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for Wave {}

impl Spectral for Wave {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        for (w, frequency) in omega.iter_mut().zip(&self.frequency) {
            *w += signed(*frequency, (&mut rng).random());
        }
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        Some(dim)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        for ((w, frequency), &u) in omega.iter_mut().zip(&self.frequency).zip(uniforms) {
            *w += signed(*frequency, u);
        }
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        check_dim(self.frequency.len(), dim)
    }
}

/// ±2πf with a random sign.
fn signed(frequency: f64, u: f64) -> f64 {
    let omega = std::f64::consts::TAU * frequency;
    if u < 0.5 { -omega } else { omega }
}
