//! Kernels of the distance by their formula, with the slopes that feature machines need.

use kern_core::faer::MatMut;
use kern_core::gradient::RadialProfile;
use kern_core::kernels::{Exponential, Matern32, Matern52, RationalQuadratic, Rbf};
use kern_core::parameters::{Parameter, Parameters, Setting};
use kern_core::{
    Bound, Kernel, Mercer, MercerFormula, Named, Order, Samples, Scalar, Scratch, Tile,
};
use kern_solvers::Error;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

/// A kernel of the distance. In files it is its formula.
#[derive(Clone)]
pub(crate) struct Radial<T: Scalar> {
    formula: MercerFormula<Samples<T>>,
    profile: Arc<dyn RadialProfile<T>>,
}

impl<T: Scalar> Radial<T> {
    pub(crate) fn new(formula: MercerFormula<Samples<T>>) -> Result<Self, Error> {
        let (what, instead) = (
            "a feature machine with this kernel",
            "take rbf, exponential, matern32, matern52 or rational_quadratic",
        );
        let profile = slopes(&formula)?.ok_or(Error::Unsupported { what, instead })?;
        Ok(Self { formula, profile })
    }
}

/// The slopes of the kernel of a formula; none if it is no kernel of the distance alone.
fn slopes<T: Scalar>(
    formula: &MercerFormula<Samples<T>>,
) -> Result<Option<Arc<dyn RadialProfile<T>>>, kern_core::Error> {
    let text = formula.to_string();
    let family = text.split('(').next().unwrap_or_default();
    Ok(Some(match family {
        "rbf" => profile(Rbf::new(1.0)?, formula)?,
        "exponential" => profile(Exponential::new(1.0)?, formula)?,
        "matern32" => profile(Matern32::new(1.0)?, formula)?,
        "matern52" => profile(Matern52::new(1.0)?, formula)?,
        "rational_quadratic" => profile(RationalQuadratic::new(1.0, 1.0)?, formula)?,
        _ => return Ok(None),
    }))
}

/// The kernel of a family with the parameters of the formula, which must be that kernel alone.
fn profile<T: Scalar, K: RadialProfile<T> + Parameters + 'static>(
    mut kernel: K,
    formula: &impl Parameters,
) -> Result<Arc<dyn RadialProfile<T>>, kern_core::Error> {
    for parameter in formula.parameters() {
        kernel.set_parameter(&parameter.name, &parameter.value)?;
    }
    Ok(Arc::new(kernel))
}

impl<T: Scalar> Kernel<Samples<T>> for Radial<T> {
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

    fn bind<'a>(&'a self, a: &'a Samples<T>, b: &'a Samples<T>) -> Option<Box<dyn Bound<T> + 'a>> {
        self.formula.bind(a, b)
    }

    fn order<'a>(&'a self, a: &'a Samples<T>, b: &'a Samples<T>) -> Option<Box<dyn Order<T> + 'a>> {
        self.formula.order(a, b)
    }

    fn check(&self, points: &Samples<T>) -> Result<(), kern_core::Error> {
        self.formula.check(points)
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Radial<T> {}

impl<T: Scalar> RadialProfile<T> for Radial<T> {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        self.profile.slopes(squared_distances, scratch);
    }
}

impl<T: Scalar> Parameters for Radial<T> {
    fn parameters(&self) -> Vec<Parameter> {
        self.formula.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), kern_core::Error> {
        let mut formula = self.formula.clone();
        formula.set_parameter(name, value)?;
        let profile = slopes(&formula)?;
        if let Some(profile) = profile {
            *self = Self { formula, profile };
        }
        Ok(())
    }
}

impl<T: Scalar> Named for Radial<T> {
    fn name() -> Cow<'static, str> {
        MercerFormula::<Samples<T>>::name()
    }
}

impl<T: Scalar> Serialize for Radial<T> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.formula.serialize(output)
    }
}
