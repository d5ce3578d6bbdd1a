//! A kernel conjugated by a function: f(x)·K(x, y)·f(y).

use crate::binding::{self, Bound};
use crate::parameters::{Parameter, Parameters, Setting};
use crate::{Error, Kernel, Mercer, Points, Prepared, Scalar, Scratch, Tile};
use faer::MatMut;
use std::fmt;
use std::ops::Range;

/// A kernel conjugated by a function.
///
/// # Definition
/// K(x, y) = f(x)·K₁(x, y)·f(y) with any f: 𝒳 → R; features f(x)·φ₁(x).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, closure::Conjugated, kernels::Linear};
/// let k = Conjugated::new(|x: &[f64]| 1.0 + x[0], Linear);
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[1.0], &[3.0]), 2.0 * 3.0 * 4.0);
/// ```
#[derive(Clone, Copy)]
pub struct Conjugated<F, K> {
    f: F,
    kernel: K,
}

impl<F, K> Conjugated<F, K> {
    /// f(x)·kernel(x, y)·f(y).
    pub fn new(f: F, kernel: K) -> Self {
        Self { f, kernel }
    }

    /// The function f.
    pub fn function(&self) -> &F {
        &self.f
    }

    /// The kernel K₁.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    fn scale<P>(&self, tile: &Tile<'_, P>, mut out: MatMut<'_, P::Scalar>)
    where
        P: Points + ?Sized,
        F: Fn(&P::Item) -> P::Scalar,
    {
        let values = |points: &P, range: Range<usize>| -> Vec<P::Scalar> {
            range.map(|i| (self.f)(points.item(i))).collect()
        };
        let rows = values(tile.a(), tile.rows());
        for (j, col) in values(tile.b(), tile.cols()).into_iter().enumerate() {
            for (i, &row) in rows.iter().enumerate() {
                out[(i, j)] *= row * col;
            }
        }
    }
}

impl<P, F, K> Kernel<P> for Conjugated<F, K>
where
    P: Points + ?Sized,
    F: Fn(&P::Item) -> P::Scalar + Send + Sync,
    K: Kernel<P>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        self.kernel.eval(x, y) * ((self.f)(x) * (self.f)(y))
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
        self.scale(tile, out);
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
        binding::map(&self.kernel, a, b, prepared, move |rows, cols, out| {
            self.scale(&Tile::new(a, rows, b, cols), out);
        })
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        let factor = (self.f)(points.item(i));
        self.kernel.diag(points, i) * (factor * factor)
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        for sample in 0..points.len() {
            let given = (self.f)(points.item(sample)).to_f64();
            if !given.is_finite() {
                return Err(Error::NotFinite { sample, feature: 0, given });
            }
        }
        self.kernel.check(points)
    }
}

impl<P, F, K> Mercer<P> for Conjugated<F, K>
where
    P: Points + ?Sized,
    F: Fn(&P::Item) -> P::Scalar + Send + Sync,
    K: Mercer<P>,
{
}

impl<F, K: fmt::Debug> fmt::Debug for Conjugated<F, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conjugated").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}

impl<F, K: Parameters> Parameters for Conjugated<F, K> {
    fn parameters(&self) -> Vec<Parameter> {
        self.kernel.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.kernel.set_parameter(name, value)
    }
}

impl<F, K: fmt::Display> fmt::Display for Conjugated<F, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "conjugated({})", self.kernel)
    }
}
