//! The Laplacian kernel, exp(−γ‖x − y‖₁).

use super::decay::Decay;
use super::frequencies::cauchy_quantile;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::tile::{self, Magnitude, Scratch, Term, Tile};
use crate::{
    Entry, Error, Kernel, Mercer, Order, Positive, Samples, Scalar, SearchOrder, SparseSamples,
    Spectral,
};
use faer::MatMut;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// The Laplacian kernel: the exponential of the L1 distance.
///
/// # Definition
/// K(x, y) = exp(−γ‖x − y‖₁), γ > 0, with the L1 distance. (With the L2 distance it is a different
/// kernel, [`Exponential`](super::Exponential) or Matérn-½.)
///
/// # Spectrum
/// ω_j ~ Cauchy(0, γ), independent: density ∏ⱼ γ/(π(γ² + ω_j²)).
///
/// # References
/// Rahimi & Recht (2007), figure 1.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Laplacian};
/// let k = Laplacian::new(0.5)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[1.0, 0.0], &[0.0, 3.0]), (-2.0_f64).exp());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Laplace kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Laplacian {
    gamma: Positive,
}

declared! {
    Laplacian = "laplacian", [stationary, spectral];
    gamma: Domain::positive();
    => Self::new(gamma)
}

impl Laplacian {
    /// exp(−gamma·‖x − y‖₁).
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

impl Decay for Laplacian {
    fn rate(&self) -> f64 {
        self.gamma()
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Laplacian {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.at(Magnitude.pair(x, y))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        self.dense_block(tile, out, scratch, Magnitude);
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<T>>> {
        Some(self)
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Laplacian {}

impl<T: Scalar> SearchOrder<Samples<T>> for Laplacian {
    fn order<'a>(&'a self, a: &'a Samples<T>, b: &'a Samples<T>) -> Option<Box<dyn Order<T> + 'a>> {
        self.dense_order(a, b, Magnitude)
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for Laplacian {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        self.at(tile::united(x, y, |_, x, y| Magnitude.of(x, y)))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.sparse_block(tile, out, scratch, Magnitude);
    }

    fn diag(&self, _: &SparseSamples<T>, _: usize) -> T {
        T::ONE
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for Laplacian {}

impl Spectral for Laplacian {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        for w in omega {
            let u: f64 = (&mut rng).sample(rand_distr::Open01);
            *w += self.gamma() * cauchy_quantile(u);
        }
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        Some(dim)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        for (w, &u) in omega.iter_mut().zip(uniforms) {
            *w += self.gamma() * cauchy_quantile(u);
        }
    }
}
