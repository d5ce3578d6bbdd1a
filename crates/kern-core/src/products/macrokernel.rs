//! The macro-kernel (GEBP): all terms of a rectangle of pairs, cache block by cache block around
//! the micro-kernel.

use super::microkernel::{self, Block, NARROW, Old, Rows, SINGLE, WIDE, height};
use super::packing::{DEPTH, Panels, are_in_line, lined_up, pack, rows_of};
use super::term::Term;
use crate::simd::transpose::EDGE;
use crate::simd::{Scalar, Scratch};
use faer::{MatMut, MatRef};
use std::ops::Range;

/// The order in which the terms of an entry are summed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sum {
    /// One chain over all coordinates; cache blocking does not change the result.
    Chain,
    /// The sum of one chain per block of coordinates.
    Blocks,
    /// The old value plus what [`Blocks`](Sum::Blocks) would give.
    Added,
    /// The old value minus that: a product with α = −1 without negating an operand.
    Subtracted,
}

impl Sum {
    /// The use of the old values in the first block of coordinates, or in a later one.
    fn old(self, is_first: bool) -> Old {
        match (self, is_first) {
            (Self::Added, _) | (Self::Blocks, false) => Old::Added,
            (Self::Subtracted, _) => Old::Subtracted,
            (Self::Chain, false) => Old::Continued,
            (_, true) => Old::Overwritten,
        }
    }
}

/// Where the register kernel reads the rows of a product.
#[derive(Clone, Copy)]
pub(crate) enum Layout<'a, T> {
    /// In panels that are packed for this product.
    Unpacked,
    /// In place: the rows come in whole panels, and all rows of a coordinate are contiguous.
    Lying,
    /// In panels that were packed before.
    Panels(Panels<'a, T>),
}

/// The operands of a product: two lists of points, each coordinates × points.
#[derive(Clone, Copy)]
pub(crate) struct Operands<'a, T> {
    /// The points of the rows of the result.
    pub(crate) rows: MatRef<'a, T>,
    /// The points of its columns.
    pub(crate) columns: MatRef<'a, T>,
    /// The factor that the columns are scaled by.
    pub(crate) factor: T,
    /// How the register kernel finds the rows.
    pub(crate) layout: Layout<'a, T>,
    /// The order in which the terms of an entry are summed.
    pub(crate) sum: Sum,
    /// For the columns of a lower triangle that are added or subtracted: the index of the first
    /// column. Zeros above the diagonal are skipped.
    pub(crate) triangle: Option<usize>,
}

/// `out[(i, j)]` = the terms of row i and column j, summed over the coordinates. Each column passes
/// through `finish(j, column)` while it is in the first-level cache; `finish` is a trait object, so
/// that the loops are compiled once and not for each kernel.
///
/// Columns of `out` that are not contiguous, and incomplete panels, are computed in `scratch` and
/// copied.
///
/// The function is compiled for each [`Term`].
pub(crate) fn fold<T: Scalar, F: Term>(
    operands: Operands<'_, T>,
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    let Operands { rows, columns, factor, layout, sum, triangle } = operands;
    let (dim, height) = (rows.nrows(), height::<T>());
    let (m, n) = out.shape();
    if m == 0 || n == 0 || dim == 0 {
        return;
    }
    let padded = m.next_multiple_of(height);
    let depth = dim.min(DEPTH);
    let layout = match layout {
        // The register kernel of other terms reads packed panels only.
        Layout::Lying if !F::OF_MATRICES => Layout::Unpacked,
        layout => layout,
    };
    let is_packed = matches!(layout, Layout::Unpacked);
    let mut panels = scratch.take(if is_packed { padded * depth } else { 0 });
    let mut group = scratch.take(if are_in_line(columns, factor) { 0 } else { EDGE * depth });
    let mut aside = scratch.take(if n == 1 { SINGLE } else { WIDE } * padded);
    for start in (0..dim).step_by(DEPTH) {
        let depth = DEPTH.min(dim - start);
        let some = rows.subrows(start, depth);
        let side_by_side;
        let packed = match layout {
            Layout::Panels(packed) => Rows::Packed(packed.of_block(start, depth)),
            Layout::Lying => {
                side_by_side = rows_of(some);
                Rows::Lying(&side_by_side[..depth])
            }
            Layout::Unpacked => {
                let panels = &mut panels[..padded * depth];
                pack(some, height, panels);
                Rows::Packed(panels)
            }
        };
        let (last, old) = (start + depth == dim, sum.old(start == 0));
        for (cols, width) in groups(n, if F::LIGHT { WIDE } else { NARROW }) {
            let zeros = triangle.map_or(0, |first| (first + cols.start).saturating_sub(start));
            if zeros >= depth {
                continue;
            }
            let lined = lined_up(columns.subrows(start, depth), cols.clone(), factor, &mut group);
            let lined = &lined[..width];
            let block = Block { rows: packed, columns: lined, depth, zeros, first: start };
            let place = Place { cols: cols.clone(), width, aside: &mut aside, padded };
            place.with(out.as_mut(), old != Old::Overwritten, |sums| {
                microkernel::join(block, sums, old, term);
                if last {
                    let own = sums.iter_mut().zip(cols);
                    own.for_each(|(column, j)| finish(j, &mut column[..m]));
                }
            });
        }
    }
    // Buffers are returned in this order so that the next call takes the largest first.
    [aside, group, panels].into_iter().for_each(|buffer| scratch.give(buffer));
}

