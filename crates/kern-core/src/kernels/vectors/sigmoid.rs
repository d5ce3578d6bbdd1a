//! The sigmoid kernel, which is not positive semi-definite.

use super::inner_product;
use crate::tile::{self, Scratch, Tile};
use crate::{Entry, Error, Finite, Kernel, Positive, Samples, Scalar, SparseSamples};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The sigmoid (hyperbolic tangent) kernel.
///
/// # Definition
/// K(x, y) = tanh(γ·xᵀy + r), γ > 0.
///
/// **Not Mercer**: for most γ and r it is indefinite, so solvers that need a PSD kernel do not
/// accept it. [`AssumeMercer`](crate::closure::AssumeMercer) overrides that, at one's own risk.
///
/// # References
/// Lin & Lin (2003), *A Study on Sigmoid Kernels for SVM*, on when it is conditionally PSD.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Sigmoid};
/// let k = Sigmoid::new(0.5, -1.0)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[2.0], &[3.0]), 2.0_f64.tanh());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sigmoid {
    gamma: Positive,
    coef0: Finite,
}

impl Sigmoid {
    /// tanh(gamma·xᵀy + coef0).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `gamma` > 0 and both are finite.
    pub fn new(gamma: f64, coef0: f64) -> Result<Self, Error> {
        let gamma = Positive::new("gamma", gamma)?;
        Ok(Self { gamma, coef0: Finite::new("coef0", coef0)? })
    }

    /// γ.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }

    /// The constant r.
    #[must_use]
    pub fn coef0(&self) -> f64 {
        self.coef0.get()
    }

    fn profile(&self, inner_product: f64) -> f64 {
        self.gamma().mul_add(inner_product, self.coef0()).tanh()
    }

    /// Inner products to kernel values.
    fn map<T: Scalar>(&self, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::for_each_column(out, scratch, |_, column| {
            column.iter_mut().for_each(|v| *v = T::from_f64(self.profile(v.to_f64())));
        });
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Sigmoid {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(self.profile(inner_product(x, y)))
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, mut out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::dot(tile, out.as_mut());
        self.map(out, scratch);
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for Sigmoid {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        T::from_f64(self.profile(tile::shared(x, y, |x, y| x * y)))
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        tile::shared_features(tile, out.as_mut(), scratch, |x, y| x * y);
        self.map(out, scratch);
    }
}

impl fmt::Display for Sigmoid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sigmoid(gamma={}, coef0={})", self.gamma, self.coef0)
    }
}
