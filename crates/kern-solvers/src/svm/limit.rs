//! The limit of the time of a machine on a kernel.

use crate::Error;
use crate::plan::{Count, Effort, Way, Work, within};
use kern_core::{Kernel, Points};
use std::time::Duration;

/// Passes of the descent on landmarks.
const PASSES: f64 = 100.0;

/// Refuses problems with so many variables that are predicted to take longer than the limit: every kernel value once, and
/// as many steps as variables, each on two columns. Hard problems take more, which only their solution shows.
pub(super) fn check_time<P, K>(
    limit: Option<Duration>,
    on: (&K, &P),
    variables: impl Iterator<Item = usize>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = on.1.len();
    let steps: f64 = variables.map(|number| 2.0 * (number as f64).powi(2)).sum();
    let parts = vec![
        (Work::KernelValues, Count::values((n as f64).powi(2) / 2.0)),
        (Work::Steps, Count::numbers(steps)),
    ];
    let exact = Effort::counted(Way::GramCached, parts);
    within(limit, on, &[exact], &[Effort::by_passes(n, PASSES)])
}
