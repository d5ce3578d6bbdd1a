//! A kernel on vectors whose family is chosen at run time.

use super::PointGradient;
use crate::kernels::{Exponential, Laplacian, Matern32, Matern52, RationalQuadratic, Rbf};
use crate::parameters::Parameters;
use crate::{
    Bound, Error, Kernel, Mercer, Prepared, Samples, Scalar, Scratch, SearchOrder, Tile, named,
};
use faer::{MatMut, MatRef};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A kernel on vectors with a [gradient in its points](PointGradient), whose family is chosen at
/// run time. Learners accept a list of kernels of different families this way.
///
/// # Examples
/// ```
/// use kern_core::gradient::MetricKernel;
/// use kern_core::kernels::{Laplacian, Matern52};
/// let kernels: [MetricKernel; 2] = [Laplacian::new(0.5)?.into(), Matern52::new(2.0)?.into()];
/// assert_eq!(kernels[0].to_string(), "laplacian(gamma=0.5)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MetricKernel {
    /// exp(−γ‖x − y‖²).
    Rbf(Rbf),
    /// exp(−γ‖x − y‖).
    Exponential(Exponential),
    /// Matérn, ν = 3/2.
    Matern32(Matern32),
    /// Matérn, ν = 5/2.
    Matern52(Matern52),
    /// (1 + ‖x − y‖²/(2αℓ²))^−α.
    RationalQuadratic(RationalQuadratic),
    /// exp(−γ‖x − y‖₁).
    Laplacian(Laplacian),
}

named! { [] MetricKernel = "metric_kernel"; }

/// Calls a method of the selected family.
macro_rules! of_family {
    ($kernel:expr, $family:ident => $said:expr) => {
        match $kernel {
            MetricKernel::Rbf($family) => $said,
            MetricKernel::Exponential($family) => $said,
            MetricKernel::Matern32($family) => $said,
            MetricKernel::Matern52($family) => $said,
            MetricKernel::RationalQuadratic($family) => $said,
            MetricKernel::Laplacian($family) => $said,
        }
    };
}

macro_rules! from_family {
    ($($family:ident),*) => {$(
        impl From<$family> for MetricKernel {
            fn from(kernel: $family) -> Self {
                Self::$family(kernel)
            }
        }
    )*};
}

from_family!(Rbf, Exponential, Matern32, Matern52, RationalQuadratic, Laplacian);

impl MetricKernel {
    /// The kernel of the named family, with the parameters of a formula that consists of this
    /// kernel only. `None` for families without known gradients.
    ///
    /// # Errors
    /// [`Error::UnknownName`] for a formula of several kernels, and the errors of setting its
    /// parameters.
    ///
    /// # Examples
    /// ```
    /// use kern_core::gradient::MetricKernel;
    /// use kern_core::kernels::{Laplacian, Linear};
    /// let laplacian = MetricKernel::of_family("laplacian", &Laplacian::new(0.5)?)?;
    /// assert_eq!(laplacian, Some(Laplacian::new(0.5)?.into()));
    /// assert_eq!(MetricKernel::of_family("linear", &Linear)?, None);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn of_family(family: &str, formula: &impl Parameters) -> Result<Option<Self>, Error> {
        Ok(Some(match family {
            "rbf" => set(Rbf::new(1.0)?, formula)?.into(),
            "exponential" => set(Exponential::new(1.0)?, formula)?.into(),
            "matern32" => set(Matern32::new(1.0)?, formula)?.into(),
            "matern52" => set(Matern52::new(1.0)?, formula)?.into(),
            "rational_quadratic" => set(RationalQuadratic::new(1.0, 1.0)?, formula)?.into(),
            "laplacian" => set(Laplacian::new(1.0)?, formula)?.into(),
            _ => return Ok(None),
        }))
    }
}

/// The kernel with the parameters of a formula.
fn set<K: Parameters>(mut kernel: K, formula: &impl Parameters) -> Result<K, Error> {
    for parameter in formula.parameters() {
        kernel.set_parameter(&parameter.name, &parameter.value)?;
    }
    Ok(kernel)
}

impl fmt::Display for MetricKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        of_family!(self, kernel => kernel.fmt(f))
    }
}

impl<T: Scalar> Kernel<Samples<T>> for MetricKernel {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        of_family!(self, kernel => Kernel::<Samples<T>>::eval(kernel, x, y))
    }

    fn is_pointwise(&self) -> bool {
        of_family!(self, kernel => Kernel::<Samples<T>>::is_pointwise(kernel))
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        of_family!(self, kernel => kernel.block(tile, out, scratch));
    }

    fn prepare(&self, points: &Samples<T>) -> Option<Prepared> {
        of_family!(self, kernel => kernel.prepare(points))
    }

    fn bind<'a>(
        &'a self,
        a: &'a Samples<T>,
        b: &'a Samples<T>,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<T> + 'a>> {
        of_family!(self, kernel => kernel.bind(a, b, prepared))
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<T>>> {
        of_family!(self, kernel => Kernel::<Samples<T>>::search_order(kernel))
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        of_family!(self, kernel => kernel.diag(points, i))
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        of_family!(self, kernel => Kernel::<Samples<T>>::check(kernel, points))
    }
}

impl<T: Scalar> Mercer<Samples<T>> for MetricKernel {}

impl<T: Scalar> PointGradient<T> for MetricKernel {
    fn add_point_gradients(
        &self,
        tile: &Tile<'_, Samples<T>>,
        alpha: MatRef<'_, T>,
        smallest: f64,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        of_family!(self, kernel => kernel.add_point_gradients(tile, alpha, smallest, out, scratch));
    }

    fn is_rotation_invariant(&self) -> bool {
        of_family!(self, kernel => PointGradient::<T>::is_rotation_invariant(kernel))
    }
}
