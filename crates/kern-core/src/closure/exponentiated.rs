//! The exponential of a kernel.

use crate::binding::{self, Bound};
use crate::order::{Mapped, Order};
use crate::parameters::{Parameter, Parameters, Setting};
use crate::simd::exp;
use crate::{
    Error, Geometry, Kernel, Mercer, Points, Prepared, Scalar, Scratch, SearchOrder,
    SinglePrecision, Tile, tile,
};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The exponential of a kernel.
///
/// # Definition
/// K(x, y) = exp(K₁(x, y)) = Σ_p K₁^p/p!, a limit of polynomials with positive coefficients, hence
/// Mercer if K₁ is. Its feature space is infinite-dimensional.
///
/// # References
/// Schölkopf & Smola (2002), proposition 13.2.
///
/// # Examples
/// The Gaussian is a normalised exponential of the linear kernel:
/// ```
/// use kern_core::{Kernel, Samples, closure::{Exp, Normalized}, kernels::{Linear, Rbf}};
/// let gaussian = Normalized::new(Exp::new(2.0 * 0.3 * Linear));
/// let (x, y) = ([0.5, -1.0], [1.5, 0.25]);
/// let expected = Kernel::<Samples<f64>>::eval(&Rbf::new(0.3)?, &x, &y);
/// let given = Kernel::<Samples<f64>>::eval(&gaussian, &x, &y);
/// assert!((given - expected).abs() < 1e-15);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exp<K> {
    kernel: K,
}

impl<K> Exp<K> {
    /// exp(kernel).
    pub fn new(kernel: K) -> Self {
        Self { kernel }
    }

    /// The kernel K₁.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }
}

fn exponentiate<T: Scalar>(out: MatMut<'_, T>) {
    tile::for_each_column(out, &mut Scratch::new(), |_, column| T::exp_scaled(column, T::ONE));
}

impl<P: Points + ?Sized, K: Kernel<P>> Kernel<P> for Exp<K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        exp::single(self.kernel.eval(x, y))
    }

    fn is_pointwise(&self) -> bool {
        self.kernel.is_pointwise()
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.kernel.block(tile, out.as_mut(), scratch);
        exponentiate(out);
    }

    fn prepare(&self, points: &P) -> Option<Prepared> {
        self.kernel.prepare(points)
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        binding::map(&self.kernel, a, b, prepared, |_, _, out| exponentiate(out))
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<P>> {
        Some(self)
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        exp::single(self.kernel.diag(points, i))
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.kernel.check(points)
    }
}

impl<P: Points + ?Sized, K: Mercer<P>> Mercer<P> for Exp<K> {}

/// That of the inner kernel, if it has one.
impl<P: Points + ?Sized, K: Kernel<P>> SearchOrder<P> for Exp<K> {
    fn order<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Order<P::Scalar> + 'a>> {
        let inner = self.kernel.search_order()?.order(a, b)?;
        Some(Box::new(Mapped { inner, apply: |out: MatMut<'_, P::Scalar>| exponentiate(out) }))
    }

    fn single_precision<'a>(&self, points: &'a P) -> Option<SinglePrecision<'a>> {
        let single_precision = self.kernel.search_order()?.single_precision(points)?;
        (single_precision.geometry() == Geometry::Distance).then_some(single_precision)
    }
}

impl<K: Parameters> Parameters for Exp<K> {
    fn parameters(&self) -> Vec<Parameter> {
        self.kernel.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.kernel.set_parameter(name, value)
    }
}

impl<K: fmt::Display> fmt::Display for Exp<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exp({})", self.kernel)
    }
}
