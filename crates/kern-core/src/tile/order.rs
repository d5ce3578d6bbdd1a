//! Kernels bound to two collections; and the order of their values without the values, for
//! searches.

use super::{Scratch, Term, Tile, fold_coordinates};
use crate::{Samples, Scalar};
use faer::MatMut;
use std::ops::Range;

/// A kernel bound to two collections, which fills tiles of their matrix K(a_i, b_j).
///
/// Kernels that compute something per point first, such as an embedding, implement
/// [`Kernel::bind`](crate::Kernel::bind) to do that once and return such an object.
pub trait Bound<T: Scalar>: Send + Sync {
    /// `out[(i, j)] = K(a_{rows.start + i}, b_{cols.start + j})`.
    ///
    /// # Panics
    /// If `out` is not `rows.len()` × `cols.len()`, or a range is out of bounds.
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    );

    /// K(a_i, a_i), with the bits of [`Kernel::diag`](crate::Kernel::diag), if the precomputed data
    /// makes that faster. By default it does not.
    fn diag(&self, i: usize) -> Option<T> {
        let _ = i;
        None
    }
}

/// Fills tiles of *keys* instead of kernel values: K(x, y) = f(key), with one non-decreasing f for
/// all pairs of two collections.
///
/// For kernels that decrease with a distance, such as the RBF kernel, the key is the negative
/// distance: a search for the largest values compares keys, and evaluates f only for its results.
/// Keys are finer than values: they still differ where values are rounded to the same number, or
/// underflow. They are finite.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Points, Samples, Scratch, SearchOrder, faer::Mat, kernels::Rbf};
/// let x = Samples::<f64>::from_rows(&[[0.0], [100.0], [300.0]])?;
/// let kernel = Rbf::new(0.5)?;
/// let value = |j| Kernel::<Samples<f64>>::eval(&kernel, x.item(0), x.item(j));
/// assert_eq!((value(1), value(2)), (0.0, 0.0));
/// let order = kernel.order(&x, &x).ok_or("it has one")?;
/// let mut keys = Mat::zeros(1, 3);
/// order.block(0..1, 0..3, keys.as_mut(), &mut Scratch::new());
/// assert!(keys[(0, 0)] > keys[(0, 1)] && keys[(0, 1)] > keys[(0, 2)]);
/// let mut values = [keys[(0, 0)], keys[(0, 1)]];
/// order.values(&mut values, &mut Scratch::new());
/// assert_eq!(values, [1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Order<T: Scalar>: Bound<T> {
    /// Converts keys to kernel values, as [`Kernel::block`](crate::Kernel::block) computes them, up
    /// to rounding.
    fn values(&self, keys: &mut [T], scratch: &mut Scratch<T>);

    /// Lower and upper bounds on δ(x, y), where keys are −δ² up to rounding, and δ is a metric:
    /// what a search by the triangle inequality needs. The default is `None`.
    ///
    /// Both bounds decrease as the key increases. The distances of this library have bounds, with a
    /// relative error of δ² of at most d + 8 round-offs in dimension d, or 16(d + 8) where they are
    /// computed from inner products.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, SearchOrder, kernels::Rbf};
    /// let x = Samples::<f64>::from_rows(&[[0.0], [3.0]])?;
    /// let kernel = Rbf::new(0.5)?;
    /// let order = kernel.order(&x, &x).ok_or("it has one")?;
    /// let [smallest, most] = order.metric(-9.0).ok_or("it is Euclidean")?;
    /// assert!(smallest <= 3.0 && 3.0 <= most && most - smallest < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn metric(&self, key: T) -> Option<[f64; 2]> {
        let _ = key;
        None
    }
}

/// A distance of dense samples that is a sum over the coordinates and the square of a metric.
pub(crate) trait Distance<T: Scalar> {
    /// The distances of the pairs of a tile. All of them pass through `finish`, one column or one
    /// row at a time.
    fn fill(
        &self,
        tile: &Tile<'_, Samples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        finish: &mut dyn FnMut(&mut [T]),
    );

