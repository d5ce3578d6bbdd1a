//! Tile sizes: constant, unless kernel values are so expensive that threads would be idle.
//!
//! An entry of these kernels depends on its own two points only, so no bit depends on the tiling,
//! and the tile size may follow a measurement.

use crate::pairs::Entries;
use crate::{Error, parallel, tolerance};
use kern_core::{Scalar, Scratch};
use std::hint::black_box;
use web_time::Instant;

/// Edge of a tile: 256² doubles are 512 KiB, half of a typical second-level cache.
pub const TILE_EDGE: usize = 256;

/// Tile edge for large matrices. The columns of such a tile fill most of a page of memory (384
/// doubles in 4 KiB), which reduces address translations (TLB misses).
const LARGE_EDGE: usize = 384;

/// Number of rows from which a matrix is large: writing it to memory takes longer than what tiles
/// of this edge lose in caches.
const LARGE: usize = 4096;

/// The smallest number of tiles per thread for the larger edge.
const LARGE_TILES: usize = 16;

/// Seconds of a tile compared with which the overhead of a task is negligible.
const TILE_SECONDS: f64 = 1e-4;

/// Tiles per thread for expensive kernels: threads that finish first are idle for less than this
/// fraction.
const TILES_PER_THREAD: usize = 16;

/// The tile edge for a symmetric matrix: smaller than [`TILE_EDGE`] if values are expensive and
/// threads would be idle.
///
/// # Errors
/// As [`mirrored`].
pub(crate) fn symmetric_edge<T: Scalar>(
    entries: &dyn Entries<T>,
    n: usize,
) -> Result<usize, Error> {
    let seconds = mirrored(entries, n)?;
    Ok(match spread(entries, n.saturating_mul(n) / 2) {
        Some(shared) => edge(shared, seconds),
        None => TILE_EDGE,
    })
}

/// The tile edge for a symmetric column-major matrix: [`symmetric_edge`], or a larger one if the
/// matrix is large.
///
/// # Errors
/// As [`mirrored`].
pub(crate) fn dense_edge<T: Scalar>(entries: &dyn Entries<T>, n: usize) -> Result<usize, Error> {
    let edge = symmetric_edge(entries, n)?;
    let stripes = n / LARGE_EDGE;
    let is_enough = stripes.saturating_mul(stripes) / 2 >= LARGE_TILES * parallel::threads();
    Ok(if n >= LARGE && edge == TILE_EDGE && is_enough { LARGE_EDGE } else { edge })
}

/// The tile edge for a rectangular matrix of this shape.
pub(crate) fn cross_edge<T: Scalar>(
    entries: &dyn Entries<T>,
    (rows, cols): (usize, usize),
) -> usize {
    match spread(entries, rows.saturating_mul(cols)) {
        Some(shared) => edge(shared, seconds_per_value(entries, (rows, cols))),
        None => TILE_EDGE,
    }
}

/// The edge of tiles that give every thread enough of them; `None` if there are so many values that
/// tiles need not be smaller.
fn spread<T: Scalar>(entries: &dyn Entries<T>, values: usize) -> Option<usize> {
    let threads = parallel::threads();
    let shared = (values / threads.saturating_mul(TILES_PER_THREAD).max(1)).isqrt();
    let is_cut = threads > 1 && shared < TILE_EDGE && values > 0 && entries.are_by_pairs();
    is_cut.then_some(shared)
}

/// The larger of this edge and the smallest one for which a tile is worth a task, at these seconds
/// per value.
fn edge(shared: usize, seconds: f64) -> usize {
    // From infinitely many values in no time to one.
    let worth = (TILE_SECONDS / seconds).sqrt().ceil();
    shared.max(if worth < TILE_EDGE as f64 { worth as usize } else { TILE_EDGE }).max(1)
}

/// Seconds per kernel value, from two of them, or four if these are fast, since the first ones run
/// with cold caches.
fn seconds_per_value<T: Scalar>(entries: &dyn Entries<T>, (rows, cols): (usize, usize)) -> f64 {
    let mut scratch = Scratch::new();
    let few = 0..cols.min(2);
    let mut seconds = |row: usize| {
        let start = Instant::now();
        entries.with_block(row..row + 1, few.clone(), &mut scratch, |block| {
            black_box(block[(0, 0)]);
        });
        start.elapsed().as_secs_f64() / few.len() as f64
    };
    let first = seconds(rows - 1);
    if first > TILE_SECONDS { first } else { first.min(seconds(rows / 2)) }
}

/// Seconds per kernel value, from a value and its mirror image, or two of each if these are fast.
/// Returns 0 for kernels with block methods of their own, whose symmetry is tested with them.
///
/// # Errors
/// [`kern_core::Error::Asymmetric`] if they differ by more than the rounding of single precision:
/// half of a Gram matrix is copied from the other.
pub(crate) fn mirrored<T: Scalar>(entries: &dyn Entries<T>, n: usize) -> Result<f64, Error> {
    if n < 2 || !entries.is_pointwise() {
        return Ok(0.0);
    }
    let first = mirrored_pair(entries, (n - 1, 0))?;
    let cheap = first <= TILE_SECONDS;
    Ok(if cheap { first.min(mirrored_pair(entries, (n / 2, n / 4))?) } else { first })
}

fn mirrored_pair<T: Scalar>(
    entries: &dyn Entries<T>,
    (row, col): (usize, usize),
) -> Result<f64, Error> {
    let mut scratch = Scratch::new();
    let mut value = |i: usize, j: usize| {
        let mut value = 0.0;
        entries.with_block(i..i + 1, j..j + 1, &mut scratch, |v| value = v[(0, 0)].to_f64());
        value
    };
    let start = Instant::now();
    let (given, mirrored) = (value(row, col), value(col, row));
    let seconds = start.elapsed().as_secs_f64() / 2.0;
    let apart = (given - mirrored).abs();
    // Most kernels are symmetric to the bit, and need no further check.
    if apart > 0.0 {
        let own = |i| entries.diag(i).to_f64().abs();
        let largest = given.abs().max(mirrored.abs()).max(own(row)).max(own(col));
        if apart > tolerance::single_precision_asymmetry(largest) {
            return Err(kern_core::Error::Asymmetric { row, col, given, mirrored }.into());
        }
    }
    Ok(seconds)
}
