//! Packing: operands in the order in which the register kernel reads them.

use super::transpose;
use crate::simd::Scalar;
use faer::{MatMut, MatRef};

/// Packs the columns of `from`, coordinates × points, in pieces of `height` points: each piece coordinate by
/// coordinate, the last one filled up with zeros. `to` has the length of all pieces.
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

/// A piece of points that lie side by side in memory, each coordinate in one go.
fn copy<T: Scalar>(from: MatRef<'_, T>, height: usize, to: &mut [T]) {
    for (row, to) in from.row_iter().zip(to.chunks_exact_mut(height)) {
        if let Some(row) = row.try_as_row_major() {
            to[..row.ncols()].copy_from_slice(row.as_slice());
        }
    }
}
