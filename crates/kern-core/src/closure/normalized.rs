//! A kernel divided by the norms of its features.

use crate::bound::{Binding, Bound};
use crate::parameters::{Parameter, Parameters, Setting};
use crate::{Error, Kernel, Mercer, Points, Scalar, Scratch, Tile};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// A kernel normalised to the unit diagonal: the cosine of the angle between features.
///
/// # Definition
/// K(x, y) = K₁(x, y)/√(K₁(x, x)·K₁(y, y)), and 0 if either K₁(x, x) or K₁(y, y) is 0; features
/// φ₁/‖φ₁‖. |K| ≤ 1 for a Mercer kernel K₁, and K(x, x) = 1, both up to rounding.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, closure::Normalized, kernels::Linear};
/// let cosine = Normalized::new(Linear);
/// assert_eq!(Kernel::<Samples<f64>>::eval(&cosine, &[3.0, 4.0], &[0.0, 2.0]), 0.8);
/// assert_eq!(Kernel::<Samples<f64>>::eval(&cosine, &[3.0, 4.0], &[0.0, 0.0]), 0.0);
/// assert_eq!(cosine.to_string(), "normalized(linear)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalized<K> {
    kernel: K,
}

impl<K> Normalized<K> {
    /// kernel/√(its diagonals).
    pub fn new(kernel: K) -> Self {
        Self { kernel }
    }

    /// The kernel K₁.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// 1/√K₁(x_i, x_i), or 0, for a range of points.
    fn factors<P>(&self, points: &P, range: Range<usize>) -> Vec<P::Scalar>
    where
        P: Points + ?Sized,
        K: Kernel<P>,
    {
        range.map(|i| inverse_root(self.kernel.diag(points, i))).collect()
    }
}

/// 1/√v, and 0 for 0. In double precision, where no positive f32 overflows.
fn inverse_root<T: Scalar>(v: T) -> T {
    if v == T::ZERO { T::ZERO } else { T::from_f64(1.0 / v.to_f64().sqrt()) }
}

/// K(x, x) of a point with this K₁(x, x), with the bits of a block.
fn normalised<T: Scalar>(own: T) -> T {
    let factor = inverse_root(own);
    own * (factor * factor)
}

fn divide<T: Scalar>(mut out: MatMut<'_, T>, rows: &[T], cols: &[T]) {
    for (j, &col) in cols.iter().enumerate() {
        for (i, &row) in rows.iter().enumerate() {
            // The factors first: their product is symmetric to the bit.
            out[(i, j)] *= row * col;
        }
    }
}

impl<P: Points + ?Sized, K: Kernel<P>> Kernel<P> for Normalized<K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        let (row, col) = (self.kernel.eval(x, x), self.kernel.eval(y, y));
        self.kernel.eval(x, y) * (inverse_root(row) * inverse_root(col))
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
        let rows = self.factors(tile.a(), tile.rows());
        let cols = self.factors(tile.b(), tile.cols());
        divide(out, &rows, &cols);
    }

    fn bind<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        let own = (0..a.len()).map(|i| self.kernel.diag(a, i));
        let (rows, diag) = own.map(|value| (inverse_root(value), normalised(value))).unzip();
        let cols = (!std::ptr::addr_eq(a, b)).then(|| self.factors(b, 0..b.len()));
        Some(Box::new(Divided { inner: Binding::new(&self.kernel, a, b), rows, cols, diag }))
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        normalised(self.kernel.diag(points, i))
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.kernel.check(points)
    }
}

/// A bound kernel with the factors of all rows and columns.
struct Divided<'a, K: ?Sized, P: Points + ?Sized> {
    inner: Binding<'a, K, P>,
    rows: Vec<P::Scalar>,
    /// None if both are the same collection.
    cols: Option<Vec<P::Scalar>>,
    /// K of the rows with themselves.
    diag: Vec<P::Scalar>,
}

impl<T, P, K> Bound<T> for Divided<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T> + ?Sized,
    K: Kernel<P> + ?Sized,
{
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.inner.block(rows.clone(), cols.clone(), out.as_mut(), scratch);
        let right = self.cols.as_ref().unwrap_or(&self.rows);
        divide(out, &self.rows[rows], &right[cols]);
    }

    fn diag(&self, i: usize) -> Option<T> {
        Some(self.diag[i])
    }
}

impl<P: Points + ?Sized, K: Mercer<P>> Mercer<P> for Normalized<K> {}

impl<K: Parameters> Parameters for Normalized<K> {
    fn parameters(&self) -> Vec<Parameter> {
        self.kernel.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.kernel.set_parameter(name, value)
    }
}

impl<K: fmt::Display> fmt::Display for Normalized<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "normalized({})", self.kernel)
    }
}
