//! Products of panels of features, added to sums in double precision.
//!
//! A panel Z is D × points. Its points are cut into blocks and the sums into tiles by rules that know
//! neither the number of threads nor the length of the panel, and each tile is computed by one thread
//! in the order of the blocks. So the bits of a sum depend on where its blocks begin, and on nothing else.

use faer::{Accum, MatMut, MatRef};
use kern_core::products::{matmul, matmul_lower, transpose};
use kern_core::{Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{parallel, split_rows, tile_ranges};

/// Points whose products are summed in the type of the features; longer sums are in double precision.
/// In single precision a sum of 512 errs by about √512·u = 1.3e-6 relative to its terms, if they are independent.
pub(super) const BLOCK: usize = 512;

/// Tiles one below the other, for which the features of their columns are turned once.
const TILES: usize = 4;

/// The edge of a tile: at least a few tiles per thread, of whole panels of the register kernel, each large enough for products at
/// full speed if there are many features.
fn edge<T: Scalar>(dim: usize) -> usize {
    let panel = 256 / size_of::<T>();
    dim.div_ceil(8).next_multiple_of(panel).clamp(panel, 256)
}

/// The lower triangle of `sum` ← sum + ZZᵀ.
pub fn add_gram<T: Scalar>(sum: MatMut<'_, f64>, z: MatRef<'_, T>) {
    let edge = edge::<T>(z.nrows());
    let mut pieces = Vec::new();
    for (first, stripe) in column_blocks(sum, edge) {
        let below = stripe.split_at_row_mut(first).1;
        let cuts = tile_ranges(below.nrows(), TILES * edge);
        for (piece, rows) in split_rows(below, &cuts).into_iter().zip(cuts) {
            pieces.push((first, first + rows.start, piece));
        }
    }
    let blocks = tile_ranges(z.ncols(), BLOCK);
    parallel::for_each_init(pieces, Scratch::new, |scratch, (column, row, mut piece)| {
        let tiles = tile_ranges(piece.nrows(), edge);
        for block in &blocks {
            let panel = z.subcols(block.start, block.len());
            scratch.with_matrix(block.len(), piece.ncols(), |mut turned, scratch| {
                transpose(panel.subrows(column, piece.ncols()), turned.as_mut());
                for rows in &tiles {
                    let start = row + rows.start;
                    let left = panel.subrows(start, rows.len());
                    let mut tile = piece.as_mut().subrows_mut(rows.start, rows.len());
                    scratch.with_matrix(tile.nrows(), tile.ncols(), |product, _| {
                        add_tile(tile.as_mut(), product, (left, turned.as_ref()), start == column);
                    });
                }
            });
        }
    });
}

/// tile ← tile + left·right, the lower triangle of it if it is on the diagonal.
fn add_tile<T: Scalar>(
    mut tile: MatMut<'_, f64>,
    mut product: MatMut<'_, T>,
    (left, right): (MatRef<'_, T>, MatRef<'_, T>),
    diagonal: bool,
) {
    let multiply = if diagonal { matmul_lower } else { matmul };
    multiply(product.as_mut(), Accum::Replace, left, right, T::ONE);
    for j in 0..tile.ncols() {
        let top = if diagonal { j } else { 0 };
        let terms = product.as_ref().col(j).subrows(top, left.nrows() - top);
        let sums = tile.as_mut().col_mut(j).subrows_mut(top, left.nrows() - top);
        sums.iter_mut().zip(terms.iter()).for_each(|(sum, term)| *sum += term.to_f64());
    }
}

/// sum ← sum + Z·r.
///
/// # Shapes and units
/// `sum` is D × columns, `z` is D × points, `r` points × columns.
pub fn add_products<T: Scalar>(sum: MatMut<'_, f64>, z: MatRef<'_, T>, r: MatRef<'_, T>) {
    let ranges = tile_ranges(z.nrows(), edge::<T>(z.nrows()));
    let stripes = split_rows(sum, &ranges).into_iter().zip(ranges).collect();
    let blocks = tile_ranges(z.ncols(), BLOCK);
    parallel::for_each_init(stripes, Scratch::new, |scratch, (mut sum, rows)| {
        for block in &blocks {
            let left = z.submatrix(rows.start, block.start, rows.len(), block.len());
            let right = r.subrows(block.start, block.len());
            scratch.with_matrix(rows.len(), r.ncols(), |mut product, _| {
                matmul(product.as_mut(), Accum::Replace, left, right, T::ONE);
                for j in 0..sum.ncols() {
                    let terms = product.as_ref().col(j).iter();
                    let sums = sum.as_mut().col_mut(j).iter_mut();
                    sums.zip(terms).for_each(|(sum, term)| *sum += term.to_f64());
                }
            });
        }
    });
}