/// Groups of columns with their widths: wide groups first, then narrow ones. One or two leftover
/// columns are joined with the last wide group to two narrow ones, which wastes less work. A column
/// that is alone is a group of its own width.
fn groups(n: usize, wide: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
    let rest = n % wide;
    let is_joined = n > wide && rest > 0 && wide + rest <= 2 * NARROW;
    let whole = if is_joined { n - rest - wide } else { n - rest };
    let narrow = if n == 1 { SINGLE } else { NARROW };
    let wide = (0..whole).step_by(wide).map(move |j| (j..j + wide, wide));
    wide.chain((whole..n).step_by(narrow).map(move |j| (j..n.min(j + narrow), narrow)))
}

/// The columns of a group: those of the result if the register kernel can write there, else
/// buffers.
struct Place<'a, T> {
    cols: Range<usize>,
    width: usize,
    aside: &'a mut [T],
    padded: usize,
}

impl<T: Scalar> Place<'_, T> {
    /// Lends the columns to `f`. Buffered columns are copied in before if `go_on`, and back after.
    fn with(self, out: MatMut<'_, T>, go_on: bool, f: impl FnOnce(&mut [&mut [T]])) {
        let Self { cols, width, aside, padded } = self;
        let out = out.subcols_mut(cols.start, cols.len());
        let m = out.nrows();
        let mut places: [&mut [T]; WIDE] = std::array::from_fn(|_| &mut [][..]);
        if m == padded && cols.len() == width && out.row_stride() == 1 {
            for (place, column) in places.iter_mut().zip(out.col_iter_mut()) {
                *place = column.try_as_col_major_mut().map_or(&mut [], |c| c.as_slice_mut());
            }
            return f(&mut places[..width]);
        }
        for (place, column) in places.iter_mut().zip(aside.chunks_exact_mut(padded)) {
            *place = column;
        }
        let places = &mut places[..width];
        if go_on {
            for (place, column) in places.iter_mut().zip(out.as_ref().col_iter()) {
                match column.try_as_col_major() {
                    Some(column) => place[..m].copy_from_slice(column.as_slice()),
                    None => (0..m).for_each(|i| place[i] = column[i]),
                }
            }
        }
        f(places);
        for (place, mut column) in places.iter().zip(out.col_iter_mut()) {
            match column.as_mut().try_as_col_major_mut() {
                Some(column) => column.as_slice_mut().copy_from_slice(&place[..m]),
                None => (0..m).for_each(|i| column[i] = place[i]),
            }
        }
    }
}
