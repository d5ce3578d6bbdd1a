//! The sigmoid kernel, which is not positive semi-definite.

use super::linear::inner_product;
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::tile::{self, Scratch, Term, Tile};
use crate::{Entry, Error, Finite, Kernel, Points, Positive, Samples, Scalar, SparseSamples};
use faer::MatMut;
use serde::{Deserialize, Serialize};

/// The sigmoid (hyperbolic tangent) kernel.
///
/// # Definition
/// K(x, y) = tanh(γ·xᵀy + r), γ > 0.
///
/// **Not Mercer**: it is indefinite for most γ and r, so solvers that require a PSD kernel do not
/// accept it. [`AssumeMercer`](crate::closure::AssumeMercer) overrides this at your own risk.
///
/// # Numerics
/// Blocks round γ, r and γ·xᵀy + r to the type of the samples; tanh is within 2 ulp.
///
/// # References
/// Lin & Lin (2003), *A Study on Sigmoid Kernels for SVM*, for conditions under which it is
/// conditionally PSD.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Sigmoid};
/// let k = Sigmoid::new(0.5, -1.0)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[2.0], &[3.0]), 2.0_f64.tanh());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "tanh")]
#[doc(alias = "hyperbolic tangent")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sigmoid {
    gamma: Positive,
    coef0: Finite,
}

declared! {
    Sigmoid = "sigmoid", [bounded];
    gamma: Domain::positive();
    coef0: Domain::finite(), Setting::Real(0.0);
    => Self::new(gamma, coef0)
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

    fn at<T: Scalar>(&self, inner_product: f64) -> T {
        let mut value = [inner_product];
        f64::tanh_affine(&mut value, self.gamma(), self.coef0());
        T::from_f64(value[0])
    }

    fn is_representable<T: Scalar>(&self) -> bool {
        [self.gamma(), self.coef0()].into_iter().all(|v| T::from_f64(v).is_finite_number())
    }

    /// Turns inner products into kernel values.
    fn map<T: Scalar>(&self, column: &mut [T]) {
        T::tanh_affine(column, T::from_f64(self.gamma()), T::from_f64(self.coef0()));
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Sigmoid {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.at(inner_product(x, y))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        if !self.is_representable::<T>() {
            return tile.fill_pointwise(out, |x, y| Kernel::<Samples<T>>::eval(self, x, y));
        }
        tile::fold_coordinates(tile, out, scratch, tile::Product, &mut |column| {
            self.map(column);
        });
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        let x = points.item(i);
        if !self.is_representable::<T>() {
            return Kernel::<Samples<T>>::eval(self, x, x);
        }
        let mut value = [tile::Product.entry(x, x)];
        self.map(&mut value);
        value[0]
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for Sigmoid {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        self.at(tile::shared(x, y, |x, y| x * y))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        if !self.is_representable::<T>() {
            return tile.fill_pointwise(out, |x, y| Kernel::<SparseSamples<T>>::eval(self, x, y));
        }
        tile::shared_features(tile, out.as_mut(), scratch, |x, y| x * y);
        tile::for_each_column(out, scratch, |_, column| self.map(column));
    }
}
