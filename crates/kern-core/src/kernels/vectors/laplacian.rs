//! The Laplacian kernel.

use super::decays_within;
use crate::{Error, Kernel, Mercer, Positive, Samples, Scalar, Scratch, Spectral, Tile, tile};
use faer::MatMut;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The Laplacian kernel.
///
/// # Definition
/// K(x, y) = exp(−γ‖x − y‖₁), γ > 0, with the L1 distance. (With the L2 distance the kernel is
/// called exponential or Matérn ½ and is another one.)
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Laplacian {
    gamma: Positive,
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
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Laplacian {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        let distance: f64 = x.iter().zip(y).map(|(x, y)| (x.to_f64() - y.to_f64()).abs()).sum();
        T::from_f64((-self.gamma() * distance).exp())
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, mut out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        if !decays_within::<T>(self.gamma()) {
            return tile.fill_pointwise(out, |x, y| self.eval(x, y));
        }
        tile::l1_distance(tile, out.as_mut(), scratch);
        let c = T::from_f64(-self.gamma());
        tile::for_each_column(out, scratch, |_, column| T::exp_scaled(column, c));
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Laplacian {}

impl Spectral for Laplacian {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        for w in omega {
            // The quantile function of the Cauchy distribution at u ∈ (0, 1).
            let u: f64 = (&mut rng).sample(rand_distr::Open01);
            *w += self.gamma() * (std::f64::consts::PI * (u - 0.5)).tan();
        }
    }
}

impl fmt::Display for Laplacian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "laplacian(gamma={})", self.gamma)
    }
}
