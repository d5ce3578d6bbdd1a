//! Timing of a kernel or a feature map on some of the points that it will be used on.

use crate::{Error, transform_into};
use faer::Mat;
use kern_core::{FeatureMap, Kernel, Points, Scalar};
use kern_gram::numerics::stopwatch::fastest;
use kern_gram::threads;
use kern_gram::{GramOperator, LazyGram, TILE_EDGE, zeros};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use web_time::Instant;

/// Points of a measurement: two tiles in each direction, so that several threads have work.
pub(super) const POINTS: usize = 2 * TILE_EDGE;
/// A measurement of at least this length is reliable.
const ENOUGH: f64 = 1e-3;
/// Points of the first, smallest measurement.
const FEW: usize = 4;
/// The smallest number of repeats of a measurement; the fastest counts.
pub const REPEATS: usize = 3;

/// The measured time of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSeconds {
    /// Seconds of work per point before the first value, such as an embedding.
    pub per_point: f64,
    /// Seconds per kernel value.
    pub per_value: f64,
    /// True if that work is kept with the points, see [`Kernel::bind`](kern_core::Kernel::bind).
    pub bound: bool,
}

/// Seconds per kernel value on one thread, from a few single evaluations: a fast upper bound.
pub fn kernel_seconds_bound<P, K>(kernel: &K, points: &P) -> f64
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    /// Rounds, of which the fastest counts: the first runs with cold caches.
    const ROUNDS: usize = 4;
    /// A round of at least this many seconds is not repeated.
    const LONG: f64 = 1e-3;
    let n = points.len();
    let mut smallest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for k in 0..FEW {
            // With fewer points than pairs, the first ones are repeated.
            let last = ((k + 1) * n / FEW).saturating_sub(1);
            black_box(kernel.eval(points.item(k * n / FEW), points.item(last)));
        }
        let seconds = start.elapsed().as_secs_f64();
        smallest = smallest.min(seconds);
        if seconds > LONG {
            break;
        }
    }
    smallest / FEW as f64
}

/// Seconds per kernel value with all threads, and per point before the first value.
pub fn kernel<P, K>(kernel: &K, points: &P) -> Result<KernelSeconds, Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    seconds_of(&kernel, points)
}

/// [`kernel`], compiled once for each kind of points.
fn seconds_of<P: Points>(kernel: &dyn Kernel<P>, points: &P) -> Result<KernelSeconds, Error> {
    growing(points, |some| {
        let m = some.len();
        let before = fastest(2, || Ok::<_, Error>(LazyGram::new(kernel, some)?))?;
        let gram = LazyGram::new(kernel, some)?;
        let some_columns: Vec<usize> = (0..m.min(TILE_EDGE)).collect();
        let v = Mat::full(some_columns.len(), 1, P::Scalar::ONE);
        let mut out = zeros(m, 1)?;
        gram.apply_columns_into(&[0], v.subrows(0, 1), out.as_mut())?; // finds the diagonal
        let run =
            || Ok::<_, Error>(gram.apply_columns_into(&some_columns, v.as_ref(), out.as_mut())?);
        let seconds = fastest(REPEATS, run)?;
        let per_value = seconds / (m * some_columns.len()) as f64 * shared(m, TILE_EDGE);
        let bound = kernel.bind(some, some, None).is_some();
        Ok((seconds, KernelSeconds { per_point: before / m as f64, per_value, bound }))
    })
}

/// Seconds per point, with all threads.
pub fn features<P, M>(map: &M, points: &P) -> Result<f64, Error>
where
    P: Points,
    M: FeatureMap<P> + ?Sized,
{
    /// Points that one thread transforms at a time.
    const CHUNK: usize = 128;
    growing(points, |some| {
        let m = some.len();
        let mut out = zeros(map.dim(), m)?;
        let seconds = fastest(REPEATS, || transform_into(map, some, out.as_mut()))?;
        Ok((seconds, seconds / m as f64 * shared(m, CHUNK)))
    })
}

/// The share of the time that it would take if all threads had work.
fn shared(points: usize, chunk: usize) -> f64 {
    let used = points.div_ceil(chunk).min(threads());
    used as f64 / threads() as f64
}

/// Measures growing numbers of points, spread over all, until a measurement is long enough.
fn growing<P: Points, R>(
    points: &P,
    measure: impl Fn(&P) -> Result<(f64, R), Error>,
) -> Result<R, Error> {
    let n = points.len();
    if n == 0 {
        return Err(Error::Zero { what: "the number of points" });
    }
    let mut count = FEW.min(n);
    loop {
        let indices: Vec<usize> = (0..count).map(|k| k * n / count).collect();
        let (seconds, result) = measure(&points.select(&indices)?)?;
        if seconds > ENOUGH || count >= n.min(POINTS) {
            return Ok(result);
        }
        count = (4 * count).min(n).min(POINTS);
    }
}
