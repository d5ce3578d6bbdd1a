//! Streaming of features in panels of a few thousand points within a budget, and sums of products
//! of panels in double precision.
//!
//! A panel Z is D × points. Its points are cut into blocks and the sums into tiles by rules
//! independent of the number of threads and of the length of the panel, and each tile is computed
//! by one thread in the order of the blocks. So the bits of a sum depend only on where its blocks
//! begin.

use super::Error;
use crate::panels::non_finite;
use crate::transform::{self, chunk};
use faer::{Accum, MatMut, MatRef};
use kern_core::memory::LargeMat;
use kern_core::products::{matmul, matmul_lower, transpose};
use kern_core::{FeatureMap, Points, Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{MemoryBudget, matrix_bytes, parallel, split_rows, tile_ranges};
use std::ops::Range;

/// Values per panel, as long as it has at least one block: 32 MiB of doubles.
const NUMBERS: usize = 1 << 22;

/// The memory of the smallest panel.
#[must_use]
pub fn panel_bytes<T: Scalar>(dim: usize, n: usize) -> u64 {
    matrix_bytes::<T>(dim, BLOCK.min(n))
}

/// Streams the features of points in panels, in one buffer.
#[derive(Debug)]
pub struct Panels<'a, P: Points, M: ?Sized> {
    map: &'a M,
    points: &'a P,
    memory: LargeMat<P::Scalar>,
}

impl<'a, P: Points, M: FeatureMap<P> + ?Sized> Panels<'a, P, M> {
    /// Creates panels within the budget.
    pub fn new(map: &'a M, points: &'a P, budget: &MemoryBudget) -> Result<Self, Error> {
        map.check(points)?;
        let (dim, n) = (map.dim(), points.len());
        let smallest = panel_bytes::<P::Scalar>(dim, n);
        budget.require("a panel of features", smallest, "use fewer features")?;
        let wanted = (NUMBERS / dim.max(1)).max(BLOCK);
        let allowed = budget.as_bytes() / matrix_bytes::<P::Scalar>(dim.max(1), 1);
        let length = wanted.min(usize::try_from(allowed).unwrap_or(usize::MAX));
        // Whole blocks, so that sums do not depend on the length.
        let length = (length / BLOCK * BLOCK).max(BLOCK).min(n);
        Ok(Self { map, points, memory: LargeMat::zeros(dim, length)? })
    }

    /// Passes every panel to `work`, with the range of its points.
    pub fn for_each(
        &mut self,
        mut work: impl FnMut(Range<usize>, MatMut<'_, P::Scalar>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let length = self.memory.as_ref().ncols().max(1);
        for range in tile_ranges(self.points.len(), length) {
            let mut panel = self.memory.as_mut().subcols_mut(0, range.len());
            fill(self.map, self.points, range.clone(), panel.as_mut())?;
            work(range, panel)?;
        }
        Ok(())
    }
}

/// The features of a range of points; an error if they are not finite.
pub fn fill<P: Points, M: FeatureMap<P> + ?Sized>(
    map: &M,
    points: &P,
    range: Range<usize>,
    panel: MatMut<'_, P::Scalar>,
) -> Result<(), kern_core::Error> {
    match transform::fill(map, points, range, chunk(map.dim()), panel) {
        Some((sample, feature, given)) => {
            Err(kern_core::Error::FeatureNotFinite { sample, feature, given })
        }
        None => Ok(()),
    }
}

/// Returns an error for the first non-finite feature.
pub fn check_features<T: Scalar>(z: MatRef<'_, T>) -> Result<(), kern_core::Error> {
    match non_finite(z) {
        Some((feature, sample, given)) => {
            Err(kern_core::Error::FeatureNotFinite { sample, feature, given })
        }
        None => Ok(()),
    }
}

/// Points whose products are summed in the type of the features; longer sums are in double
/// precision. In single precision a sum of 512 terms has an error of about √512·u = 1.3e-6 relative
/// to its terms, if they are independent.
pub(super) const BLOCK: usize = 512;

/// Number of adjacent tiles of a column for which its features are transposed once.
const TILES: usize = 4;

/// The edge of a tile: at least a few tiles per thread, of whole panels of the register kernel,
/// each large enough for products at full speed if there are many features.
fn edge<T: Scalar>(dim: usize) -> usize {
    let panel = 256 / size_of::<T>();
    dim.div_ceil(8).next_multiple_of(panel).clamp(panel, 256)
}

/// The lower triangle of `sum` ← sum + terms.
pub(super) fn add_lower(mut sum: MatMut<'_, f64>, terms: MatRef<'_, f64>) {
    for j in 0..sum.ncols() {
        let below = sum.nrows() - j;
        let terms = terms.col(j).subrows(j, below);
        let sums = sum.as_mut().col_mut(j).subrows_mut(j, below);
        sums.iter_mut().zip(terms.iter()).for_each(|(sum, term)| *sum += term);
    }
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
                        add_tile(tile.as_mut(), product, left, turned.as_ref(), start == column);
                    });
                }
            });
        }
    });
}

/// tile ← tile + left·right, restricted to the lower triangle on the diagonal.
fn add_tile<T: Scalar>(
    mut tile: MatMut<'_, f64>,
    mut product: MatMut<'_, T>,
    left: MatRef<'_, T>,
    right: MatRef<'_, T>,
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
