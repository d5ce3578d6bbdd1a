//! The assumption that a kernel is positive semi-definite.

use crate::parameters::{Parameter, Parameters, Rule, Setting};
use crate::{Bound, Error, Kernel, Mercer, Order, Points, Scratch, SinglePrecision, Tile};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Marks a kernel as Mercer on the caller's responsibility.
///
/// The compiler accepts it where a Mercer kernel is required; nothing is checked. If the kernel is
/// not PSD on the data, solvers terminate with an error or with a certificate that does not close.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, closure::AssumeMercer, kernels::FnKernel};
/// let k = AssumeMercer(FnKernel::new(|x: &u32, y: &u32| f64::from((x & y).count_ones())));
/// assert_eq!(Kernel::<Vec<u32>>::eval(&k, &6, &3), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssumeMercer<K>(pub K);

impl<P: Points + ?Sized, K: Kernel<P>> Kernel<P> for AssumeMercer<K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        self.0.eval(x, y)
    }

    fn is_pointwise(&self) -> bool {
        self.0.is_pointwise()
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.0.block(tile, out, scratch);
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        self.0.diag(points, i)
    }

    fn bind<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        self.0.bind(a, b)
    }

    fn order<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Order<P::Scalar> + 'a>> {
        self.0.order(a, b)
    }

    fn single_precision<'a>(&self, points: &'a P) -> Option<SinglePrecision<'a>> {
        self.0.single_precision(points)
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
    where
        P: 'a,
    {
        self.0.differences()
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.0.check(points)
    }
}

impl<P: Points + ?Sized, K: Kernel<P>> Mercer<P> for AssumeMercer<K> {}

impl<K: Parameters> Parameters for AssumeMercer<K> {
    fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.0.set_parameter(name, value)
    }

    fn terms(&self, rule: Rule) -> usize {
        self.0.terms(rule)
    }
}

impl<K: fmt::Display> fmt::Display for AssumeMercer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