    /// A bound on the relative error in dimension `dim`, in units of u.
    fn relative_error(&self, dim: usize) -> f64 {
        dim as f64 + 8.0
    }
}

impl<T: Scalar, F: Term> Distance<T> for F {
    fn fill(
        &self,
        tile: &Tile<'_, Samples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        finish: &mut dyn FnMut(&mut [T]),
    ) {
        fold_coordinates(tile, out, scratch, *self, finish);
    }
}

/// The order by such a distance.
pub(crate) struct ByDistance<'a, T: Scalar, F, V> {
    pub(crate) a: &'a Samples<T>,
    pub(crate) b: &'a Samples<T>,
    pub(crate) distance: F,
    /// Maps distances to kernel values, with a buffer of the same length.
    pub(crate) profile: V,
}

impl<T, F, V> Bound<T> for ByDistance<'_, T, F, V>
where
    T: Scalar,
    F: Distance<T> + Send + Sync,
    V: Fn(&mut [T], &mut [T]) + Send + Sync,
{
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let tile = Tile::new(self.a, rows, self.b, cols);
        self.distance.fill(&tile, out, scratch, &mut negate);
    }
}

impl<T, F, V> Order<T> for ByDistance<'_, T, F, V>
where
    T: Scalar,
    F: Distance<T> + Send + Sync,
    V: Fn(&mut [T], &mut [T]) + Send + Sync,
{
    fn values(&self, keys: &mut [T], scratch: &mut Scratch<T>) {
        negate(keys);
        let mut buffer = scratch.take(keys.len());
        (self.profile)(keys, &mut buffer);
        scratch.give(buffer);
    }

    /// The distances that are squares of metrics are the conditionally negative definite ones
    /// (Schoenberg 1938), for which exp(−γ·distance) is a kernel for all γ > 0.
    fn metric(&self, key: T) -> Option<[f64; 2]> {
        let dim = self.a.dim() as f64;
        let squared = -key.to_f64();
        // Each term may lose the smallest normal number to underflow.
        let relative = self.distance.relative_error(self.a.dim()) * T::UNIT_ROUNDOFF;
        let error = relative * squared + dim * T::MIN_POSITIVE.to_f64();
        let root = |squared: f64| squared.max(0.0).sqrt();
        let rounded = 2.0 * f64::UNIT_ROUNDOFF;
        Some([root(squared - error) * (1.0 - rounded), root(squared + error) * (1.0 + rounded)])
    }
}

/// v ← −v. Baseline instructions suffice: the loop is bound by memory.
fn negate<T: Scalar>(v: &mut [T]) {
    v.iter_mut().for_each(|v| *v = -*v);
}

/// The largest |coordinate| of both collections.
pub(crate) fn reach<T: Scalar>(a: &Samples<T>, b: &Samples<T>) -> f64 {
    a.magnitude().to_f64().max(b.magnitude().to_f64())
}

/// The order of a closure rule that applies a non-decreasing function to the values of its inner
/// kernel.
pub(crate) struct Mapped<'a, T: Scalar, F> {
    pub(crate) inner: Box<dyn Order<T> + 'a>,
    pub(crate) apply: F,
}

impl<T: Scalar, F: Send + Sync> Bound<T> for Mapped<'_, T, F> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.inner.block(rows, cols, out, scratch);
    }
}

impl<T: Scalar, F: Fn(MatMut<'_, T>) + Send + Sync> Order<T> for Mapped<'_, T, F> {
    fn values(&self, keys: &mut [T], scratch: &mut Scratch<T>) {
        self.inner.values(keys, scratch);
        let rows = keys.len();
        (self.apply)(MatMut::from_column_major_slice_mut(keys, rows, 1));
    }

    fn metric(&self, key: T) -> Option<[f64; 2]> {
        self.inner.metric(key)
    }
}
