//! Type-erased kernel values: loops over tiles are compiled once for each precision, and not for
//! every kernel and type of points (`docs/decisions/compile-time.md`). Diagonal tiles compute each
//! pair once.
//!
//! For the layers above; not part of the stable interface.

use faer::{MatMut, MatRef};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch, compiled_once, tile};
use std::ops::Range;

/// A kernel bound to two collections.
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

    /// Returns true if values are computed one by one, each from its own two points.
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
    /// Computes a tile in a scratch buffer and passes it to `f`.
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

/// Fills the values below the diagonal of a diagonal tile, each pair once; the rest of `out` is
/// unchanged.
fn fill_below_diagonal<T: Scalar>(
    entries: &dyn Entries<T>,
    range: Range<usize>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
) {
    if range.len() < 2 {
        return;
    }
    // Recursive halving, so that work per row of a block is not repeated for each value.
    let half = range.len() / 2;
    let middle = range.start + half;
    let (upper, _, below, lower) = out.split_at_mut(half, half);
    entries.block(middle..range.end, range.start..middle, below, scratch);
    fill_below_diagonal(entries, range.start..middle, upper, scratch);
    fill_below_diagonal(entries, middle..range.end, lower, scratch);
}

/// Fills a diagonal tile, exactly symmetric: each pair once, where values are computed one by one.
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

/// Fills a diagonal tile, each pair once.
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

/// Copies the lower triangle to the upper one and sets the exact diagonal.
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

/// Edge of a tile that is mirrored entry by entry.
const CORNER: usize = 16;

/// Copies the values below the diagonal to their places above it, block by block, because the
/// columns of a large matrix compete for the same cache sets.
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
