//! Runs with starts of their own, and the best of them.

use super::watch::Watch;
use crate::{Details, Error, KMeansDetails, Report, Status};
use kern_gram::{matrix_bytes, parallel};

/// Runs that are made side by side, at most.
const MOST: u64 = 16;

/// The number of runs for k clusters of n points that may be made side by side, if so many bytes are left beside the
/// sums of one.
///
/// A run on few points does not keep many threads busy. Seen with ten runs for ten clusters of points in R¹⁰ on two threads,
/// seconds one after the other and side by side: n = 200 0.0011/0.0008, 500 0.0035/0.0022, 1000 0.013/0.0064,
/// 2000 0.061/0.036, 5000 0.41/0.37.
pub(super) fn side_by_side(n: usize, k: usize, left: u64) -> usize {
    let more = left / matrix_bytes::<f64>(n, k).max(1);
    1 + more.min(MOST - 1) as usize
}

/// The outcome of a run.
pub(super) struct Ended<S> {
    pub(super) clusters: S,
    pub(super) status: Status,
    pub(super) iterations: usize,
    pub(super) objective: f64,
    pub(super) details: KMeansDetails,
}

impl<S> Ended<S> {
    /// The same with another form of its clusters.
    pub(super) fn map<R>(self, f: impl FnOnce(S) -> R) -> Ended<R> {
        let Self { clusters, status, iterations, objective, details } = self;
        Ended { clusters: f(clusters), status, iterations, objective, details }
    }

    /// The report, and what it is on.
    pub(super) fn reported(self) -> (S, Report) {
        let Self { clusters, status, iterations, objective, details } = self;
        let gap = details.lower_bound.map(|bound| objective - bound);
        let report = Report::new(status, iterations, objective, gap);
        (clusters, Report { details: Details::KMeans(details), ..report })
    }
}

/// The run of least objective, the first of equals, with the distances and kernel values of all of them. Which runs are
/// made at once has no influence on any of them.
pub(super) fn best_run<S: Send>(
    (runs, at_once): (usize, usize),
    watch: &Watch<'_>,
    run: impl Fn(usize) -> Result<Ended<S>, Error> + Send + Sync,
) -> Result<Ended<S>, Error> {
    let mut best: Option<Ended<S>> = None;
    let (mut distances, mut kernel_values) = (0, 0);
    let at_once = watch.at_once(at_once);
    // One batch of runs after the other: a list of all would not fit the memory for as many as may be asked for.
    for first in (0..runs).step_by(at_once) {
        let numbers = first..runs.min(first.saturating_add(at_once));
        for ended in parallel::map_init(numbers.collect(), || (), |(), number| run(number)) {
            let ended = ended?;
            distances += ended.details.distances;
            kernel_values += ended.details.kernel_values;
            if best.as_ref().is_none_or(|best| ended.objective < best.objective) {
                best = Some(ended);
            }
        }
        if watch.is_stopped() {
            break;
        }
    }
    let mut best = best.ok_or(Error::Empty)?;
    (best.details.distances, best.details.kernel_values) = (distances, kernel_values);
    if watch.is_stopped() {
        best.status = Status::Stopped;
    }
    Ok(best)
}

/// Clusters without a point of positive weight.
pub(super) fn empty(labels: impl Iterator<Item = usize>, weights: &[f64], k: usize) -> usize {
    let mut filled = vec![false; k];
    let weighted = labels.zip(weights).filter(|&(_, &weight)| weight > 0.0);
    weighted.for_each(|(label, _)| filled[label] = true);
    filled.iter().filter(|&&filled| !filled).count()
}
