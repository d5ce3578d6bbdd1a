//! Kernel values of which neither the kernel nor the points are known: loops over tiles are compiled once for each
//! precision, and not for every kernel and kind of points (`docs/decisions/compile-time.md`). Tiles on the diagonal
//! have each pair once.

use faer::{MatMut, MatRef};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch, compiled_once, tile};
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

/// The values below the diagonal of a tile on it, each pair once: the others of `out` are left.
fn fill_below_diagonal<T: Scalar>(
    entries: &dyn Entries<T>,
    range: Range<usize>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
) {
    if range.len() < 2 {
        return;
    }
    // Halves of halves, so that what is done once per row of a block is not done once per value.
    let half = range.len() / 2;
    let middle = range.start + half;
    let (upper, _, below, lower) = out.split_at_mut(half, half);
    entries.block(middle..range.end, range.start..middle, below, scratch);
    fill_below_diagonal(entries, range.start..middle, upper, scratch);
    fill_below_diagonal(entries, middle..range.end, lower, scratch);
}

/// A tile on the diagonal, exactly symmetric: each pair once, where values are computed one by one.
///
/// # Panics
/// If `out` is not square with the edge of the range.
pub fn fill_diagonal<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    binding: &Binding<'_, K, P>,
    range: Range<usize>,
    mut out: MatMut<'_, P::Scalar>,
    scratch: &mut Scratch<P::Scalar>,
) {
    if binding.is_pointwise() {
        fill_diagonal_tile(binding, range, out, scratch);
    } else {
        binding.block(range.clone(), range.clone(), out.as_mut(), scratch);
        finish_diagonal_tile(binding, range.start, out);
    }
}

/// A tile on the diagonal, each pair once.
#[compiled_once]
pub(crate) fn fill_diagonal_tile<T: Scalar>(
    entries: &dyn Entries<T>,
    range: Range<usize>,
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
) {
    fill_below_diagonal(entries, range.clone(), out.as_mut(), scratch);
    finish_diagonal_tile(entries, range.start, out);
}

/// Mirrors the lower triangle and puts the exact diagonal in place.
pub(crate) fn finish_diagonal_tile<T: Scalar>(
    entries: &dyn Entries<T>,
    start: usize,
    mut out: MatMut<'_, T>,
) {
    for j in 0..out.ncols() {
        out[(j, j)] = entries.diag(start + j);
    }
    mirror(out);
}

/// Edge of a tile that is mirrored number by number.
const CORNER: usize = 16;

/// The values below the diagonal take their places above it, block by block: the columns of a large matrix compete for the same
/// places of the cache.
fn mirror<T: Scalar>(mut out: MatMut<'_, T>) {
    let n = out.ncols();
    if n <= CORNER {
        for j in 0..n {
            for i in j + 1..n {
                out[(j, i)] = out[(i, j)];
            }
        }
        return;
    }
    // Whole blocks of a transpose.
    let half = (n / 2).next_multiple_of(CORNER);
    let (upper, above, below, lower) = out.split_at_mut(half, half);
    tile::transpose(below.as_ref(), above);
    mirror(upper);
    mirror(lower);
}
