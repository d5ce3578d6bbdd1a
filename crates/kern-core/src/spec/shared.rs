//! Kernels whose type is not known any more, with their parameters and derivatives.

use crate::gradient::Differentiable;
use crate::parameters::{Parameter, Parameters};
use crate::{Bound, Error, Kernel, Order, Points, Rough, Scratch, Tile};
use faer::{MatMut, MatRef};
use std::fmt;
use std::sync::Arc;

/// A kernel on points of one kind whose type is not known any more. Its parameters can be listed; they are set in the formula,
/// from which it is built anew.
pub struct Shared<P: Points>(Arc<dyn Differentiable<P>>);

impl<P: Points> Shared<P> {
    pub(super) fn new(kernel: impl Differentiable<P> + 'static) -> Self {
        Self(Arc::new(kernel))
    }
}

impl<P: Points> fmt::Debug for Shared<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").finish_non_exhaustive()
    }
}

impl<P: Points> Clone for Shared<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Points> Parameters for Shared<P> {
    fn parameters(&self) -> Vec<Parameter> {
        // Not those of the `Arc`, which has none.
        (*self.0).parameters()
    }
}

impl<P: Points> Kernel<P> for Shared<P> {
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

    fn rough<'a>(&self, points: &'a P) -> Option<Rough<'a>> {
        self.0.rough(points)
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

impl<P: Points> Differentiable<P> for Shared<P> {
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.0.pull_back(tile, adjoint, gradient, scratch);
    }
}
