//! LLᵀ = A in place, block column by block column, from left to right.
//!
//! Each block column is brought up to date by one product with all of L to its left, which reads much and writes
//! little; the usual right-looking order writes the whole rest of the matrix for each block column. Measured at
//! n = 8000 in double precision, processor seconds of one thread: faer's (right-looking, blocks of 128) 2.37, with
//! blocks of 256 2.22; this order, with blocks of 128 or 256 and stripes of 512 or 1024 rows, 2.02 to 2.06.
//!
//! Rows are cut into stripes by a rule that does not know the number of threads, and each stripe is computed by one
//! thread: so are the bits.

use super::{column_blocks, workspace};
use crate::{parallel, split_rows, tile_ranges};
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use kern_core::{Error, Scalar};

/// Columns of a block.
const BLOCK: usize = 128;

/// Rows of a stripe, at most.
const STRIPE: usize = 1024;

/// A ← L in the lower triangle, the only part that is read. The error is the index of a pivot that is not positive.
pub(super) fn factorise<T: Scalar>(mut a: MatMut<'_, T>) -> Result<Result<(), usize>, Error> {
    let n = a.nrows();
    for columns in tile_ranges(n, BLOCK) {
        let (j, width) = (columns.start, columns.len());
        let (left, right) = a.as_mut().split_at_col_mut(j);
        let left = left.as_ref().subrows(j, n - j);
        let panel = right.subcols_mut(0, width).subrows_mut(j, n - j);
        if let Err(pivot) = finish_panel(left, panel)? {
            return Ok(Err(j + pivot));
        }
    }
    Ok(Ok(()))
}

/// The columns of L that A's columns `panel` become, given those to the left, all from the diagonal down.
fn finish_panel<T: Scalar>(
    left: MatRef<'_, T>,
    mut panel: MatMut<'_, T>,
) -> Result<Result<(), usize>, Error> {
    let (rows, width) = panel.shape();
    if left.ncols() > 0 {
        let top = left.subrows(0, width).transpose();
        let ranges = tile_ranges(rows, stripe(rows));
        let stripes = split_rows(panel.as_mut(), &ranges).into_iter().zip(ranges).collect();
        parallel::for_each_init(
            stripes,
            || (),
            |(), (out, range)| {
                let left = left.subrows(range.start, range.len());
                matmul(out, Accum::Add, left, top, -T::ONE, Par::Seq);
            },
        );
    }
    let (mut diagonal, below) = panel.split_at_row_mut(width);
    let mut memory =
        workspace(cholesky_in_place_scratch::<T>(width, Par::Seq, Default::default()))?;
    let stack = MemStack::new(&mut memory);
    let factor = diagonal.as_mut();
    let done = cholesky_in_place(factor, Default::default(), Par::Seq, stack, Default::default());
    if let Err(LltError::NonPositivePivot { index }) = done {
        return Ok(Err(index));
    }
    let diagonal = diagonal.as_ref();
    let edge = stripe(below.nrows()).min(STRIPE / 4);
    parallel::for_each_init(
        column_blocks(below.transpose_mut(), edge),
        || (),
        |(), (_, out)| {
            solve_lower_triangular_in_place(diagonal, out, Par::Seq);
        },
    );
    Ok(Ok(()))
}

/// The rows of a stripe: an eighth of all, for any number of threads, within bounds.
fn stripe(rows: usize) -> usize {
    rows.div_ceil(8).next_multiple_of(64).clamp(64, STRIPE)
}
