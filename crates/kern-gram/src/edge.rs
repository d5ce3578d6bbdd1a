//! The edge of tiles: of one size, unless a value is so dear that threads would wait.
//!
//! An entry of these kernels depends on its own two points, so no bit depends on how a matrix is cut, and the cut may
//! follow a measurement.

use crate::parallel;
use kern_core::{Binding, Kernel, Points, Scratch};
use std::hint::black_box;
use std::time::Instant;

/// Edge of a tile: 256² doubles are 512 KiB, half of a typical second-level cache.
pub const TILE_EDGE: usize = 256;

/// Seconds of a tile beside which a task costs nothing.
const TILE_SECONDS: f64 = 1e-4;

/// Tiles per thread, if values are dear: the threads that end first wait for less than this part.
const TILES_PER_THREAD: usize = 16;

/// Tells whether values between these points are computed one by one, each from its own two points.
pub(crate) fn by_pairs<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    binding: &Binding<'_, K, P>,
    points: &P,
) -> bool {
    binding.is_pointwise() && points.entries_are_local()
}

/// The edge of the tiles of a symmetric matrix: smaller than [`TILE_EDGE`] if values are dear and
/// threads would wait.
pub(crate) fn symmetric_edge<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    binding: &Binding<'_, K, P>,
    points: &P,
) -> usize {
    let n = points.len();
    edge(binding, points, (n, n), n.saturating_mul(n) / 2)
}

/// The same for a matrix of so many rows and columns.
pub(crate) fn cross_edge<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    binding: &Binding<'_, K, P>,
    points: &P,
    (rows, cols): (usize, usize),
) -> usize {
    edge(binding, points, (rows, cols), rows.saturating_mul(cols))
}

fn edge<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    binding: &Binding<'_, K, P>,
    points: &P,
    shape: (usize, usize),
    values: usize,
) -> usize {
    let threads = parallel::workers();
    let shared = (values / threads.saturating_mul(TILES_PER_THREAD).max(1)).isqrt();
    if threads == 1 || shared >= TILE_EDGE || values == 0 || !by_pairs(binding, points) {
        return TILE_EDGE;
    }
    // From infinitely many values in no time to one.
    let worth = (TILE_SECONDS / seconds_per_value(binding, shape)).sqrt().ceil();
    shared.max(if worth < TILE_EDGE as f64 { worth as usize } else { TILE_EDGE }).max(1)
}

/// The seconds of a value, from two of them, or four where these do not take long: the first ones
/// find cold caches.
fn seconds_per_value<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    binding: &Binding<'_, K, P>,
    (rows, cols): (usize, usize),
) -> f64 {
    let mut scratch = Scratch::new();
    let few = 0..cols.min(2);
    let mut seconds = |row: usize| {
        let start = Instant::now();
        binding.with_block(row..row + 1, few.clone(), &mut scratch, |block| {
            black_box(block[(0, 0)]);
        });
        start.elapsed().as_secs_f64() / few.len() as f64
    };
    let first = seconds(rows - 1);
    if first > TILE_SECONDS { first } else { first.min(seconds(rows / 2)) }
}
