//! Gradients of kernels with respect to their hyper-parameters, tile by tile.
//!
//! Reverse mode: for the gradient ∂Φ/∂ln θ of a function Φ of a kernel matrix, the caller passes
//! the adjoint ∂Φ/∂K of a tile, and [`pull_back`](Differentiable::pull_back) adds the contribution
//! of the tile. Closure rules turn the adjoint of the composed kernel into those of its parts, so
//! that no array of points × points × parameters is ever formed.

mod closures;
mod finite_differences;
mod free_parameters;
#[cfg(test)]
mod gradient_tests;
mod metric_kernel;
mod parameter_gradients;
mod point_gradients;

pub use finite_differences::verify_gradient;
pub use free_parameters::{FreeParameter, free_parameters, set_free_parameters};
pub use metric_kernel::MetricKernel;
pub use point_gradients::{PointGradient, RadialProfile, add_radial_gradients};

use crate::parameters::Parameters;
use crate::{Kernel, Points, Scratch, Tile};
use faer::MatRef;

/// A kernel that is differentiable in the logarithms of its [free parameters](free_parameters).
///
/// # Examples
/// ```
/// use kern_core::gradient::{Differentiable, free_parameters};
/// use kern_core::{Samples, Scratch, Tile, faer::mat, kernels::Rbf};
/// let (x, kernel) = (Samples::from_rows(&[[0.0], [1.0]])?, 3.0 * Rbf::new(0.5)?);
/// let names: Vec<String> = free_parameters(&kernel).into_iter().map(|p| p.name).collect();
/// assert_eq!(names, ["weight", "gamma"]);
///
/// // Φ = K(x₀, x₁) = 3·exp(−½): ∂Φ/∂ln 3 = Φ, and ∂Φ/∂ln γ = −½Φ.
/// let mut gradient = [0.0; 2];
/// let tile = Tile::new(&x, 0..1, &x, 1..2);
/// kernel.pull_back(&tile, mat![[1.0]].as_ref(), &mut gradient, &mut Scratch::new());
/// let value = 3.0 * (-0.5_f64).exp();
/// assert!((gradient[0] - value).abs() < 1e-15 && (gradient[1] + 0.5 * value).abs() < 1e-15);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the derivatives of `{Self}` on `{P}` are not known",
    note = "kernels on vectors, strings, trees and series, of random walks, and closure rules have them; of a kernel of your own, implement `Differentiable`"
)]
pub trait Differentiable<P: Points + ?Sized>: Kernel<P> + Parameters {
    /// Adds Σᵢⱼ adjointᵢⱼ·∂K(aᵢ, bⱼ)/∂ln θ_k to `gradient[k]`, for all pairs of the tile.
    ///
    /// # Shapes and units
    /// `adjoint` is [`tile.nrows()`](Tile::nrows) × [`tile.ncols()`](Tile::ncols); `gradient` has
    /// one entry for each of the [`free_parameters`], in their order.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    );
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<P: Points + ?Sized, K: Differentiable<P>> Differentiable<P> for $pointer {
            fn pull_back(
                &self,
                tile: &Tile<'_, P>,
                adjoint: MatRef<'_, P::Scalar>,
                gradient: &mut [f64],
                scratch: &mut Scratch<P::Scalar>,
            ) {
                (**self).pull_back(tile, adjoint, gradient, scratch);
            }
        }
    )*};
}

delegate!(Box<K>);
