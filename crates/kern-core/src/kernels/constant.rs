//! The constant kernel.

use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::{Bounded, Error, Kernel, Mercer, NonNegative, Points, Scalar, Spectral, Tile};
use faer::MatMut;
use rand::Rng;
use serde::{Deserialize, Serialize};

/// The constant kernel on points of any type.
///
/// # Definition
/// K(x, y) = c, c ≥ 0. Mercer: its single feature is √c. Added to another kernel, it is the prior
/// of a constant offset with variance c.
///
/// # Numerics
/// Exact up to rounding c to the type of the values.
///
/// # Spectrum
/// Mass c at ω = 0.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, table 4.1.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::Constant};
/// let k = Constant::new(0.5)?;
/// assert_eq!(Kernel::<Vec<&str>>::eval(&k, &"gram", &"kernel"), 0.5);
/// assert_eq!(k.to_string(), "constant(value=0.5)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "ConstantKernel")]
#[doc(alias = "bias kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    value: NonNegative,
}

declared! {
    Constant = "constant", [shift_invariant, spectral];
    value: Domain::non_negative().log(), Setting::Real(1.0);
    => Self::new(value)
}

impl Constant {
    /// The kernel with the constant `value`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `value` is finite and ≥ 0.
    pub fn new(value: f64) -> Result<Self, Error> {
        Ok(Self { value: NonNegative::new("value", value)? })
    }

    /// c.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value.get()
    }
}

impl<P: Points + ?Sized> Kernel<P> for Constant {
    fn eval(&self, _: &P::Item, _: &P::Item) -> P::Scalar {
        P::Scalar::from_f64(self.value())
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        mut out: MatMut<'_, P::Scalar>,
        _: &mut crate::Scratch<P::Scalar>,
    ) {
        tile.assert_shape(&out);
        out.fill(P::Scalar::from_f64(self.value()));
    }
}

impl<P: Points + ?Sized> Mercer<P> for Constant {}

impl Bounded for Constant {
    fn bound(&self) -> f64 {
        self.value()
    }
}

impl Spectral for Constant {
    fn mass(&self) -> f64 {
        self.value()
    }

    fn add_frequency(&self, _: &mut dyn Rng, _: &mut [f64]) {}

    fn is_isotropic(&self) -> bool {
        true
    }

    fn uniforms(&self, _: usize) -> Option<usize> {
        Some(0)
    }
}
