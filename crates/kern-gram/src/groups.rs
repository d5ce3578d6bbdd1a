//! Columns in groups, each of which is computed by one tile for a stripe of rows. The loops know neither the kernel nor the points: they
//! are compiled once for each precision (`docs/decisions/compile-time.md`).

use crate::column::Column;
use crate::edge::TILE_EDGE;
use crate::tiling::{report, split_rows};
use crate::{Error, multiply, parallel};
use faer::{ColMut, MatMut, MatRef};
use kern_core::{Scalar, Scratch, compiled_once};
use std::ops::Range;

/// The tiles of groups of columns.
pub(crate) trait Tiles<T: Scalar>: Sync {
    /// The indices of the columns of each group.
    fn groups(&self) -> &[&[usize]];

    /// One tile, of a group and a cut of the rows, with the exact diagonal. Says what is not finite.
    fn compute(
        &self,
        group: usize,
        cut: &Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Option<Error>;
}

/// Groups of as many columns as a tile has.
pub(crate) fn of_any(cols: &[usize]) -> Vec<&[usize]> {
    cols.chunks(TILE_EDGE).collect()
}

/// The same of adjacent columns.
pub(crate) fn of_runs(cols: &[usize]) -> Vec<&[usize]> {
    cols.chunk_by(|a, b| a + 1 == *b).flat_map(|run| run.chunks(TILE_EDGE)).collect()
}

/// out = the columns, side by side.
#[compiled_once]
pub(crate) fn fill<T: Scalar>(
    tiles: &dyn Tiles<T>,
    cuts: &[Range<usize>],
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    let mut tasks = Vec::with_capacity(cuts.len() * tiles.groups().len());
    for (g, cols) in tiles.groups().iter().enumerate() {
        let (part, rest) = out.split_at_col_mut(cols.len());
        out = rest;
        tasks.extend(split_rows(part, cuts).into_iter().zip(cuts).map(|task| (g, task)));
    }
    report(parallel::map_init(tasks, Scratch::new, |scratch, (g, (out, cut))| {
        tiles.compute(g, cut, out, scratch)
    }))
}

/// out = the columns times v: one tile per stripe of rows and group, multiplied while it is in cache.
#[compiled_once]
pub(crate) fn apply<T: Scalar>(
    tiles: &dyn Tiles<T>,
    v: MatRef<'_, T>,
    cuts: &[Range<usize>],
    out: MatMut<'_, T>,
) -> Result<(), Error> {
    let stripes = split_rows(out, cuts).into_iter().zip(cuts).collect();
    report(parallel::map_init(stripes, Scratch::new, |scratch, (mut out, cut)| {
        out.fill(T::ZERO);
        let (mut error, mut done) = (None, 0);
        for (g, cols) in tiles.groups().iter().enumerate() {
            let part = done..done + cols.len();
            scratch.with_matrix(cut.len(), part.len(), |mut block, scratch| {
                let found = tiles.compute(g, cut, block.as_mut(), scratch);
                error = error.take().or(found);
                multiply::add_product(out.as_mut(), block.as_ref(), v, &part);
            });
            done = part.end;
        }
        error
    }))
}

/// Whole columns, each in memory of its own: tiles are computed in a buffer and handed out.
#[compiled_once]
pub(crate) fn columns<T: Scalar>(
    tiles: &dyn Tiles<T>,
    cuts: &[Range<usize>],
    out: &mut [Column<T>],
) -> Result<(), Error> {
    let mut tasks = Vec::with_capacity(cuts.len() * tiles.groups().len());
    let mut rest = out;
    for (g, cols) in tiles.groups().iter().enumerate() {
        let (part, others) = rest.split_at_mut(cols.len());
        rest = others;
        tasks.extend(split_columns(part, cuts).into_iter().zip(cuts).map(|task| (g, task)));
    }
    report(parallel::map_init(tasks, Scratch::new, |scratch, (g, (pieces, cut))| {
        scratch.with_matrix(cut.len(), tiles.groups()[g].len(), |mut block, scratch| {
            let error = tiles.compute(g, cut, block.as_mut(), scratch);
            for (from, to) in block.as_ref().col_iter().zip(pieces) {
                ColMut::from_slice_mut(to).copy_from(from);
            }
            error
        })
    }))
}

/// The pieces of columns that lie in the same cut, for each cut.
fn split_columns<'o, T>(
    columns: &'o mut [Column<T>],
    cuts: &[Range<usize>],
) -> Vec<Vec<&'o mut [T]>> {
    let mut pieces: Vec<_> = cuts.iter().map(|_| Vec::with_capacity(columns.len())).collect();
    for column in columns {
        let mut rest = &mut **column;
        for (pieces, cut) in pieces.iter_mut().zip(cuts) {
            let (piece, below) = rest.split_at_mut(cut.len());
            pieces.push(piece);
            rest = below;
        }
    }
    pieces
}
