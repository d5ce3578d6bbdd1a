//! Triangular solves with few right-hand sides, which wait for memory: L is read by all threads.
//!
//! Rows and columns are cut by rules that do not know the number of threads, and every piece is computed by one.

use crate::{parallel, split_rows, tile_ranges};
use faer::{Accum, MatMut, MatRef};
use kern_core::Scalar;
use kern_core::products::{inner_products, matmul, solve_lower, solve_upper};

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
        solve_lower(lower.submatrix(j, j, width, width), known.as_mut());
        let (known, below) = (known.as_ref(), lower.submatrix(j + width, j, n - j - width, width));
        let ranges = tile_ranges(rest.nrows(), ROWS);
        let stripes = split_rows(rest, &ranges).into_iter().zip(ranges).collect();
        parallel::for_each_init(
            stripes,
            || (),
            |(), (out, range)| {
                let part = below.subrows(range.start, range.len());
                matmul(out, Accum::Add, part, known, -T::ONE);
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
                    let part = below.subcols(range.start, range.len());
                    inner_products(out, Accum::Add, part, known, -T::ONE);
                },
            );
        }
        let corner = lower.submatrix(j, j, width, width);
        solve_upper(corner, out);
    }
}
