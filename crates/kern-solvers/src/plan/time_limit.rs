//! The limit of the predicted time of a fit.

use super::{Effort, Machine, Pace, Precision, Prediction};
use crate::Error;
use kern_approx::machine;
use kern_core::{Kernel, Points};
use kern_gram::MemoryBudget;
use kern_gram::numerics::units::Seconds;
use std::sync::Arc;
use std::time::Duration;

/// The factor by which a machine that is not measured may be slower than the nominal one.
pub(crate) const SLOWEST: f64 = 20.0;

/// Seconds per kernel value at which so many values that it would take longer than the limit are reason to look at some.
const DEAR: f64 = 1e-3;

/// Bytes that the measurement of the machine takes for a moment; in less memory the nominal machine stands for it.
const MEASUREMENT: u64 = 160 << 20;

/// The limit of the predicted time of a fit, and its memory.
pub(crate) type Limits<'l> = (Option<Duration>, &'l MemoryBudget);

/// Refuses a fit on a kernel before it begins if all of these ways are predicted to take longer than the limit;
/// the error names `others`, ways of other learners or spaces, as far as they are faster.
///
/// # Complexity
/// Far below the limit nothing is measured but single values of kernels that might be dear; near it the kernel, on up to
/// 512 points, and once per process the machine.
pub(crate) fn within<P, K>(
    limits: Limits<'_>,
    kernel: &K,
    points: &P,
    ways: &[Effort],
    others: &[(String, Effort)],
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    within_by(limits, &kernel, points, ways, others)
}

/// [`within`], compiled once for a kind of points.
fn within_by<P: Points>(
    limits: Limits<'_>,
    kernel: &dyn Kernel<P>,
    points: &P,
    ways: &[Effort],
    others: &[(String, Effort)],
) -> Result<(), Error> {
    let coarse = || {
        let Pace { kernel_value, flop, number } = slow(precision::<P>());
        let values = ways.iter().map(Effort::kernel_values).fold(f64::INFINITY, f64::min);
        let kernel_value = kernel_value.max(upper(limits.0, kernel, points, values));
        least(ways, &Pace { kernel_value, flop, number })
    };
    let careful = || {
        let mut pace = Pace::of(&measured(limits.1, Machine::bare)?, precision::<P>(), 0.0);
        pace.kernel_value = machine::kernel(kernel, points)?.per_value;
        let named = |(name, effort): &(String, Effort)| (name.clone(), effort.at(&pace));
        Ok((least(ways, &pace), others.iter().map(named).collect()))
    };
    refuse_beyond(limits.0, coarse, careful)
}

/// The machine as this measures it, or the nominal one if there is no memory to do so.
pub(crate) fn measured(
    budget: &MemoryBudget,
    measure: impl FnOnce() -> Result<Arc<Machine>, Error>,
) -> Result<Machine, Error> {
    if budget.fits(MEASUREMENT) { Ok(*measure()?) } else { Ok(Machine::NOMINAL) }
}

/// An upper bound on the seconds per kernel value, if so many of them might be too many; else 0.
pub(crate) fn upper<P, K>(limit: Option<Duration>, kernel: &K, points: &P, values: f64) -> f64
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let dear = limit.is_some_and(|limit| values * DEAR > limit.as_secs_f64());
    if dear { machine::glimpse(kernel, points) } else { 0.0 }
}

/// Refuses by two predictions: one that is too long on any machine, and, if it is beyond the limit, that of
/// this machine, which comes with what else could be done.
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

/// The faster ones of some others in words, the fastest first.
fn cheaper(seconds: f64, others: &[(String, Prediction)]) -> String {
    let mut faster: Vec<_> = others.iter().filter(|(_, other)| other.seconds() < seconds).collect();
    faster.sort_by(|(_, a), (_, b)| a.seconds().total_cmp(&b.seconds()));
    let phrase = |(name, other): &&(String, Prediction)| {
        format!("{name} would take {}", Seconds(other.seconds()))
    };
    faster.iter().map(phrase).collect::<Vec<_>>().join(", ")
}

/// The seconds of the fastest.
fn least(ways: &[Effort], pace: &Pace) -> f64 {
    ways.iter().map(|way| way.at(pace).seconds()).fold(f64::INFINITY, f64::min)
}

/// The pace of a machine that is slow in everything.
fn slow(precision: Precision) -> Pace {
    let Pace { kernel_value, flop, number } = Pace::nominal(precision);
    Pace { kernel_value: SLOWEST * kernel_value, flop: SLOWEST * flop, number: SLOWEST * number }
}

fn precision<P: Points>() -> Precision {
    Precision::of::<P::Scalar>()
}
