//! The limit of the time of k-means.

use super::params::Runs;
use crate::Error;
use crate::plan::{Count, Effort, Limits, Way, Work, within};
use kern_core::{Kernel, Points};

/// Looks of a run at the whole matrix: most iterations look at the columns of points that move.
pub(super) const ITERATIONS: f64 = 4.0;

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
