//! Triangular solves with few right-hand sides, which wait for memory: L is read by all threads.
//!
//! Rows and columns are cut by rules that do not know the number of threads, and every piece is computed by one.

use crate::{parallel, split_rows, tile_ranges};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, MatRef, Par};
use kern_core::Scalar;

/// Columns of L that are solved by one thread, while others wait.
const BLOCK: usize = 256;

/// Rows, or columns, of L that one thread reads at a time.
const ROWS: usize = 512;
const COLUMNS: usize = 32;

/// v ← L⁻¹v.
pub(super) fn forward<T: Scalar>(lower: MatRef<'_, T>, mut v: MatMut<'_, T>) {
    let n = lower.nrows();
    for block in tile_ranges(n, BLOCK) {
        let (j, width) = (block.start, block.len());
        let (known, rest) = v.as_mut().subrows_mut(j, n - j).split_at_row_mut(width);
        let mut known = known;
        solve_lower_triangular_in_place(
            lower.submatrix(j, j, width, width),
            known.as_mut(),
            Par::Seq,
        );
        let (known, below) = (known.as_ref(), lower.submatrix(j + width, j, n - j - width, width));
        let ranges = tile_ranges(rest.nrows(), ROWS);
        let stripes = split_rows(rest, &ranges).into_iter().zip(ranges).collect();
        parallel::for_each_init(
            stripes,
            || (),
            |(), (out, range)| {
                let part = below.subrows(range.start, range.len());
                matmul(out, Accum::Add, part, known, -T::ONE, Par::Seq);
            },
        );
    }
}

/// v ← L⁻ᵀv.
pub(super) fn backward<T: Scalar>(lower: MatRef<'_, T>, mut v: MatMut<'_, T>) {
    let n = lower.nrows();
    for block in tile_ranges(n, BLOCK).into_iter().rev() {
        let (j, width) = (block.start, block.len());
        let (out, known) = v.as_mut().subrows_mut(j, n - j).split_at_row_mut(width);
        let (mut out, known) = (out, known.as_ref());
        let below = lower.submatrix(j + width, j, n - j - width, width);
        let ranges = tile_ranges(width, COLUMNS);
        let stripes = split_rows(out.as_mut(), &ranges).into_iter().zip(ranges).collect();
        if known.nrows() > 0 {
            parallel::for_each_init(
                stripes,
                || (),
                |(), (out, range)| {
                    let part = below.subcols(range.start, range.len()).transpose();
                    matmul(out, Accum::Add, part, known, -T::ONE, Par::Seq);
                },
            );
        }
        let corner = lower.submatrix(j, j, width, width).transpose();
        solve_upper_triangular_in_place(corner, out, Par::Seq);
    }
}
