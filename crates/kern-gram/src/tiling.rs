//! Tiled evaluation of kernel matrices: cut into cache-sized tiles, in parallel. Products without
//! storing the matrix are in [`product`](crate::product).
//!
//! Every tile is computed by one thread in a fixed order of operations, so the result does not
//! depend on the number of threads.

use crate::edge::{self, TILE_EDGE};
use crate::pairs::{self, Entries, finish_diagonal_tile};
use crate::{Error, parallel};
use faer::{MatMut, MatRef};
use kern_core::{Scalar, Scratch, compiled_once, tile};
use std::cmp::Reverse;
use std::ops::Range;

/// Cuts 0..n into ranges of length `edge` ≥ 1; the last one may be shorter.
///
/// # Panics
/// If `edge` is 0.
///
/// # Examples
/// ```
/// assert_eq!(kern_gram::tile_ranges(5, 2), [0..2, 2..4, 4..5]);
/// ```
#[must_use]
pub fn tile_ranges(n: usize, edge: usize) -> Vec<Range<usize>> {
    (0..n).step_by(edge).map(|start| start..n.min(start + edge)).collect()
}

/// Cuts 0..n into tiles of [`TILE_EDGE`].
pub(crate) fn cuts(n: usize) -> Vec<Range<usize>> {
    tile_ranges(n, TILE_EDGE)
}

/// A tile of a symmetric matrix: its place in the lower half, and its mirror image if that is
/// stored.
pub(crate) struct SymmetricTile<'o, T: Scalar> {
    rows: Range<usize>,
    cols: Range<usize>,
    out: MatMut<'o, T>,
    mirror: Option<MatMut<'o, T>>,
}

impl<T: Scalar> SymmetricTile<'_, T> {
    /// A sort key by which four neighbours follow one another, those of a column first, starting
    /// from the last rows of the matrix.
    ///
    /// A tile and the one below it mostly write to the same pages of memory, whose address
    /// translations (TLB entries) are then still cached.
    fn place_by_fours(&self, edge: usize) -> (Reverse<usize>, usize, usize, usize) {
        let (row, col) = (self.rows.start / edge, self.cols.start / edge);
        (Reverse(row / 2), col / 2, col, row)
    }
}

/// `out[(i, j)] = K(x_i, x_j)`, exactly symmetric, with the diagonal from [`Kernel::diag`]. Each
/// pair of tiles is computed once and mirrored while it is in cache.
#[compiled_once]
pub(crate) fn fill_symmetric<T: Scalar>(
    entries: &dyn Entries<T>,
    out: MatMut<'_, T>,
) -> Result<(), Error> {
    let n = out.nrows();
    let edge = edge::dense_edge(entries, n)?;
    let mut tiles = symmetric_tiles(out, &tile_ranges(n, edge));
    tiles.sort_by_key(|tile| tile.place_by_fours(edge));
    fill_tiles(entries, tiles)
}

/// Fills tiles on and below the diagonal, and their mirror images.
#[compiled_once]
pub(crate) fn fill_tiles<T: Scalar>(
    entries: &dyn Entries<T>,
    tiles: Vec<SymmetricTile<'_, T>>,
) -> Result<(), Error> {
    let by_pairs = entries.are_by_pairs();
    report(parallel::map_init(tiles, Scratch::new, |scratch, tile| {
        let SymmetricTile { rows, cols, mut out, mirror } = tile;
        let mut finite = false;
        match mirror {
            // In compact memory first: the columns of a large matrix compete for the same cache
            // sets, especially if its size is a power of two.
            Some(mirror) => entries.with_block(rows.clone(), cols.clone(), scratch, |block| {
                finite = copy_finite(block, out.as_mut());
                tile::transpose(block, mirror);
            }),
            None if rows != cols => {
                entries.block(rows.clone(), cols.clone(), out.as_mut(), scratch);
            }
            None if by_pairs => {
                pairs::fill_diagonal_tile(entries, rows.clone(), out.as_mut(), scratch);
            }
            None => entries.with_block(rows.clone(), cols.clone(), scratch, |block| {
                copy_finite(block, out.as_mut());
                finish_diagonal_tile(entries, rows.start, out.as_mut());
            }),
        }
        if finite { None } else { first_below(out.as_ref(), &rows, &cols) }
    }))
}

