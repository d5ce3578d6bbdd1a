//! The limit of the time of k-means.

use super::params::{Rules, Runs};
use crate::Error;
use crate::plan::{Count, Effort, Limits, Way, Work, within};
use crate::sgd::check_features;
use kern_core::{FeatureMap, Kernel, Points};

/// Looks of a run at the whole matrix: most iterations look at the columns of points that move.
const ITERATIONS: f64 = 4.0;

/// Refuses these runs if they are predicted to take longer than the limit, on a stored matrix or on one whose columns
/// are computed whenever they are needed.
pub(super) fn check_time<P, K>(
    limits: Limits<'_>,
    on: (&K, &P),
    (runs, stored): (&Runs, bool),
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = on.1.len();
    let pairs = (n as f64).powi(2);
    let passes = runs.count() as f64 * ITERATIONS.min(1.0 + runs.max_iterations as f64);
    let effort = if stored {
        let parts = vec![
            (Work::KernelValues, Count::values(pairs / 2.0)),
            (Work::Products, Count::numbers(passes * pairs)),
        ];
        Effort::counted(Way::GramCached, parts)
    } else {
        let parts = vec![(Work::KernelValues, Count::values(passes * pairs))];
        Effort::counted(Way::KernelOnTheFly, parts)
    };
    within(limits, on, &[effort], &[Effort::by_passes(n, passes)])
}

/// The same on features, stored or computed in every pass.
pub(super) fn check_time_on_features<P: Points, M: FeatureMap<P>>(
    limits: Limits<'_>,
    (map, points): (&M, &P),
    (runs, stored): (&Runs, bool),
) -> Result<(), Error> {
    let passes = (ITERATIONS as usize).min(runs.max_iterations.saturating_add(1));
    let samples = points.len().saturating_mul(runs.count()).saturating_mul(passes);
    let way = if stored { Way::FeaturesCached } else { Way::FeaturesOnTheFly };
    check_features(map, points, samples, runs.clusters, way, limits)
}

/// The same by batches of this size: seeds, the fewest iterations after which a run may have converged, and labels.
pub(super) fn check_time_by_batches<P, K>(
    limits: Limits<'_>,
    on: (&K, &P),
    (runs, rules, size): (&Runs, &Rules, usize),
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let (n, k, size) = (on.1.len() as f64, runs.clusters as f64, size as f64);
    let iterations = rules.patience.saturating_mul(2).min(runs.max_iterations) as f64;
    let seeds = n * k * runs.draws() as f64;
    // Centres grow by the points that they are given.
    let centre = (rules.truncation as f64).min(1.0 + iterations * size / k);
    let batches = iterations * size * k;
    let values = runs.count() as f64 * (seeds + batches) + n * k * centre;
    let parts = vec![(Work::KernelValues, Count::values(values))];
    within(limits, on, &[Effort::counted(Way::KernelOnTheFly, parts)], &[])
}
