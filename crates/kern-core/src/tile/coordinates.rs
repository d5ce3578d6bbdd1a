//! Sums (or products) over the coordinates of a tile of dense samples: inner products, L1
//! distances, squared differences, and all kernels without a matrix-product form.
//!
//! The terms of every pair are accumulated from the first coordinate to the last in one fixed
//! order, so the result depends neither on the tile, nor on the processor, nor on the order of the
//! two samples.

use super::{Product, Scratch, Term, Tile};
use crate::products::{Layout, Operands, Sum};
use crate::simd::lanes::Number;
use crate::{Samples, Scalar};
use faer::{MatMut, MatRef};
use std::ops::Range;

/// `out[(i, j)]` = the terms of a_i and b_j, accumulated over the coordinates. All entries pass
/// through `finish`, one column or, if that is faster, one row at a time, while they are in the
/// first-level cache.
pub(crate) fn fold_coordinates<T: Scalar, F: Term>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: &mut dyn FnMut(&mut [T]),
) {
    tile.turned_if_faster(out, |tile, out| {
        fold_columns(tile, out, scratch, term, &mut |_, column| finish(column));
    });
}

/// The same by columns: each passes through `finish(j, column)`.
pub(super) fn fold_columns<T: Scalar, F: Term>(
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
    let operands =
        Operands { layout: tile.a().layout(tile.rows()), ..operands(dim, rows, columns) };
    term.fold(operands, out, scratch, finish);
}

/// Two contiguous lists of samples of dimension `dim`.
pub(super) fn operands<'a, T: Scalar>(
    dim: usize,
    rows: &'a [T],
    columns: &'a [T],
) -> Operands<'a, T> {
    let points = |values: &'a [T]| MatRef::from_column_major_slice(values, dim, values.len() / dim);
    let (rows, columns, layout) = (points(rows), points(columns), Layout::Unpacked);
    Operands { rows, columns, factor: T::ONE, layout, sum: Sum::Chain, triangle: None }
}

/// `out[(i, j)] = ⟨a_i, b_j⟩`.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 2·m·n·d flops; m·d values of scratch memory.
///
/// # Numerics
/// |error| ≤ d·u·Σₖ|a_ik·b_jk|. An entry has the same bits in every tile, and if the samples are
/// exchanged.
///
/// # Examples
/// ```
/// use kern_core::{Samples, Scratch, Tile, faer::Mat, tile};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?;
/// let mut out = Mat::zeros(2, 2);
/// tile::dot(&Tile::new(&x, 0..2, &x, 0..2), out.as_mut(), &mut Scratch::new());
/// assert_eq!(out[(0, 1)], 11.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn dot<T: Scalar>(tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
    fold_coordinates(tile, out, scratch, Product, &mut |_| {});
}

/// `out[(i, j)] = ‖a_i − b_j‖₁`.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 3·m·n·d flops; m·d values of scratch memory.
///
/// # Numerics
/// |error| ≤ d·u·‖a_i − b_j‖₁: differences are taken first, so there is no cancellation.
///
/// # Examples
/// ```
/// use kern_core::{Samples, Scratch, Tile, faer::Mat, tile};
/// let x = Samples::from_rows(&[[1.0, 2.0], [4.0, -2.0]])?;
/// let mut out = Mat::zeros(2, 2);
/// tile::l1_distance(&Tile::new(&x, 0..2, &x, 0..2), out.as_mut(), &mut Scratch::new());
/// assert_eq!(out[(0, 1)], 7.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn l1_distance<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
) {
    fold_coordinates(tile, out, scratch, Magnitude, &mut |_| {});
}

/// |x − y|.
#[derive(Clone, Copy)]
pub(crate) struct Magnitude;

impl Term for Magnitude {
    crate::products::compiled_loops!(Magnitude);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        (x - y).magnitude()
    }
}