/// The first non-finite value on or below the diagonal, so that the error does not depend on the
/// tiling.
fn first_below<T: Scalar>(
    tile: MatRef<'_, T>,
    rows: &Range<usize>,
    cols: &Range<usize>,
) -> Option<Error> {
    let found = first_non_finite(tile, rows.start, cols.start)?;
    if rows != cols {
        return Some(found);
    }
    let below = |i: usize| (0..=i).map(move |j| (i, j));
    let (i, j) = (0..tile.nrows()).flat_map(below).find(|&at| !tile[at].is_finite_number())?;
    let given = tile[(i, j)].to_f64();
    Some(Error::NotFinite { row: rows.start + i, col: cols.start + j, given })
}

/// Splits a square matrix into disjoint tiles, and pairs each with its mirror image; `cuts` are the
/// ranges of both rows and columns.
pub(crate) fn symmetric_tiles<'o, T: Scalar>(
    out: MatMut<'o, T>,
    cuts: &[Range<usize>],
) -> Vec<SymmetricTile<'o, T>> {
    // Column J of the grid holds its tiles from top to bottom, so that popping yields the lowest.
    let mut grid: Vec<Vec<MatMut<'o, T>>> =
        split_columns(out, cuts).into_iter().map(|stripe| split_rows(stripe, cuts)).collect();
    let mut tiles = Vec::with_capacity(cuts.len() * (cuts.len() + 1) / 2);
    for last in (0..cuts.len()).rev() {
        // The last stripe holds the tiles (I, last), I ≤ last; stripe J < last ends in (last, J).
        let mut uppers = grid.pop().unwrap_or_default();
        if let Some(out) = uppers.pop() {
            let (rows, cols) = (cuts[last].clone(), cuts[last].clone());
            tiles.push(SymmetricTile { rows, cols, out, mirror: None });
        }
        for ((lower, upper), col) in grid.iter_mut().zip(uppers).zip(cuts) {
            if let Some(out) = lower.pop() {
                let (rows, cols) = (cuts[last].clone(), col.clone());
                tiles.push(SymmetricTile { rows, cols, out, mirror: Some(upper) });
            }
        }
    }
    tiles
}

/// Splits a tile below the diagonal into tiles without mirror images.
pub(crate) fn tiles_below<'o, T: Scalar>(
    out: MatMut<'o, T>,
    row_cuts: &[Range<usize>],
    col_cuts: &[Range<usize>],
) -> Vec<SymmetricTile<'o, T>> {
    let tile = |(rows, cols, out)| SymmetricTile { rows, cols, out, mirror: None };
    rectangles(out, row_cuts, col_cuts).into_iter().map(tile).collect()
}

/// A block of a matrix, with its ranges of rows and columns.
type Rectangle<'o, T> = (Range<usize>, Range<usize>, MatMut<'o, T>);

fn rectangles<'o, T: Scalar>(
    out: MatMut<'o, T>,
    row_cuts: &[Range<usize>],
    col_cuts: &[Range<usize>],
) -> Vec<Rectangle<'o, T>> {
    let mut pieces = Vec::with_capacity(row_cuts.len() * col_cuts.len());
    for (stripe, cols) in split_columns(out, col_cuts).into_iter().zip(col_cuts) {
        for (out, rows) in split_rows(stripe, row_cuts).into_iter().zip(row_cuts) {
            pieces.push((rows.clone(), cols.clone(), out));
        }
    }
    pieces
}

fn split_columns<'o, T: Scalar>(
    mut out: MatMut<'o, T>,
    cuts: &[Range<usize>],
) -> Vec<MatMut<'o, T>> {
    let mut stripes = Vec::with_capacity(cuts.len());
    for cut in cuts {
        let (stripe, rest) = out.split_at_col_mut(cut.len());
        stripes.push(stripe);
        out = rest;
    }
    stripes
}

