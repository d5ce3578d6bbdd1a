//! The limit of the time of a machine on a kernel.

use super::matrix::is_stored;
use crate::Error;
use crate::plan::{Count, Effort, Limits, Way, Work, within};
use kern_core::{Kernel, Points};

/// Passes of the descent on landmarks.
const PASSES: f64 = 100.0;

/// The least share of points that become support vectors, as far as is known before the fit.
const SUPPORT: f64 = 0.1;

/// Refuses problems with so many variables that are predicted to take longer than the limit: the kernel values, of which
/// only the columns of support vectors are computed where the matrix is not stored, and a step on two columns for each
/// support vector. Hard problems take more, which only their solution shows.
pub(super) fn check_time<P, K>(
    limits: Limits<'_>,
    on: (&K, &P),
    variables: impl Iterator<Item = usize>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = on.1.len();
    let computed = if is_stored::<P::Scalar>(n, limits.1) { 0.5 } else { SUPPORT };
    let steps: f64 = variables.map(|number| 2.0 * SUPPORT * (number as f64).powi(2)).sum();
    let parts = vec![
        (Work::KernelValues, Count::values(computed * (n as f64).powi(2))),
        (Work::Steps, Count::numbers(steps)),
    ];
    let exact = Effort::counted(Way::GramCached, parts);
    within(limits, on, &[exact], &[Effort::by_passes(n, PASSES)])
}
