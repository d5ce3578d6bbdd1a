//! LLᵀ = A in place, block column by block column, from left to right.
//!
//! Each block column is brought up to date by one product with all of L to its left, which reads much and writes
//! little; the usual right-looking order writes the whole rest of the matrix for each block column. Measured at
//! n = 8000 in double precision, processor seconds of one thread: faer's (right-looking, blocks of 128) 2.37, with
//! blocks of 256 2.22; this order, with blocks of 128 or 256 and stripes of 512 or 1024 rows, 2.02 to 2.06.
//! L beside the diagonal block is turned once, and not by each stripe: with blocks of 256, at n = 3000 on one thread of a
//! Zen 4, 0.209 for 0.247.
//!
//! Rows are cut into stripes by a rule that does not know the number of threads, and each stripe is computed by one
//! thread: so are the bits.

use super::column_blocks;
use crate::{parallel, split_rows, tile_ranges};
use faer::{Accum, MatMut, MatRef};
use kern_core::Scalar;
use kern_core::products::{cholesky, matmul, solve_lower, transpose};

/// Columns of a block.
const BLOCK: usize = 256;

/// Columns of L that are turned together: whole chains of a product, so that the cut has no influence on bits.
const TURNED: usize = 1024;

/// Rows of a stripe, at most.
const STRIPE: usize = 1024;

/// A ← L in the lower triangle, the only part that is read. The error is the index of the first pivot that is
/// not positive.
pub fn factorise<T: Scalar>(mut a: MatMut<'_, T>) -> Result<(), usize> {
    let n = a.nrows();
    for columns in tile_ranges(n, BLOCK) {
        let (j, width) = (columns.start, columns.len());
        let (left, right) = a.as_mut().split_at_col_mut(j);
        let left = left.as_ref().subrows(j, n - j);
        let mut panel = right.subcols_mut(0, width).subrows_mut(j, n - j);
        subtract_products(left, panel.as_mut());
        finish_panel(panel).map_err(|pivot| j + pivot)?;
    }
    Ok(())
}

/// Subtracts the products of all columns to the left from a panel.
fn subtract_products<T: Scalar>(left: MatRef<'_, T>, mut panel: MatMut<'_, T>) {
    let (rows, width) = panel.shape();
    let ranges = tile_ranges(rows, stripe(rows));
    let mut turned = T::with_scratch(|scratch| scratch.take(TURNED.min(left.ncols()) * width));
    for columns in tile_ranges(left.ncols(), TURNED) {
        let depth = columns.len();
        let left = left.subcols(columns.start, depth);
        let turned = &mut turned[..depth * width];
        // Once, and not for each stripe.
        let mut top = MatMut::from_column_major_slice_mut(turned, depth, width);
        transpose(left.subrows(0, width), top.as_mut());
        let top = top.as_ref();
        let stripes = split_rows(panel.as_mut(), &ranges).into_iter().zip(ranges.clone());
        parallel::for_each_init(
            stripes.collect(),
            || (),
            |(), (out, range)| {
                let left = left.subrows(range.start, range.len());
                matmul(out, Accum::Add, left, top, -T::ONE);
            },
        );
    }
    T::with_scratch(|scratch| scratch.give(turned));
}

/// The columns of L that a panel becomes from which all products are subtracted.
fn finish_panel<T: Scalar>(panel: MatMut<'_, T>) -> Result<(), usize> {
    let width = panel.ncols();
    let (mut diagonal, below) = panel.split_at_row_mut(width);
    cholesky(diagonal.as_mut())?;
    let diagonal = diagonal.as_ref();
    let edge = stripe(below.nrows()).min(STRIPE / 4);
    parallel::for_each_init(
        column_blocks(below.transpose_mut(), edge),
        || (),
        |(), (_, out)| {
            solve_lower(diagonal, out);
        },
    );
    Ok(())
}

/// The rows of a stripe: an eighth of all, for any number of threads, within bounds.
fn stripe(rows: usize) -> usize {
    rows.div_ceil(8).next_multiple_of(64).clamp(64, STRIPE)
}
