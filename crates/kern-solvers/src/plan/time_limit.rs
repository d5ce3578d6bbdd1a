//! The limit of the predicted time of a fit.

use super::{Effort, Machine, Pace, Precision, Prediction};
use crate::Error;
use kern_approx::machine;
use kern_core::{Kernel, Points};
use kern_gram::MemoryBudget;
use kern_gram::numerics::units::Seconds;
use std::sync::Arc;
use std::time::Duration;

/// The factor by which an unmeasured machine may be slower than the nominal one.
pub(crate) const SLOWEST: f64 = 20.0;

/// Seconds per kernel value. If all values at this rate would exceed the limit, some are measured.
const EXPENSIVE: f64 = 1e-3;

/// The bytes that the measurement of the machine needs; with less memory the nominal machine is
/// used.
const MEASUREMENT: u64 = 160 << 20;

/// The limit of the predicted time of a fit, and its memory.
pub(crate) type Limits<'l> = (Option<Duration>, &'l MemoryBudget);

/// Fails before a fit on a kernel begins if all of these methods are predicted to exceed the limit;
/// the error lists those `others`, methods of other learners or spaces, that are faster.
///
/// # Complexity
/// Far below the limit only single values of potentially expensive kernels are timed; near it the
/// kernel is timed on up to 512 points and, once per process, the machine is measured.
pub(crate) fn within<P, K>(
    limits: Limits<'_>,
    kernel: &K,
    points: &P,
    algorithms: &[Effort],
    others: &[(String, Effort)],
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    within_by(limits, &kernel, points, algorithms, others)
}

/// [`within`], compiled once per kind of points.
fn within_by<P: Points>(
    limits: Limits<'_>,
    kernel: &dyn Kernel<P>,
    points: &P,
    algorithms: &[Effort],
    others: &[(String, Effort)],
) -> Result<(), Error> {
    let coarse = || {
        let Pace { kernel_value, flop, number } = slow(precision::<P>());
        let values = algorithms.iter().map(Effort::kernel_values).fold(f64::INFINITY, f64::min);
        let kernel_value = kernel_value.max(upper(limits.0, kernel, points, values));
        smallest(algorithms, &Pace { kernel_value, flop, number })
    };
    let careful = || {
        let mut pace = Pace::of(&measured(limits.1, Machine::bare)?, precision::<P>(), 0.0);
        pace.kernel_value = machine::kernel(kernel, points)?.per_value;
        let named = |(name, effort): &(String, Effort)| (name.clone(), effort.at(&pace));
        Ok((smallest(algorithms, &pace), others.iter().map(named).collect()))
    };
    refuse_beyond(limits.0, coarse, careful)
}

/// The machine measured by this function, or the nominal one if memory is insufficient.
pub(crate) fn measured(
    budget: &MemoryBudget,
    measure: impl FnOnce() -> Result<Arc<Machine>, Error>,
) -> Result<Machine, Error> {
    if budget.fits(MEASUREMENT) { Ok(*measure()?) } else { Ok(Machine::NOMINAL) }
}

/// An upper bound on the seconds per kernel value if this many might exceed the limit; otherwise 0.
pub(crate) fn upper<P, K>(limit: Option<Duration>, kernel: &K, points: &P, values: f64) -> f64
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let expensive = limit.is_some_and(|limit| values * EXPENSIVE > limit.as_secs_f64());
    if expensive { machine::kernel_seconds_bound(kernel, points) } else { 0.0 }
}

/// Fails in two stages: a prediction that is checked for the slowest machine and, if that exceeds
/// the limit, the prediction for this machine, which comes with alternatives.
pub(crate) fn refuse_beyond(
    limit: Option<Duration>,
    coarse: impl FnOnce() -> f64,
    careful: impl FnOnce() -> Result<(f64, Vec<(String, Prediction)>), Error>,
) -> Result<(), Error> {
    let Some(limit) = limit else { return Ok(()) };
    if coarse() <= limit.as_secs_f64() {
        return Ok(());
    }
    let (seconds, others) = careful()?;
    if seconds <= limit.as_secs_f64() {
        return Ok(());
    }
    let predicted = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Err(Error::TooLong { predicted, limit, cheaper: cheaper(seconds, &others) })
}

/// The faster ones of some alternatives as text, fastest first.
fn cheaper(seconds: f64, others: &[(String, Prediction)]) -> String {
    let mut faster: Vec<_> = others.iter().filter(|(_, other)| other.seconds() < seconds).collect();
    faster.sort_by(|(_, a), (_, b)| a.seconds().total_cmp(&b.seconds()));
    let phrase = |(name, other): &&(String, Prediction)| {
        format!("{name} would take {}", Seconds(other.seconds()))
    };
    faster.iter().map(phrase).collect::<Vec<_>>().join(", ")
}

/// The seconds of the fastest method.
fn smallest(algorithms: &[Effort], pace: &Pace) -> f64 {
    algorithms.iter().map(|algorithm| algorithm.at(pace).seconds()).fold(f64::INFINITY, f64::min)
}

/// The pace of the slowest machine considered.
fn slow(precision: Precision) -> Pace {
    let Pace { kernel_value, flop, number } = Pace::nominal(precision);
    Pace { kernel_value: SLOWEST * kernel_value, flop: SLOWEST * flop, number: SLOWEST * number }
}

fn precision<P: Points>() -> Precision {
    Precision::of::<P::Scalar>()
}
