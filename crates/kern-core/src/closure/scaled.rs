//! A kernel times a non-negative weight.

use crate::binding::{self, Bound};
use crate::order::{Mapped, Order};
use crate::parameters::{Domain, Parameter, Parameters, Setting, set_with_inner, with_inner};
use crate::{
    Error, Geometry, Kernel, Mercer, NonNegative, Points, Prepared, Scalar, Scratch, SearchOrder,
    SinglePrecision, Spectral, Tile,
};
use faer::{MatMut, unzip, zip};
use rand::Rng;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A kernel times a weight, written `0.5 * k`.
///
/// # Definition
/// K(x, y) = c·K₁(x, y), c ≥ 0; features √c·φ₁; spectrum: the same with the mass scaled.
///
/// # Errors
/// [`Scaled::new`] returns an error for a negative or non-finite weight. An operator cannot return
/// an error, so `-0.5 * k` can be constructed; [`check`](Kernel::check) rejects it when a Gram
/// matrix or a solver receives it.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, closure::Scaled, kernels::Linear};
/// let x = Samples::from_rows(&[[2.0]])?;
/// assert_eq!((0.5 * Linear).diag(&x, 0), 2.0);
/// assert!((0.5 * Linear).check(&x).is_ok());
/// assert!((-0.5 * Linear).check(&x).is_err());
/// assert!(Scaled::new(-0.5, Linear).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaled<K> {
    #[serde(deserialize_with = "read_weight")]
    weight: f64,
    kernel: K,
}

impl<K> Scaled<K> {
    /// weight·kernel.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `weight` is finite and ≥ 0.
    pub fn new(weight: f64, kernel: K) -> Result<Self, Error> {
        check_weight(weight)?;
        Ok(Self { weight, kernel })
    }

    /// weight·kernel; the weight is checked when the kernel is used.
    pub fn unchecked(weight: f64, kernel: K) -> Self {
        Self { weight, kernel }
    }

    /// The weight c.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The kernel K₁.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    fn scale<T: Scalar>(&self, out: MatMut<'_, T>) {
        let weight = T::from_f64(self.weight);
        zip!(out).for_each(|unzip!(value)| *value *= weight);
    }
}

fn check_weight(weight: f64) -> Result<(), Error> {
    NonNegative::new("the weight of a kernel", weight).map(|_| ())
}

/// Deserialisation applies the same check as the constructor.
fn read_weight<'de, D: Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
    let weight = f64::deserialize(input)?;
    check_weight(weight).map_err(D::Error::custom)?;
    Ok(weight)
}

impl<P: Points + ?Sized, K: Kernel<P>> Kernel<P> for Scaled<K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        P::Scalar::from_f64(self.weight) * self.kernel.eval(x, y)
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
        self.scale(out);
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        P::Scalar::from_f64(self.weight) * self.kernel.diag(points, i)
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
        binding::map(&self.kernel, a, b, prepared, |_, _, out| self.scale(out))
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<P>> {
        Some(self)
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
    where
        P: 'a,
    {
        Some(Box::new(Scaled::unchecked(self.weight, self.kernel.differences()?)))
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        check_weight(self.weight)?;
        self.kernel.check(points)
    }
}

impl<P: Points + ?Sized, K: Mercer<P>> Mercer<P> for Scaled<K> {}

/// That of the inner kernel, if it has one and the weight is not 0: then all values are equal.
impl<P: Points + ?Sized, K: Kernel<P>> SearchOrder<P> for Scaled<K> {
    fn order<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Order<P::Scalar> + 'a>> {
        let inner = self.kernel.search_order()?.order(a, b).filter(|_| self.weight > 0.0)?;
        Some(Box::new(Mapped { inner, apply: |out: MatMut<'_, P::Scalar>| self.scale(out) }))
    }

    /// For distances only: a weighted inner product is not the inner product of these points.
    fn single_precision<'a>(&self, points: &'a P) -> Option<SinglePrecision<'a>> {
        let inner = self.kernel.search_order()?;
        let single_precision = inner.single_precision(points).filter(|_| self.weight > 0.0)?;
        (single_precision.geometry() == Geometry::Distance).then_some(single_precision)
    }
}

impl<K: Spectral> Spectral for Scaled<K> {
    fn mass(&self) -> f64 {
        self.weight * self.kernel.mass()
    }

    fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
        self.kernel.add_frequency(rng, omega);
    }

    fn is_isotropic(&self) -> bool {
        self.kernel.is_isotropic()
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        self.kernel.uniforms(dim)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        self.kernel.add_frequency_at(uniforms, omega);
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        check_weight(self.weight)?;
        self.kernel.check_spectrum(dim)
    }
}

impl<K> Scaled<K> {
    fn own(&self) -> Parameter {
        Parameter::new("weight", self.weight, Domain::non_negative().log())
    }
}

impl<K: Parameters> Parameters for Scaled<K> {
    fn parameters(&self) -> Vec<Parameter> {
        with_inner(self.own(), self.kernel.parameters())
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        let own = self.own();
        if name != own.name {
            return set_with_inner(own, &mut self.kernel, name, value);
        }
        let accepted = own.domain.accept(name, value)?.as_f64();
        self.weight = accepted.unwrap_or(self.weight);
        Ok(())
    }
}

impl<K: fmt::Display> fmt::Display for Scaled<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*{:#}", self.weight, self.kernel)
    }
}
