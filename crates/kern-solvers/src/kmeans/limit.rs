//! The limit of the time of k-means on a kernel.

use super::params::Runs;
use crate::Error;
use crate::plan::{Count, Effort, Way, Work, within};
use kern_core::{Kernel, Points};
use std::time::Duration;

/// Iterations that a run takes, of which not all look at the whole matrix.
const ITERATIONS: f64 = 10.0;

/// Refuses these runs if they are predicted to take longer than the limit, on a stored matrix or on one whose columns
/// are computed whenever they are needed.
pub(super) fn check_time<P, K>(
    limit: Option<Duration>,
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
    within(limit, on, &[effort], &[Effort::by_passes(n, passes)])
}
