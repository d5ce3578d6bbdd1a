//! A kernel raised to a non-negative integer power.

use super::feature_distances;
use crate::binding::{self, Bound};
use crate::parameters::{Domain, Parameter, Parameters, Setting, set_with_inner, with_inner};
use crate::simd::dispatched;
use crate::{Error, Kernel, Mercer, Points, Prepared, Scalar, Scratch, Tile, tile};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A kernel raised to a non-negative integer power.
///
/// # Definition
/// K(x, y) = K₁(x, y)^p, p ∈ ℕ; features φ₁ ⊗ … ⊗ φ₁ (p times). The power 0 is the constant 1. A
/// polynomial of a kernel with positive coefficients is a sum of scaled powers.
///
/// # References
/// Schölkopf & Smola (2002), proposition 13.2.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, closure::Power, kernels::Linear};
/// let cube = Power::new(Linear, 3);
/// assert_eq!(Kernel::<Samples<f64>>::eval(&cube, &[2.0], &[-1.0]), -8.0);
/// assert_eq!(cube.to_string(), "linear^3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Power<K> {
    kernel: K,
    exponent: u32,
}

impl<K> Power<K> {
    /// kernel^exponent.
    pub fn new(kernel: K, exponent: u32) -> Self {
        Self { kernel, exponent }
    }

    /// The kernel K₁.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The exponent p.
    pub fn exponent(&self) -> u32 {
        self.exponent
    }

    fn raise<T: Scalar>(&self, out: MatMut<'_, T>) {
        tile::for_each_column(out, &mut Scratch::new(), |_, column| powers(column, self.exponent));
    }
}

dispatched! {
    /// v ← v^exponent.
    fn powers<'a, T>(v: &'a mut [T], exponent: u32) -> () {
        for v in v {
            *v = power(*v, exponent);
        }
    }
}

/// base^exponent by repeated squaring.
#[inline(always)]
pub(crate) fn power<T: Scalar>(base: T, exponent: u32) -> T {
    let (mut result, mut square, mut rest) = (T::ONE, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result *= square;
        }
        square *= square;
        rest >>= 1;
    }
    result
}

impl<P: Points + ?Sized, K: Kernel<P>> Kernel<P> for Power<K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        power(self.kernel.eval(x, y), self.exponent)
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
        self.raise(out);
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
        binding::map(&self.kernel, a, b, prepared, |_, _, out| self.raise(out))
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        power(self.kernel.diag(points, i), self.exponent)
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
    where
        P: 'a,
    {
        feature_distances::of_power(&self.kernel, self.exponent)
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.kernel.check(points)
    }
}

impl<P: Points + ?Sized, K: Mercer<P>> Mercer<P> for Power<K> {}

impl<K> Power<K> {
    fn own(&self) -> Parameter {
        Parameter::new("exponent", self.exponent, Domain::count_to(0, u64::from(u32::MAX)))
    }
}

impl<K: Parameters> Parameters for Power<K> {
    fn parameters(&self) -> Vec<Parameter> {
        with_inner(self.own(), self.kernel.parameters())
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        let own = self.own();
        if name != own.name {
            return set_with_inner(own, &mut self.kernel, name, value);
        }
        let accepted = own.domain.accept(name, value)?.as_u64();
        self.exponent = accepted.and_then(|v| v.try_into().ok()).unwrap_or(self.exponent);
        Ok(())
    }
}

impl<K: fmt::Display> fmt::Display for Power<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Sums, products and powers inside need parentheses; elsewhere they are harmless.
        let inner = self.kernel.to_string();
        if inner.contains(['*', '+', '^']) {
            write!(f, "({inner})^{}", self.exponent)
        } else {
            write!(f, "{inner}^{}", self.exponent)
        }
    }
}
