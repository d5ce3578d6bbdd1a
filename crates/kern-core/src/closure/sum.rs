//! The sum of two kernels.

use super::feature_distances;
use crate::binding::{self, Bound};
use crate::parameters::{Pair, Parameter, Parameters, Rule, Setting, set_in_pair};
use crate::{Error, Kernel, Mercer, Points, Prepared, Scalar, Scratch, Spectral, Tile};
use faer::{MatMut, MatRef, unzip, zip};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The sum of two kernels, written `a + b`.
///
/// # Definition
/// K(x, y) = K₁(x, y) + K₂(x, y); features \[φ₁; φ₂\]; spectrum: the mixture of both, weighted by
/// mass.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::{Linear, Polynomial}};
/// let k = Linear + Polynomial::new(1.0, 0.0, 2)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[2.0], &[3.0]), 6.0 + 36.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sum<A, B> {
    left: A,
    right: B,
}

impl<A, B> Sum<A, B> {
    /// left + right.
    pub fn new(left: A, right: B) -> Self {
        Self { left, right }
    }

    /// The first kernel.
    pub fn left(&self) -> &A {
        &self.left
    }

    /// The second kernel.
    pub fn right(&self) -> &B {
        &self.right
    }
}

impl<P: Points + ?Sized, A: Kernel<P>, B: Kernel<P>> Kernel<P> for Sum<A, B> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        self.left.eval(x, y) + self.right.eval(x, y)
    }

    fn is_pointwise(&self) -> bool {
        self.left.is_pointwise() || self.right.is_pointwise()
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.left.block(tile, out.as_mut(), scratch);
        tile.with_block(&self.right, scratch, |right| combine(out, right));
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        self.left.diag(points, i) + self.right.diag(points, i)
    }

    fn prepare(&self, points: &P) -> Option<Prepared> {
        Prepared::of_parts([self.left.prepare(points), self.right.prepare(points)])
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        binding::pair(&self.left, &self.right, a, b, prepared, combine)
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
    where
        P: 'a,
    {
        feature_distances::of_sum_of_two(&self.left, &self.right)
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.left.check(points)?;
        self.right.check(points)
    }
}

pub(crate) fn combine<T: Scalar>(out: MatMut<'_, T>, right: MatRef<'_, T>) {
    zip!(out, right).for_each(|unzip!(value, right)| *value += *right);
}

impl<P: Points + ?Sized, A: Mercer<P>, B: Mercer<P>> Mercer<P> for Sum<A, B> {}

impl<A: Spectral, B: Spectral> Spectral for Sum<A, B> {
    fn mass(&self) -> f64 {
        self.left.mass() + self.right.mass()
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        let u: f64 = (&mut rng).random();
        if u * self.mass() < self.left.mass() {
            self.left.add_frequency(rng, omega);
        } else {
            self.right.add_frequency(rng, omega);
        }
    }

    fn is_isotropic(&self) -> bool {
        self.left.is_isotropic() && self.right.is_isotropic()
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        let parts = self.left.uniforms(dim)?.max(self.right.uniforms(dim)?);
        parts.checked_add(1)
    }

    /// The first uniform variable selects the term.
    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        let Some((u, rest)) = uniforms.split_first() else { return };
        if u * self.mass() < self.left.mass() {
            self.left.add_frequency_at(rest, omega);
        } else {
            self.right.add_frequency_at(rest, omega);
        }
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        self.left.check_spectrum(dim)?;
        self.right.check_spectrum(dim)
    }
}

impl<A: Parameters, B: Parameters> Sum<A, B> {
    fn pair(&self) -> Pair<'_> {
        Pair { rule: Rule::Sum, left: &self.left, right: &self.right }
    }
}

impl<A: Parameters, B: Parameters> Parameters for Sum<A, B> {
    fn parameters(&self) -> Vec<Parameter> {
        self.pair().parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        set_in_pair(Rule::Sum, &mut self.left, &mut self.right, name, value)
    }

    fn terms(&self, rule: Rule) -> usize {
        if rule == Rule::Sum { self.pair().terms() } else { 1 }
    }
}

impl<A: fmt::Display, B: fmt::Display> fmt::Display for Sum<A, B> {
    /// Inside a product or a scaled kernel the sum is printed in parentheses, requested by `{:#}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            write!(f, "({} + {})", self.left, self.right)
        } else {
            write!(f, "{} + {}", self.left, self.right)
        }
    }
}
