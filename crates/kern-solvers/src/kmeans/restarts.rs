//! Runs with starts of their own, and the best of them.

use super::KMeansReport;
use crate::Error;
use kern_gram::{matrix_bytes, parallel, tile_ranges};

/// Runs that are made side by side, at most.
const MOST: u64 = 16;

/// How many runs for k clusters of n points may be made side by side, if so many bytes are left beside the sums of one.
///
/// A run on few points does not keep many threads busy. Seen with ten runs for ten clusters of points in R¹⁰ on two threads,
/// seconds one after the other and side by side: n = 200 0.0011/0.0008, 500 0.0035/0.0022, 1000 0.013/0.0064,
/// 2000 0.061/0.036, 5000 0.41/0.37.
pub(super) fn side_by_side(n: usize, k: usize, left: u64) -> usize {
    let more = left / matrix_bytes::<f64>(n, k).max(1);
    1 + more.min(MOST - 1) as usize
}

/// The run of least objective, the first of equals, with the distances of all of them. Which runs are made at once has no
/// influence on any of them.
pub(super) fn best_run<S: Send>(
    runs: usize,
    at_once: usize,
    run: impl Fn(usize) -> Result<(S, KMeansReport), Error> + Send + Sync,
) -> Result<(S, KMeansReport), Error> {
    let mut best: Option<(S, KMeansReport)> = None;
    let mut distances = 0;
    for numbers in tile_ranges(runs, at_once) {
        for outcome in parallel::map_init(numbers.collect(), || (), |(), number| run(number)) {
            let (state, report) = outcome?;
            distances += report.distances;
            if best.as_ref().is_none_or(|(_, best)| report.objective < best.objective) {
                best = Some((state, report));
            }
        }
    }
    let (state, report) = best.ok_or(Error::Empty)?;
    Ok((state, KMeansReport { distances, ..report }))
}
