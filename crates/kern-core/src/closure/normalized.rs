//! Normalised kernels: K(x, y)/√(K(x, x)·K(y, y)).

use super::feature_distances;
use crate::binding::{Binding, Bound};
use crate::parameters::{Parameter, Parameters, Setting};
use crate::{Error, Kernel, Mercer, Points, Prepared, Scalar, Scratch, Tile, tile};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A kernel normalised to the unit diagonal: the cosine of the angle between features.
///
/// # Definition
/// K(x, y) = K₁(x, y)/√(K₁(x, x)·K₁(y, y)), and 0 if either K₁(x, x) or K₁(y, y) is 0; features
/// φ₁/‖φ₁‖. K(x, x) = 1, and |K| ≤ 1 up to rounding for a Mercer kernel K₁.
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
    /// Normalises `kernel` to the unit diagonal.
    pub fn new(kernel: K) -> Self {
        Self { kernel }
    }

    /// The kernel K₁.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The norms of a range of points.
    fn norms<P>(&self, points: &P, range: Range<usize>) -> Norms<P::Scalar>
    where
        P: Points + ?Sized,
        K: Kernel<P>,
    {
        Norms::new(range.map(|i| self.kernel.diag(points, i)))
    }
}

/// The norms of features of several points.
#[derive(Clone)]
struct Norms<T> {
    /// K₁(x, x) where it is positive and finite; otherwise NaN, which compares unequal to
    /// everything.
    squares: Vec<T>,
    /// 1/√K₁(x, x), by [`inverse_root`].
    factors: Vec<T>,
}

impl<T: Scalar> Norms<T> {
    fn new(own: impl Iterator<Item = T>) -> Self {
        let with_factor = |v: T| match inverse_root(v) {
            factor if factor > T::ZERO => (v, factor),
            factor => (T::from_f64(f64::NAN), factor),
        };
        let (squares, factors) = own.map(with_factor).unzip();
        Self { squares, factors }
    }
}

/// 1/√v, 0 for 0, and NaN for a negative or non-finite v. In double precision, where no positive
/// f32 overflows.
fn inverse_root<T: Scalar>(v: T) -> T {
    match v.to_f64() {
        0.0 => T::ZERO,
        v if v > 0.0 && v.is_finite() => T::from_f64(1.0 / v.sqrt()),
        _ => T::from_f64(f64::NAN),
    }
}

/// The cosine of a feature vector with itself, given `factor` = 1/√K₁(x, x).
fn cosine<T: Scalar>(factor: T) -> T {
    if factor > T::ZERO { T::ONE } else { factor }
}

/// Turns the kernel values in `out` into cosines; its rows are `at` of `rows`, its columns start at
/// `from` of `cols`.
fn divide<T: Scalar>(
    out: MatMut<'_, T>,
    rows: &Norms<T>,
    at: Range<usize>,
    cols: &Norms<T>,
    from: usize,
    scratch: &mut Scratch<T>,
) {
    let (squares, factors) = (&rows.squares[at.clone()], &rows.factors[at]);
    tile::for_each_column(out, scratch, |j, column| {
        let (square, factor) = (cols.squares[from + j], cols.factors[from + j]);
        for ((value, &own), &row) in column.iter_mut().zip(squares).zip(factors) {
            // Equal features have cosine 1, however the roots are rounded. Otherwise the factors
            // are multiplied first: their product is symmetric to the bit.
            let is_one = *value == own && *value == square;
            // The sum turns −0 into the 0 of the diagonal.
            *value = if is_one { T::ONE } else { (*value * (row * factor)) + T::ZERO };
        }
    });
}

impl<P: Points + ?Sized, K: Kernel<P>> Kernel<P> for Normalized<K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        let own = |x| Norms::new(std::iter::once(self.kernel.eval(x, x)));
        let mut value = [self.kernel.eval(x, y)];
        let out = MatMut::from_column_major_slice_mut(&mut value, 1, 1);
        divide(out, &own(x), 0..1, &own(y), 0, &mut Scratch::new());
        value[0]
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
        let rows = self.norms(tile.a(), tile.rows());
        let cols = self.norms(tile.b(), tile.cols());
        divide(out, &rows, 0..tile.nrows(), &cols, 0, scratch);
    }

    fn prepare(&self, points: &P) -> Option<Prepared> {
        let norms = Prepared::new(self.norms(points, 0..points.len()));
        Prepared::of_parts([self.kernel.prepare(points), Some(norms)])
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        let rows = self.norms(a, 0..a.len());
        let part = |i| prepared.and_then(|prepared| prepared.part(i));
        let known = part(1).and_then(Prepared::data).map(Cow::Borrowed);
        let norms = || known.unwrap_or_else(|| Cow::Owned(self.norms(b, 0..b.len())));
        let cols = (!std::ptr::addr_eq(a, b)).then(norms);
        let inner = Binding::prepared(&self.kernel, a, b, part(0));
        Some(Box::new(Divided { inner, rows, cols }))
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        cosine(inverse_root(self.kernel.diag(points, i)))
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
    where
        P: 'a,
    {
        feature_distances::of_normalized(&self.kernel)
    }

    /// Checks that every K₁(x, x) is finite and non-negative; costs n further evaluations.
    fn check(&self, points: &P) -> Result<(), Error> {
        self.kernel.check(points)?;
        for sample in 0..points.len() {
            let given = self.kernel.diag(points, sample);
            if inverse_root(given).to_f64().is_nan() {
                return Err(Error::Norm { sample, given: given.to_f64() });
            }
        }
        Ok(())
    }
}

/// A bound kernel with the normalising factors of all rows and columns.
struct Divided<'a, K: ?Sized, P: Points + ?Sized> {
    inner: Binding<'a, K, P>,
    rows: Norms<P::Scalar>,
    /// None if both are the same collection.
    cols: Option<Cow<'a, Norms<P::Scalar>>>,
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
        let right = self.cols.as_deref().unwrap_or(&self.rows);
        divide(out, &self.rows, rows, right, cols.start, scratch);
    }

    fn diag(&self, i: usize) -> Option<T> {
        Some(cosine(self.rows.factors[i]))
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
