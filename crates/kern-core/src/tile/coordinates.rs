//! Sums (or products) over the coordinates of a tile of dense samples: squared differences, inner
//! products, and all that has no matrix-product form.
//!
//! Every pair is worked off from the first coordinate to the last in one fixed order, so its result
//! depends neither on the tile that it lies in, nor on the processor, nor on the order of the two
//! samples.

use super::{Scratch, Term, Tile};
use crate::products::{Operands, Sum};
use crate::{Samples, Scalar};
use faer::{MatMut, MatRef};
use std::ops::Range;

/// `out[(i, j)]` = the terms of a_i and b_j, joined over the coordinates. Each column passes through
/// `finish(j, column)` while it is in the first-level cache, on its way to `out`.
pub(crate) fn fold_coordinates<T: Scalar, F: Term>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    tile.assert_shape(&out);
    let dim = tile.b().dim();
    let part = |x: &Range<usize>| x.start * dim..x.end * dim;
    let rows = &tile.a().as_slice()[part(&tile.rows())];
    let columns = &tile.b().as_slice()[part(&tile.cols())];
    fold_packed((dim, rows, columns), out, scratch, term, finish);
}

/// [`fold_coordinates`] of two lists of samples of dimension `dim`, one after the other.
pub(super) fn fold_packed<'a, T: Scalar, F: Term>(
    (dim, rows, columns): (usize, &'a [T], &'a [T]),
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    let points = |values: &'a [T]| MatRef::from_column_major_slice(values, dim, values.len() / dim);
    let (rows, columns) = (points(rows), points(columns));
    let operands =
        Operands { rows, columns, factor: T::ONE, lying: false, sum: Sum::Chain, triangle: None };
    term.fold(operands, out, scratch, finish);
}
