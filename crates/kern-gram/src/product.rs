//! Products with matrices of kernel values, tile by tile; the matrix is never stored.
//!
//! Every stripe of the result is added to in one fixed order, so the bits do not depend on the
//! number of threads.

use crate::entries::Entries;
use crate::multiply::add_product;
use crate::symmetric::{self, Add};
use crate::tiling::{cuts, first_non_finite, report, split_rows};
use crate::{Error, pairs, parallel};
use faer::{MatMut, MatRef};
use kern_core::{Scalar, Scratch, compiled_once};
use std::ops::Range;

/// `out = K(a, b) · v`, holding one tile per thread. Each stripe of rows is one task, which adds
/// its tiles from left to right.
#[compiled_once]
pub(crate) fn apply_cross<T: Scalar>(
    entries: &dyn Entries<T>,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    let (row_cuts, col_cuts) = (cuts(out.nrows()), cuts(v.nrows()));
    let stripes: Vec<_> =
        split_rows(out.as_mut(), &row_cuts).into_iter().zip(row_cuts.clone()).collect();
    parallel::for_each_init(stripes, Scratch::new, |scratch, (mut out, rows)| {
        out.fill(T::ZERO);
        for cols in &col_cuts {
            entries.with_block(rows.clone(), cols.clone(), scratch, |block| {
                add_product(out.as_mut(), block, v, cols);
            });
        }
    });
    verify(entries, out.as_ref(), &row_cuts, |_| &col_cuts)
}

/// `out = K(x, x) · v`, each tile below the diagonal used for its mirror image, too; of values that are
/// computed by pairs those on the diagonal are halved.
#[compiled_once]
pub(crate) fn apply_symmetric<T: Scalar>(
    entries: &dyn Entries<T>,
    cuts: &[Range<usize>],
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    let by_pairs = entries.are_by_pairs();
    let with_tile = |scratch: &mut Scratch<_>, i: usize, j: usize, add: Add<'_, _>| {
        let (rows, cols) = (cuts[i].clone(), cuts[j].clone());
        if by_pairs && i == j {
            scratch.with_matrix(rows.len(), rows.len(), |mut tile, scratch| {
                pairs::fill_diagonal_tile(entries, rows, tile.as_mut(), scratch);
                add(tile.as_ref());
            });
        } else {
            entries.with_block(rows, cols, scratch, add);
        }
    };
    symmetric::apply_tiles(cuts, with_tile, v, out.as_mut())?;
    verify(entries, out.as_ref(), cuts, |i| &cuts[..=i])
}

/// Says what is wrong if the product is not finite: NaN and ∞ among the kernel values always show
/// there, so the tiles, `tiles(i)` of stripe i of the rows, need not be looked at unless they do.
fn verify<'c, T: Scalar>(
    entries: &dyn Entries<T>,
    product: MatRef<'_, T>,
    stripes: &[Range<usize>],
    tiles: impl Fn(usize) -> &'c [Range<usize>] + Send + Sync,
) -> Result<(), Error> {
    let Some(Error::NotFinite { row, col, given }) = first_non_finite(product, 0, 0) else {
        return Ok(());
    };
    let stripes = stripes.iter().enumerate().collect();
    report(parallel::map_init(stripes, Scratch::new, |scratch, (i, rows)| {
        let errors = tiles(i).iter().map(|cols| {
            let mut found = None;
            entries.with_block(rows.clone(), cols.clone(), scratch, |block| {
                found = first_non_finite(block, rows.start, cols.start);
            });
            found
        });
        report(errors).err()
    }))?;
    Err(Error::ProductNotFinite { row, col, given })
}
