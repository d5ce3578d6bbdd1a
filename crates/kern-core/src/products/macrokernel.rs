//! The macro-kernel: all terms of a rectangle of pairs, block by block around the micro-kernel.

use super::microkernel::{self, Block, NARROW, Old, Rows, WIDE, height};
use super::packing::{DEPTH, lined_up, pack, rows_of};
use super::term::Term;
use crate::simd::transpose::EDGE;
use crate::simd::{Scalar, Scratch};
use faer::{MatMut, MatRef};
use std::ops::Range;

/// The ways to add up an entry.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sum {
    /// One chain over all coordinates; the cut into blocks of them has no influence on the result.
    Chain,
    /// The sum of a chain for each block of coordinates.
    Blocks,
    /// The old value, and what [`Blocks`](Sum::Blocks) adds up to it.
    Added,
    /// The old value less that: a product with −1 of which no operand has to be copied to change its sign.
    Subtracted,
}

impl Sum {
    /// The fate of the old numbers in the first block of coordinates, or in a later one.
    fn old(self, is_first: bool) -> Old {
        match (self, is_first) {
            (Self::Added, _) | (Self::Blocks, false) => Old::Added,
            (Self::Subtracted, _) => Old::Subtracted,
            (Self::Chain, false) => Old::Continued,
            (_, true) => Old::Overwritten,
        }
    }
}

/// Two lists of points, each coordinates × points.
#[derive(Clone, Copy)]
pub(crate) struct Operands<'a, T> {
    /// The points of the rows of the result.
    pub(crate) rows: MatRef<'a, T>,
    /// The points of its columns.
    pub(crate) columns: MatRef<'a, T>,
    /// The factor of the columns.
    pub(crate) factor: T,
    /// True if the rows are not packed: they come in whole panels, and lie side by side for each coordinate.
    pub(crate) lying: bool,
    /// The sum that an entry is.
    pub(crate) sum: Sum,
    /// For columns of a lower triangle that are added or subtracted, the number of the first one: the zeros above the diagonal are not
    /// multiplied.
    pub(crate) triangle: Option<usize>,
}

/// `out[(i, j)]` = the terms of row i and column j, joined over the coordinates.
/// Each column passes through `finish(j, column)` while it is in the first-level cache: a trait object, for which the loops are
/// compiled once and not for each kernel.
///
/// The rows of the result that are not side by side, and pieces of panels, are worked on aside, in `scratch`.
///
/// It is compiled where it is called: by each [`Term`].
pub(crate) fn fold<T: Scalar, F: Term>(
    operands: Operands<'_, T>,
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    let Operands { rows, columns, factor, lying, sum, triangle } = operands;
    // The register kernel of other terms has panels only.
    let lying = lying && F::OF_MATRICES;
    let (dim, height) = (rows.nrows(), height::<T>());
    let (m, n) = out.shape();
    if m == 0 || n == 0 || dim == 0 {
        return;
    }
    let padded = m.next_multiple_of(height);
    let depth = dim.min(DEPTH);
    let mut panels = scratch.take(if lying { 0 } else { padded * depth });
    let mut group = scratch.take(EDGE * depth);
    let mut aside = scratch.take(WIDE * padded);
    for start in (0..dim).step_by(DEPTH) {
        let depth = DEPTH.min(dim - start);
        let some = rows.subrows(start, depth);
        let side_by_side;
        let packed = if lying {
            side_by_side = rows_of(some);
            Rows::Lying(&side_by_side[..depth])
        } else {
            let panels = &mut panels[..padded * depth];
            pack(some, height, panels);
            Rows::Packed(panels)
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
    // The first buffer that is taken next time is the largest.
    [aside, group, panels].into_iter().for_each(|buffer| scratch.give(buffer));
}

/// Groups of columns with their widths: wide ones, then narrow ones. One or two columns that wide groups leave over are
/// joined with the last of these to two narrow ones, which compute less in vain.
fn groups(n: usize, wide: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
    let rest = n % wide;
    let is_joined = n > wide && rest > 0 && wide + rest <= 2 * NARROW;
    let whole = if is_joined { n - rest - wide } else { n - rest };
    let wide = (0..whole).step_by(wide).map(move |j| (j..j + wide, wide));
    wide.chain((whole..n).step_by(NARROW).map(move |j| (j..n.min(j + NARROW), NARROW)))
}

/// The columns of a group: those of the result themselves if the register kernel can write there.
struct Place<'a, T> {
    cols: Range<usize>,
    width: usize,
    aside: &'a mut [T],
    padded: usize,
}

impl<T: Scalar> Place<'_, T> {
    /// Lends the columns to `f`; those that lie aside are copied there before if `go_on`, and back after.
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
