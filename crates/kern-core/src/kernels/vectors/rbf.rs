//! The radial basis function (Gaussian) kernel.

use super::decays_within;
use crate::{
    Error, Kernel, Mercer, Positive, Samples, Scalar, Scratch, Spectral, Tile, tile, tolerance,
};
use faer::MatMut;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The radial basis function kernel, also called Gaussian or squared exponential.
///
/// # Definition
/// K(x, y) = exp(−γ‖x − y‖₂²), γ > 0. With a width σ, γ = 1/(2σ²): [`Rbf::from_sigma`].
///
/// # Numerics
/// Blocks use a matrix product on centred samples; entries for which its rounding would move the
/// kernel's value by more than [`tolerance::TILE_ERROR`] round-offs are recomputed from
/// differences, so offsets and far clusters do no harm.
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rbf {
    gamma: Positive,
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
    /// [`Error::Parameter`] unless `sigma` is finite and > 0 and γ = 1/(2σ²) is, too.
    pub fn from_sigma(sigma: f64) -> Result<Self, Error> {
        let sigma = Positive::new("sigma", sigma)?.get();
        Self::new(0.5 / (sigma * sigma))
    }

    /// γ.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }

    /// Entries below this distance² are recomputed if the others may err by `error`.
    ///
    /// An error δ of d² moves exp(−γd²) by γδ·exp(−γd²), which is harmless beyond
    /// d² = ln(γδ/tolerance)/γ.
    fn recompute_below(&self, error: f64, unit_roundoff: f64) -> f64 {
        let gamma = self.gamma();
        let excess = gamma * error / (tolerance::TILE_ERROR * unit_roundoff);
        // The entry itself may be off by `error` when it is compared.
        if excess > 1.0 { excess.ln() / gamma + error } else { 0.0 }
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Rbf {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64((-self.gamma() * tile::direct(x, y)).exp())
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, mut out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        if !decays_within::<T>(self.gamma()) {
            return tile.fill_pointwise(out, |x, y| self.eval(x, y));
        }
        tile::squared_distance(tile, out.as_mut(), scratch, |error| {
            self.recompute_below(error, T::UNIT_ROUNDOFF)
        });
        let c = T::from_f64(-self.gamma());
        tile::for_each_column(out, scratch, |_, column| T::exp_scaled(column, c));
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Rbf {}

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
}

impl fmt::Display for Rbf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rbf(gamma={})", self.gamma)
    }
}
