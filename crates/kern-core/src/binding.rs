//! A kernel bound to two collections of points, so that some work is done once per collection
//! instead of once per tile.

pub(crate) use crate::tile::Bound;
use crate::{Kernel, Points, Prepared, Scalar, Scratch, Tile};
use faer::{MatMut, MatRef};
use std::fmt;
use std::ops::Range;

/// A kernel and two collections, bound where the kernel supports it: computes blocks of kernel
/// values.
///
/// # Examples
/// ```
/// use kern_core::{Binding, Samples, Scratch, faer::Mat, kernels::Linear};
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
/// let mut out = Mat::zeros(1, 2);
/// Binding::new(&Linear, &x, &x).block(2..3, 0..2, out.as_mut(), &mut Scratch::new());
/// assert_eq!(out[(0, 1)], 6.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub struct Binding<'a, K: ?Sized, P: Points + ?Sized> {
    kernel: &'a K,
    a: &'a P,
    b: &'a P,
    bound: Option<Box<dyn Bound<P::Scalar> + 'a>>,
}

impl<'a, P: Points + ?Sized, K: Kernel<P> + ?Sized> Binding<'a, K, P> {
    /// Binds `kernel` to the rows `a` and the columns `b`.
    pub fn new(kernel: &'a K, a: &'a P, b: &'a P) -> Self {
        Self::prepared(kernel, a, b, None)
    }

    /// As [`new`](Self::new), with what [`Kernel::prepare`] returned for `b`.
    pub fn prepared(kernel: &'a K, a: &'a P, b: &'a P, prepared: Option<&'a Prepared>) -> Self {
        Self { kernel, a, b, bound: kernel.bind(a, b, prepared) }
    }

    /// Whether the kernel precomputed something per collection.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.bound.is_some()
    }

    /// `out[(i, j)] = K(a_{rows.start + i}, b_{cols.start + j})`.
    ///
    /// # Panics
    /// If `out` is not `rows.len()` × `cols.len()`, or a range is out of bounds.
    pub fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        match &self.bound {
            Some(bound) => bound.block(rows, cols, out, scratch),
            None => self.kernel.block(&Tile::new(self.a, rows, self.b, cols), out, scratch),
        }
    }

    /// K(a_i, a_i), bit for bit the value of [`Kernel::diag`].
    #[must_use]
    pub fn diag(&self, i: usize) -> P::Scalar {
        let known = self.bound.as_ref().and_then(|bound| bound.diag(i));
        known.unwrap_or_else(|| self.kernel.diag(self.a, i))
    }

    /// Whether the entries of a block are computed one by one: [`Kernel::is_pointwise`].
    #[must_use]
    pub fn is_pointwise(&self) -> bool {
        self.kernel.is_pointwise()
    }

    /// Whether an entry depends on its own two points only: [`Points::entries_are_local`].
    #[must_use]
    pub fn entries_are_local(&self) -> bool {
        self.a.entries_are_local()
    }

    /// Computes a tile in a scratch buffer and passes it to `f`.
    pub fn with_block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
        f: impl FnOnce(MatRef<'_, P::Scalar>),
    ) {
        scratch.with_matrix(rows.len(), cols.len(), |mut out, scratch| {
            self.block(rows, cols, out.as_mut(), scratch);
            f(out.as_ref());
        });
    }
}

impl<K: ?Sized, P: Points + ?Sized> fmt::Debug for Binding<'_, K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binding").field("bound", &self.bound.is_some()).finish_non_exhaustive()
    }
}

/// Two bound parts and the operation that combines their blocks.
struct Pair<'a, A: ?Sized, B: ?Sized, P: Points + ?Sized, F> {
    left: Binding<'a, A, P>,
    right: Binding<'a, B, P>,
    combine: F,
}

impl<T, P, A, B, F> Bound<T> for Pair<'_, A, B, P, F>
where
    T: Scalar,
    P: Points<Scalar = T> + ?Sized,
    A: Kernel<P> + ?Sized,
    B: Kernel<P> + ?Sized,
    F: Fn(MatMut<'_, T>, MatRef<'_, T>) + Send + Sync,
{
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.left.block(rows.clone(), cols.clone(), out.as_mut(), scratch);
        self.right.with_block(rows, cols, scratch, |right| (self.combine)(out, right));
    }

    fn diag(&self, i: usize) -> Option<T> {
        let (mut left, right) = ([self.left.diag(i)], [self.right.diag(i)]);
        (self.combine)(single_mut(&mut left), MatRef::from_column_major_slice(&right, 1, 1));
        Some(left[0])
    }
}

/// The binding of a closure rule on two kernels: bound if either part is.
pub(crate) fn pair<'a, T, P, A, B, F>(
    left: &'a A,
    right: &'a B,
    a: &'a P,
    b: &'a P,
    prepared: Option<&'a Prepared>,
    combine: F,
) -> Option<Box<dyn Bound<T> + 'a>>
where
    T: Scalar,
    P: Points<Scalar = T> + ?Sized,
    A: Kernel<P> + ?Sized,
    B: Kernel<P> + ?Sized,
    F: Fn(MatMut<'_, T>, MatRef<'_, T>) + Send + Sync + 'a,
{
    let part = |i| prepared.and_then(|prepared| prepared.part(i));
    let left = Binding::prepared(left, a, b, part(0));
    let right = Binding::prepared(right, a, b, part(1));
    (left.is_bound() || right.is_bound()).then(|| Box::new(Pair { left, right, combine }) as _)
}

/// A bound part and an operation on its blocks, which receives the rows and columns of the tile.
struct Map<'a, T: Scalar, F> {
    inner: Box<dyn Bound<T> + 'a>,
    apply: F,
}

impl<T: Scalar, F> Bound<T> for Map<'_, T, F>
where
    F: Fn(Range<usize>, Range<usize>, MatMut<'_, T>) + Send + Sync,
{
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.inner.block(rows.clone(), cols.clone(), out.as_mut(), scratch);
        (self.apply)(rows, cols, out);
    }

    fn diag(&self, i: usize) -> Option<T> {
        let mut value = [self.inner.diag(i)?];
        (self.apply)(i..i + 1, i..i + 1, single_mut(&mut value));
        Some(value[0])
    }
}

/// A scalar as a 1 × 1 matrix, for operations on blocks.
fn single_mut<T>(value: &mut [T; 1]) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_mut(value, 1, 1)
}

/// The binding of a closure rule on one kernel: bound if that kernel is.
pub(crate) fn map<'a, T, P, K, F>(
    kernel: &'a K,
    a: &'a P,
    b: &'a P,
    prepared: Option<&'a Prepared>,
    apply: F,
) -> Option<Box<dyn Bound<T> + 'a>>
where
    T: Scalar,
    P: Points<Scalar = T> + ?Sized,
    K: Kernel<P> + ?Sized,
    F: Fn(Range<usize>, Range<usize>, MatMut<'_, T>) + Send + Sync + 'a,
{
    kernel.bind(a, b, prepared).map(|inner| Box::new(Map { inner, apply }) as _)
}
