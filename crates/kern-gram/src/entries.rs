//! Kernel values of which neither the kernel nor the points are known: loops over tiles are compiled once for each precision, and
//! not for every kernel and kind of points (`docs/decisions/compile-time.md`).

use faer::{MatMut, MatRef};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch};
use std::ops::Range;

/// A kernel that is bound to two collections.
pub(crate) trait Entries<T: Scalar>: Sync {
    /// [`Binding::block`].
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    );

    /// [`Binding::diag`].
    fn diag(&self, i: usize) -> T;

    /// [`Binding::is_pointwise`].
    fn is_pointwise(&self) -> bool;

    /// Tells whether values are computed one by one, each from its own two points.
    fn are_by_pairs(&self) -> bool;
}

impl<T, P, K> Entries<T> for Binding<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T> + ?Sized,
    K: Kernel<P> + ?Sized,
{
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        Binding::block(self, rows, cols, out, scratch);
    }

    fn diag(&self, i: usize) -> T {
        Binding::diag(self, i)
    }

    fn is_pointwise(&self) -> bool {
        Binding::is_pointwise(self)
    }

    fn are_by_pairs(&self) -> bool {
        Binding::is_pointwise(self) && self.entries_are_local()
    }
}

impl<T: Scalar> dyn Entries<T> + '_ {
    /// A tile in a scratch buffer, for `f` to use.
    pub(crate) fn with_block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        scratch: &mut Scratch<T>,
        f: impl FnOnce(MatRef<'_, T>),
    ) {
        scratch.with_matrix(rows.len(), cols.len(), |mut out, scratch| {
            self.block(rows, cols, out.as_mut(), scratch);
            f(out.as_ref());
        });
    }
}
