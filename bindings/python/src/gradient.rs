//! Kernels given by a formula, with the gradients with respect to points that feature machines
//! need.

use kern_core::faer::{MatMut, MatRef};
use kern_core::gradient::{MetricKernel, PointGradient};
use kern_core::parameters::{Parameter, Parameters, Setting};
use kern_core::{
    Bound, Kernel, Mercer, MercerFormula, Named, Prepared, Samples, Scalar, Scratch, SearchOrder,
    Tile,
};
use kern_solvers::Error;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// A formula of a single kernel with a gradient. It is stored in files as the formula.
#[derive(Clone)]
pub(crate) struct WithGradient<T: Scalar> {
    formula: MercerFormula<Samples<T>>,
    kernel: MetricKernel,
}

impl<T: Scalar> WithGradient<T> {
    pub(crate) fn new(formula: MercerFormula<Samples<T>>) -> Result<Self, Error> {
        let (what, instead) = (
            "a feature machine with this kernel",
            "take rbf, exponential, matern32, matern52, rational_quadratic or laplacian",
        );
        let kernel = kernel_of(&formula)?.ok_or(Error::Unsupported { what, instead })?;
        Ok(Self { formula, kernel })
    }
}

/// The kernel of a formula; `None` for other families.
fn kernel_of<T: Scalar>(
    formula: &MercerFormula<Samples<T>>,
) -> Result<Option<MetricKernel>, kern_core::Error> {
    let text = formula.to_string();
    MetricKernel::of_family(text.split('(').next().unwrap_or_default(), formula)
}

impl<T: Scalar> Kernel<Samples<T>> for WithGradient<T> {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.formula.eval(x, y)
    }

    fn is_pointwise(&self) -> bool {
        self.formula.is_pointwise()
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        self.formula.block(tile, out, scratch);
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        self.formula.diag(points, i)
    }

    fn prepare(&self, points: &Samples<T>) -> Option<Prepared> {
        self.formula.prepare(points)
    }

    fn bind<'a>(
        &'a self,
        a: &'a Samples<T>,
        b: &'a Samples<T>,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<T> + 'a>> {
        self.formula.bind(a, b, prepared)
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<T>>> {
        self.formula.search_order()
    }

    fn check(&self, points: &Samples<T>) -> Result<(), kern_core::Error> {
        self.formula.check(points)
    }
}

impl<T: Scalar> Mercer<Samples<T>> for WithGradient<T> {}

impl<T: Scalar> PointGradient<T> for WithGradient<T> {
    fn add_point_gradients(
        &self,
        tile: &Tile<'_, Samples<T>>,
        alpha: MatRef<'_, T>,
        smallest: f64,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.kernel.add_point_gradients(tile, alpha, smallest, out, scratch);
    }

    fn is_rotation_invariant(&self) -> bool {
        PointGradient::<T>::is_rotation_invariant(&self.kernel)
    }
}

impl<T: Scalar> Parameters for WithGradient<T> {
    fn parameters(&self) -> Vec<Parameter> {
        self.formula.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), kern_core::Error> {
        let mut formula = self.formula.clone();
        formula.set_parameter(name, value)?;
        if let Some(kernel) = kernel_of(&formula)? {
            *self = Self { formula, kernel };
        }
        Ok(())
    }
}

impl<T: Scalar> Named for WithGradient<T> {
    fn name() -> Cow<'static, str> {
        MercerFormula::<Samples<T>>::name()
    }
}

impl<T: Scalar> Serialize for WithGradient<T> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.formula.serialize(output)
    }
}
