//! Products with matrices that are stored.

use crate::parallel;
use crate::tiling::{cuts, split_rows};
use faer::{Accum, MatMut, MatRef};
use kern_core::products::{inner_products, matmul};
use kern_core::{Scalar, compiled_once};
use std::ops::Range;

/// out = matrix·v or out += matrix·v, a stripe of rows per task: faer's own parallel product with few
/// columns splits sums between threads, and its bits then depend on their number.
#[compiled_once]
pub(crate) fn by_stripes<T: Scalar>(
    accum: Accum,
    matrix: MatRef<'_, T>,
    v: MatRef<'_, T>,
    out: MatMut<'_, T>,
) {
    let cuts = cuts(matrix.nrows());
    let stripes = split_rows(out, &cuts).into_iter().zip(&cuts).collect();
    parallel::for_each_init(
        stripes,
        || (),
        |(), (out, rows)| {
            let stripe = matrix.subrows(rows.start, rows.len());
            matmul(out, accum, stripe, v, T::ONE);
        },
    );
}

/// out += block·v[cols], on one thread.
#[compiled_once]
pub(crate) fn add_product<T: Scalar>(
    out: MatMut<'_, T>,
    block: MatRef<'_, T>,
    v: MatRef<'_, T>,
    cols: &Range<usize>,
) {
    let v = v.subrows(cols.start, cols.len());
    if block.col_stride() == 1 && block.row_stride() != 1 {
        // A mirror image: its rows lie side by side. A single row does in either case, and has the bits that it has among others.
        return inner_products(out, Accum::Add, block.transpose(), v, T::ONE);
    }
    matmul(out, Accum::Add, block, v, T::ONE);
}
