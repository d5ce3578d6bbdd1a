//! Tiles on the diagonal, each pair of them once.

use crate::entries::Entries;
use faer::MatMut;
use kern_core::{Binding, Kernel, Points, Scalar, Scratch, compiled_once, tile};
use std::ops::Range;

/// The values below the diagonal of a tile on it, each pair once: the others of `out` are left.
pub(crate) fn fill_below_diagonal<T: Scalar>(
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
