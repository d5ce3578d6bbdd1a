//! The product of two kernels.

use super::feature_distances;
use crate::binding::{self, Bound};
use crate::parameters::{Pair, Parameter, Parameters, Rule, Setting, set_in_pair};
use crate::{Error, Kernel, Mercer, Points, Prepared, Scalar, Scratch, Spectral, Tile};
use faer::{MatMut, MatRef, unzip, zip};
use rand::Rng;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The product of two kernels, written `a * b`.
///
/// # Definition
/// K(x, y) = K₁(x, y)·K₂(x, y); features φ₁ ⊗ φ₂; spectrum: ω₁ + ω₂, independent.
///
/// # References
/// Schur (1911): the entrywise product of PSD matrices is PSD.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::{Linear, Polynomial}};
/// let k = Linear * Polynomial::new(1.0, 1.0, 1)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[2.0], &[3.0]), 6.0 * 7.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Product<A, B> {
    left: A,
    right: B,
}

impl<A, B> Product<A, B> {
    /// left · right.
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

impl<P: Points + ?Sized, A: Kernel<P>, B: Kernel<P>> Kernel<P> for Product<A, B> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        self.left.eval(x, y) * self.right.eval(x, y)
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
        self.left.diag(points, i) * self.right.diag(points, i)
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
        feature_distances::of_product([&self.left as &dyn Kernel<P>, &self.right].into_iter())
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.left.check(points)?;
        self.right.check(points)
    }
}

pub(crate) fn combine<T: Scalar>(out: MatMut<'_, T>, right: MatRef<'_, T>) {
    zip!(out, right).for_each(|unzip!(value, right)| *value *= *right);
}

impl<P: Points + ?Sized, A: Mercer<P>, B: Mercer<P>> Mercer<P> for Product<A, B> {}

impl<A: Spectral, B: Spectral> Spectral for Product<A, B> {
    fn mass(&self) -> f64 {
        self.left.mass() * self.right.mass()
    }

    fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
        self.left.add_frequency(rng, omega);
        self.right.add_frequency(rng, omega);
    }

    fn is_isotropic(&self) -> bool {
        self.left.is_isotropic() && self.right.is_isotropic()
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        self.left.uniforms(dim)?.checked_add(self.right.uniforms(dim)?)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        let own = self.left.uniforms(omega.len()).unwrap_or(0).min(uniforms.len());
        let (left, right) = uniforms.split_at(own);
        self.left.add_frequency_at(left, omega);
        self.right.add_frequency_at(right, omega);
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        self.left.check_spectrum(dim)?;
        self.right.check_spectrum(dim)
    }
}

impl<A: Parameters, B: Parameters> Product<A, B> {
    fn pair(&self) -> Pair<'_> {
        Pair { rule: Rule::Product, left: &self.left, right: &self.right }
    }
}

impl<A: Parameters, B: Parameters> Parameters for Product<A, B> {
    fn parameters(&self) -> Vec<Parameter> {
        self.pair().parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        set_in_pair(Rule::Product, &mut self.left, &mut self.right, name, value)
    }

    fn terms(&self, rule: Rule) -> usize {
        if rule == Rule::Product { self.pair().terms() } else { 1 }
    }
}

impl<A: fmt::Display, B: fmt::Display> fmt::Display for Product<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}*{:#}", self.left, self.right)
    }
}
