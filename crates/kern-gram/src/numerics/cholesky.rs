//! Left-looking blocked Cholesky factorisation: LLᵀ = A in place, block column by block column.
//!
//! Each block column is updated by one product with all of L to its left, which reads much and
//! writes little; the usual right-looking order rewrites the whole trailing matrix for each block
//! column. Measured at n = 8000 in double precision, processor seconds of one thread: faer's
//! (right-looking, blocks of 128) 2.37, with blocks of 256 2.22; this order, with blocks of 128 or
//! 256 and stripes of 512 or 1024 rows, 2.02 to 2.06. L to the left of the diagonal block is
//! transposed once, and not by each stripe: with blocks of 256, at n = 3000 on one thread of a Zen
//! 4, 0.209 instead of 0.247. Two adjacent blocks read and pack what is to their left once, and
//! stripes next to the diagonal end at it: on two threads 0.237 instead of 0.270 at n = 4000, in
//! single precision 0.894 instead of 0.974 at n = 8000.
//!
//! Rows are cut into stripes by a rule independent of the number of threads, and each stripe is
//! computed by one thread, so the bits are the same for any number of threads.

pub use super::cholesky_factor::{
    Cholesky, column_blocks, inner_products, inverse_diagonal_bytes, scale_lower,
    scale_lower_in_place, squared_norm,
};
pub use super::original::{DiagonalTiles, Original};

use crate::{parallel, split_rows, tile_ranges};
use faer::{Accum, MatMut, MatRef};
use kern_core::Scalar;
use kern_core::products::{cholesky, matmul, solve_lower, transpose};
use std::ops::Range;

/// Columns of a panel, for which all of L to its left is read once.
const PANEL: usize = 512;

/// Columns of a block, which is completed before those to its right in the panel.
const BLOCK: usize = 256;

/// Columns of L that are transposed together: whole chains of a product, so that the cut does not
/// change bits.
const TURNED: usize = 1024;

/// Columns of L that one thread transposes.
const TURN: usize = 256;

/// The largest number of rows of a stripe.
const STRIPE: usize = 1024;

/// Rows of a stripe next to the diagonal: half of a square of this size is computed in vain.
const CORNER: usize = 128;

/// Overwrites the lower triangle of A with its Cholesky factor; only the lower triangle is read.
/// The error is the index of the first pivot that is not positive.
pub fn factorise<T: Scalar>(a: MatMut<'_, T>) -> Result<(), usize> {
    from_left_to_right(a, PANEL, |panel| from_left_to_right(panel, BLOCK, finish_block))
}

/// Processes blocks of `width` columns from left to right: subtracts the products of all columns to
/// their left, and completes them.
fn from_left_to_right<T: Scalar>(
    mut a: MatMut<'_, T>,
    width: usize,
    finish: impl Fn(MatMut<'_, T>) -> Result<(), usize>,
) -> Result<(), usize> {
    let rows = a.nrows();
    for columns in tile_ranges(a.ncols(), width) {
        let j = columns.start;
        let (left, right) = a.as_mut().split_at_col_mut(j);
        let left = left.as_ref().subrows(j, rows - j);
        let mut panel = right.subcols_mut(0, columns.len()).subrows_mut(j, rows - j);
        subtract_products(left, panel.as_mut());
        finish(panel).map_err(|pivot| j + pivot)?;
    }
    Ok(())
}

/// Subtracts the products of all columns to the left from the lower trapezium of a panel.
fn subtract_products<T: Scalar>(left: MatRef<'_, T>, mut panel: MatMut<'_, T>) {
    let (rows, width) = panel.shape();
    let ranges = stripes(rows, width);
    let mut turned = T::with_scratch(|scratch| scratch.take(TURNED.min(left.ncols()) * width));
    for columns in tile_ranges(left.ncols(), TURNED) {
        let depth = columns.len();
        let left = left.subcols(columns.start, depth);
        let turned = &mut turned[..depth * width];
        // Once, and not for each stripe.
        let mut top = MatMut::from_column_major_slice_mut(turned, depth, width);
        turn(left.subrows(0, width), top.as_mut());
        let top = top.as_ref();
        let stripes = split_rows(panel.as_mut(), &ranges).into_iter().zip(ranges.clone());
        parallel::for_each_init(
            stripes.collect(),
            || (),
            |(), (out, range)| {
                let left = left.subrows(range.start, range.len());
                let below = range.end.min(width);
                let (out, top) = (out.subcols_mut(0, below), top.subcols(0, below));
                matmul(out, Accum::Add, left, top, -T::ONE);
            },
        );
    }
    T::with_scratch(|scratch| scratch.give(turned));
}

/// `to` ← the transpose of `from`.
fn turn<T: Scalar>(from: MatRef<'_, T>, to: MatMut<'_, T>) {
    let ranges = tile_ranges(from.ncols(), TURN);
    let parts = split_rows(to, &ranges).into_iter().zip(ranges).collect();
    parallel::for_each_init(
        parts,
        || (),
        |(), (to, range): (_, Range<usize>)| {
            transpose(from.subcols(range.start, range.len()), to);
        },
    );
}

/// Factorises a block column from which all products have been subtracted.
fn finish_block<T: Scalar>(block: MatMut<'_, T>) -> Result<(), usize> {
    let width = block.ncols();
    let (mut diagonal, below) = block.split_at_row_mut(width);
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

/// The rows of each stripe of a panel: small ones next to the diagonal, and those below.
fn stripes(rows: usize, width: usize) -> Vec<Range<usize>> {
    let below = rows - width;
    let shift = |range: Range<usize>| width + range.start..width + range.end;
    let below = tile_ranges(below, stripe(below)).into_iter().map(shift);
    tile_ranges(width, CORNER).into_iter().chain(below).collect()
}

/// The number of rows of a stripe: an eighth of all, for any number of threads, within bounds.
fn stripe(rows: usize) -> usize {
    rows.div_ceil(8).next_multiple_of(64).clamp(64, STRIPE)
}