/// Splits a matrix into stripes of rows, each to be written by one thread; `cuts` are adjacent
/// ranges that start at 0.
///
/// # Panics
/// If the cuts have more rows than the matrix.
///
/// # Examples
/// ```
/// let mut out = kern_core::faer::Mat::<f64>::zeros(5, 1);
/// let stripes = kern_gram::split_rows(out.as_mut(), &kern_gram::tile_ranges(5, 2));
/// assert_eq!(stripes.iter().map(|s| s.nrows()).collect::<Vec<_>>(), [2, 2, 1]);
/// ```
#[must_use]
pub fn split_rows<'o, T: Scalar>(
    mut out: MatMut<'o, T>,
    cuts: &[Range<usize>],
) -> Vec<MatMut<'o, T>> {
    let mut stripes = Vec::with_capacity(cuts.len());
    for cut in cuts {
        let (stripe, rest) = out.split_at_row_mut(cut.len());
        stripes.push(stripe);
        out = rest;
    }
    stripes
}

/// `out[(i, j)] = K(a_i, b_j)`.
#[compiled_once]
pub(crate) fn fill_cross<T: Scalar>(
    entries: &dyn Entries<T>,
    out: MatMut<'_, T>,
) -> Result<(), Error> {
    let (rows, cols) = out.shape();
    let edge = edge::cross_edge(entries, (rows, cols));
    let tiles = rectangles(out, &tile_ranges(rows, edge), &tile_ranges(cols, edge));
    report(parallel::map_init(tiles, Scratch::new, |scratch, (rows, cols, mut out)| {
        entries.block(rows.clone(), cols.clone(), out.as_mut(), scratch);
        first_non_finite(out.as_ref(), rows.start, cols.start)
    }))
}

/// Copies a tile, and returns true if all its values are finite; the check costs little while a
/// column is in the first-level cache.
fn copy_finite<T: Scalar>(from: MatRef<'_, T>, mut to: MatMut<'_, T>) -> bool {
    let mut finite = true;
    for (from, mut to) in from.col_iter().zip(to.as_mut().col_iter_mut()) {
        match (from.try_as_col_major(), to.as_mut().try_as_col_major_mut()) {
            (Some(from), Some(to)) => {
                to.as_slice_mut().copy_from_slice(from.as_slice());
                finite &= T::all_finite(from.as_slice());
            }
            _ => {
                to.copy_from(from);
                finite &= from.iter().all(|v| v.is_finite_number());
            }
        }
    }
    finite
}

/// The first non-finite value of a tile, row by row, as an error. The sum of squares of a column
/// tests all its values in one fast pass; only if it is not finite does the search begin.
#[compiled_once]
pub(crate) fn first_non_finite<T: Scalar>(
    tile: MatRef<'_, T>,
    row: usize,
    col: usize,
) -> Option<Error> {
    let suspicious = |j: usize| match tile.col(j).try_as_col_major() {
        Some(column) => !T::all_finite(column.as_slice()),
        None => tile.col(j).iter().any(|v| !v.is_finite_number()),
    };
    if !(0..tile.ncols()).any(suspicious) {
        return None;
    }
    let (i, j) = (0..tile.nrows())
        .flat_map(|i| (0..tile.ncols()).map(move |j| (i, j)))
        .find(|&at| !tile[at].is_finite_number())?;
    Some(Error::NotFinite { row: row + i, col: col + j, given: tile[(i, j)].to_f64() })
}

/// Returns the error with the smallest position, if any.
pub(crate) fn report(errors: impl IntoIterator<Item = Option<Error>>) -> Result<(), Error> {
    let position = |error: &Error| match error {
        Error::NotFinite { row, col, .. } => (*row, *col),
        _ => (0, 0),
    };
    errors.into_iter().flatten().min_by_key(position).map_or(Ok(()), Err)
}
