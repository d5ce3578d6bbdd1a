//! Kernels of the distance by their formula, with the slopes that feature machines need.

use kern_core::faer::MatMut;
use kern_core::gradient::RadialProfile;
use kern_core::kernels::{Exponential, Matern32, Matern52, RationalQuadratic, Rbf};
use kern_core::parameters::Parameters;
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
        let text = formula.to_string();
        let family = text.split('(').next().unwrap_or_default();
        let profile: Arc<dyn RadialProfile<T>> = match family {
            "rbf" => profile(Rbf::new(1.0)?, &formula)?,
            "exponential" => profile(Exponential::new(1.0)?, &formula)?,
            "matern32" => profile(Matern32::new(1.0)?, &formula)?,
            "matern52" => profile(Matern52::new(1.0)?, &formula)?,
            "rational_quadratic" => profile(RationalQuadratic::new(1.0, 1.0)?, &formula)?,
            _ => {
                return Err(Error::Unsupported {
                    what: "a feature machine with this kernel",
                    instead: "take rbf, exponential, matern32, matern52 or rational_quadratic",
                });
            }
        };
        Ok(Self { formula, profile })
    }
}

/// The kernel of a family with the parameters of the formula, which must be that kernel alone.
fn profile<T: Scalar, K: RadialProfile<T> + Parameters + 'static>(
    mut kernel: K,
    formula: &impl Parameters,
) -> Result<Arc<dyn RadialProfile<T>>, Error> {
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
