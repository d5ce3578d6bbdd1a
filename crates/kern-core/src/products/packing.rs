//! Packing: operands are copied to the order in which the register kernel reads them.

use super::microkernel::{WIDE, height};
use super::transpose;
use crate::memory::zero_buffer;
use crate::simd::transpose::EDGE;
use crate::simd::{Buffer, Scalar};
use faer::{MatMut, MatRef, RowRef};
use std::ops::Range;

/// Coordinates per cache block. The packed rows of a tile, 256 × 256 doubles, then take half of the
/// second-level cache.
pub(super) const DEPTH: usize = 256;

/// Packs the columns of `from` (coordinates × points) in pieces of `height` points, each piece
/// coordinate by coordinate; the last one is padded with zeros. `to` has the length of all pieces.
pub(super) fn pack<T: Scalar>(from: MatRef<'_, T>, height: usize, to: &mut [T]) {
    let (depth, points) = from.shape();
    let pieces = to.chunks_exact_mut(height * depth);
    for (start, piece) in (0..points).step_by(height).zip(pieces) {
        let some = from.subcols(start, height.min(points - start));
        if some.ncols() < height {
            piece.fill(T::ZERO);
        }
        if some.col_stride() == 1 {
            copy(some, height, piece);
        } else {
            let piece = MatMut::from_column_major_slice_mut(piece, height, depth);
            transpose(some, piece.subrows_mut(0, some.ncols()));
        }
    }
}

/// Points packed once and for all, for products with few other points: without them, packing takes
/// most of the time.
#[derive(Debug)]
pub(crate) struct PackedPoints<T> {
    /// The panels of the first [`DEPTH`] coordinates, then those of the next.
    values: Buffer<T>,
    /// The number of points, padded to whole panels.
    padded: usize,
    /// Points per panel. In tests the instruction set changes, and this number with it.
    height: usize,
}

impl<T: Scalar> PackedPoints<T> {
    /// Packs the columns of `points` (coordinates × points); none if the memory is refused.
    pub(crate) fn new(points: MatRef<'_, T>) -> Option<Self> {
        let (dim, n) = points.shape();
        let height = height::<T>();
        let padded = n.next_multiple_of(height);
        let mut values = zero_buffer(padded.saturating_mul(dim)).ok()?;
        for start in (0..dim).step_by(DEPTH) {
            let depth = DEPTH.min(dim - start);
            let block = &mut values[padded * start..][..padded * depth];
            pack(points.subrows(start, depth), height, block);
        }
        Some(Self { values, padded, height })
    }

    /// The panels of these points, if a panel begins with the first of them.
    pub(crate) fn panels(&self, points: Range<usize>) -> Option<Panels<'_, T>> {
        let is_whole = self.height == height::<T>() && points.start.is_multiple_of(self.height);
        is_whole.then_some(Panels { all: self, first: points.start, count: points.len() })
    }
}

/// The panels of some points among all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panels<'a, T> {
    all: &'a PackedPoints<T>,
    first: usize,
    count: usize,
}

impl<'a, T> Panels<'a, T> {
    /// Their part in the block of coordinates that begins at `start`.
    pub(super) fn of_block(&self, start: usize, depth: usize) -> &'a [T] {
        let PackedPoints { values, padded, height } = self.all;
        let count = self.count.next_multiple_of(*height);
        &values[padded * start + self.first * depth..][..count * depth]
    }
}

/// Copies a piece of points that are contiguous for each coordinate.
fn copy<T: Scalar>(from: MatRef<'_, T>, height: usize, to: &mut [T]) {
    for (row, to) in from.row_iter().zip(to.chunks_exact_mut(height)) {
        if let Some(row) = row.try_as_row_major() {
            to[..row.ncols()].copy_from_slice(row.as_slice());
        }
    }
}

/// For each coordinate, the contiguous slice of all rows.
pub(super) fn rows_of<T: Scalar>(rows: MatRef<'_, T>) -> [&[T]; DEPTH] {
    let mut all = rows.row_iter().filter_map(RowRef::try_as_row_major);
    std::array::from_fn(|_| all.next().map_or(&[][..], |row| row.as_slice()))
}

/// Returns true if columns are read where they are: contiguous, and not scaled.
pub(super) fn are_in_line<T: Scalar>(columns: MatRef<'_, T>, factor: T) -> bool {
    factor == T::ONE && columns.row_stride() == 1
}

/// The columns of a group, each with contiguous coordinates; the last one stands in for missing
/// ones. They are copied to `group` if their layout is different or if they are scaled: as many as
/// a transpose block has, where available, since that is faster than fewer.
pub(super) fn lined_up<'a, T: Scalar>(
    columns: MatRef<'a, T>,
    range: Range<usize>,
    factor: T,
    group: &'a mut [T],
) -> [&'a [T]; WIDE] {
    let (depth, n) = (columns.nrows(), range.len());
    if are_in_line(columns, factor) {
        let column = |c: usize| columns.col(range.start + c.min(n - 1)).try_as_col_major();
        return std::array::from_fn(|c| column(c).map_or(&[][..], |column| column.as_slice()));
    }
    let count = if columns.col_stride() == 1 { EDGE.min(columns.ncols() - range.start) } else { n };
    let group = &mut group[..depth * count];
    let some = columns.subcols(range.start, count).transpose();
    transpose(some, MatMut::from_column_major_slice_mut(group, depth, count));
    if factor != T::ONE {
        group[..depth * n].iter_mut().for_each(|y| *y = factor * *y);
    }
    std::array::from_fn(|c| &group[c.min(n - 1) * depth..][..depth])
}
