//! Sums (or products) over the coordinates of a tile of dense samples: squared differences, inner
//! products, and all that has no matrix-product form.
//!
//! Every pair is worked off from the first coordinate to the last in one fixed order, so its result
//! depends neither on the tile that it lies in, nor on the processor, nor on the order of the two
//! samples.

use super::micro::{self, COLUMNS};
use super::panels::Panels;
use super::{Scratch, Tile};
use crate::simd::arch;
use crate::simd::lanes::Number;
use crate::{Samples, Scalar};
use faer::{ColMut, MatMut};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The contribution of one coordinate to a kernel value, and the way contributions are joined.
///
/// A trait on a struct rather than a closure: `#[inline(always)]` methods are certain to become
/// part of the vectorised loop. Implement them with that attribute.
pub(crate) trait Term: Copy {
    /// The value of no coordinates.
    const START: f64 = 0.0;

    /// The part of one coordinate.
    fn of<N: Number>(self, x: N, y: N) -> N;

    /// `sum` joined with the part of coordinate `k`: their sum, unless a term says otherwise.
    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, k: usize) -> N {
        let _ = k;
        sum + self.of(x, y)
    }
}

/// Coordinates that are joined before the next ones are begun: the packed rows of a tile, 256 × 256
/// doubles, then take half of a second-level cache. Partial results are exact, so this has no
/// influence on the result.
const DEPTH: usize = 256;

/// The terms of all coordinates of one pair, joined in double precision: the definition. For samples
/// in double precision it is, to the bit, the entry of a tile.
pub(crate) fn fold_pair<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> f64 {
    arch().dispatch(FoldPair { x, y, term, zero: 0.0_f64 })
}

/// The entry of a tile that belongs to one pair, to the bit.
pub(crate) fn fold_entry<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> T {
    let value = if size_of::<T>() == size_of::<f32>() {
        f64::from(arch().dispatch(FoldPair { x, y, term, zero: 0.0_f32 }))
    } else {
        fold_pair(x, y, term)
    };
    T::from_f64(value)
}

/// One pair, joined in numbers like `zero`.
struct FoldPair<'a, T, F, N> {
    x: &'a [T],
    y: &'a [T],
    term: F,
    zero: N,
}

impl<T: Scalar, F: Term, N: Number> WithSimd for FoldPair<'_, T, F, N> {
    type Output = N;

    /// Number by number, since every sum waits for the one before; the instruction set has the fused
    /// multiply-add, which is a function call elsewhere.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> N {
        let mut sum = self.zero.constant(F::START);
        for (k, (x, y)) in self.x.iter().zip(self.y).enumerate() {
            let (x, y) = (self.zero.constant(x.to_f64()), self.zero.constant(y.to_f64()));
            sum = self.term.join(sum, x, y, k);
        }
        sum
    }
}

/// `out[(i, j)]` = the terms of a_i and b_j, joined over the coordinates. Each column passes through
/// `finish(j, column)` while it is in the first-level cache, on its way to `out`.
pub(crate) fn fold_coordinates<T: Scalar, F: Term>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: impl FnMut(usize, &mut [T]),
) {
    tile.assert_shape(&out);
    let dim = tile.b().dim();
    let part = |x: &Range<usize>| x.start * dim..x.end * dim;
    let rows = &tile.a().as_slice()[part(&tile.rows())];
    let columns = &tile.b().as_slice()[part(&tile.cols())];
    fold_packed((dim, rows, columns), out, scratch, term, finish);
}

/// [`fold_coordinates`] of two lists of samples of dimension `dim`, one after the other.
pub(super) fn fold_packed<T: Scalar, F: Term>(
    (dim, rows, columns): (usize, &[T], &[T]),
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    mut finish: impl FnMut(usize, &mut [T]),
) {
    let (m, n) = out.shape();
    if m == 0 || n == 0 {
        return;
    }
    let rows = Panels::new(rows, dim, DEPTH, scratch);
    let fits = dim <= DEPTH && rows.padded_len() == m && out.row_stride() == 1;
    let (now, later) = out.split_at_col_mut(if fits { n - n % COLUMNS } else { 0 });
    let (first, rest) = columns.split_at(now.ncols() * dim);
    let begin = now.ncols();
    fold_in_place((&rows, term), (dim, first), now, &mut finish);
    fold_aside((&rows, term), (dim, rest), later, scratch, |j, column| finish(begin + j, column));
    rows.give_back(scratch);
}

/// Whole groups of columns, the results of which fill the columns of `out` to the end.
fn fold_in_place<T: Scalar, F: Term>(
    (rows, term): (&Panels<T>, F),
    (dim, columns): (usize, &[T]),
    mut out: MatMut<'_, T>,
    mut finish: impl FnMut(usize, &mut [T]),
) {
    for (g, columns) in columns.chunks_exact(COLUMNS * dim).enumerate() {
        let y = |c: usize| &columns[c * dim..][..dim];
        let mut sums = slices(out.as_mut().subcols_mut(g * COLUMNS, COLUMNS));
        micro::fold(rows, 0..dim, [y(0), y(1), y(2), y(3)], &mut sums, term);
        for (c, column) in sums.into_iter().enumerate() {
            finish(g * COLUMNS + c, column);
        }
    }
}

/// Any columns, the results of which have a place of their own until they are complete.
fn fold_aside<T: Scalar, F: Term>(
    (rows, term): (&Panels<T>, F),
    (dim, columns): (usize, &[T]),
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    mut finish: impl FnMut(usize, &mut [T]),
) {
    let (m, n) = out.shape();
    let stride = rows.padded_len();
    // With more blocks of coordinates than one, partial results of the whole tile are kept.
    let groups = if dim <= DEPTH { n.min(1) } else { n.div_ceil(COLUMNS) };
    let mut partial = scratch.take(groups * COLUMNS * stride);
    for start in (0..dim).step_by(DEPTH) {
        let depth = start..dim.min(start + DEPTH);
        for (g, j) in (0..n).step_by(COLUMNS).enumerate() {
            let partial = &mut partial[g % groups * COLUMNS * stride..][..COLUMNS * stride];
            // A last group of fewer columns repeats its last one.
            let y = |c: usize| &columns[(j + c).min(n - 1) * dim..][depth.clone()];
            let group = MatMut::from_column_major_slice_mut(partial, stride, COLUMNS);
            let y = [y(0), y(1), y(2), y(3)];
            micro::fold(rows, depth.clone(), y, &mut slices(group), term);
            if depth.end == dim {
                for (c, column) in partial.chunks_mut(stride).take(n - j).enumerate() {
                    let column = &mut column[..m];
                    finish(j + c, column);
                    write(column, out.as_mut().col_mut(j + c));
                }
            }
        }
    }
    scratch.give(partial);
}

/// The columns, which are contiguous.
fn slices<T: Scalar>(columns: MatMut<'_, T>) -> [&mut [T]; COLUMNS] {
    let mut columns = columns.col_iter_mut().filter_map(ColMut::try_as_col_major_mut);
    std::array::from_fn(|_| columns.next().map_or(&mut [][..], |column| column.as_slice_mut()))
}

fn write<T: Scalar>(column: &[T], mut out: ColMut<'_, T>) {
    match out.as_mut().try_as_col_major_mut() {
        Some(contiguous) => contiguous.as_slice_mut().copy_from_slice(column),
        None => column.iter().enumerate().for_each(|(i, &v)| out[i] = v),
    }
}
