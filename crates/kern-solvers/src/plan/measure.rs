//! Measuring a kernel or a feature map on some of the points that it is for.

use super::calibrate::threads;
use crate::Error;
use faer::Mat;
use kern_approx::transform_into;
use kern_core::{FeatureMap, Kernel, Points, Scalar};
use kern_gram::{GramOperator, LazyGram, TILE_EDGE, zeros};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::Instant;

/// Points of a measurement: two tiles in each direction, so that there is work for some threads.
pub(super) const POINTS: usize = 2 * TILE_EDGE;
/// A measurement that took so long is long enough.
const ENOUGH: f64 = 1e-3;
/// Two repeats that took so long need no third one.
const LONG: f64 = 1e-2;
/// Points of the first, smallest measurement.
const FEW: usize = 4;
/// The least number of repetitions of a measurement; the least counts.
pub(crate) const REPEATS: usize = 3;
/// And at most, if it is short: the first runs wake threads and fill caches.
const MOST_REPEATS: usize = 30;

/// The measured time of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KernelSeconds {
    /// Work per point before the first value, such as an embedding.
    pub(crate) per_point: f64,
    pub(crate) per_value: f64,
    /// True if that work is kept with the points, see [`Kernel::bind`](kern_core::Kernel::bind).
    pub(crate) bound: bool,
}

/// Seconds per kernel value on one thread, from a few single ones: an upper bound that costs next to nothing.
pub(super) fn glimpse<P, K>(kernel: &K, points: &P) -> f64
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = points.len();
    let start = Instant::now();
    for k in 0..FEW {
        black_box(kernel.eval(points.item(k * n / FEW), points.item((k + 1) * n / FEW - 1)));
    }
    start.elapsed().as_secs_f64() / FEW as f64
}

/// Seconds per kernel value, with all threads, and per point before the first value.
pub(crate) fn kernel<P, K>(kernel: &K, points: &P) -> Result<KernelSeconds, Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    growing(points, |some| {
        let m = some.len();
        let before = fastest(2, || Ok(LazyGram::new(kernel, some)?))?;
        let gram = LazyGram::new(kernel, some)?;
        let some_columns: Vec<usize> = (0..m.min(TILE_EDGE)).collect();
        let v = Mat::full(some_columns.len(), 1, P::Scalar::ONE);
        let mut out = zeros(m, 1)?;
        gram.apply_columns_into(&[0], v.subrows(0, 1), out.as_mut())?; // finds the diagonal
        let run = || Ok(gram.apply_columns_into(&some_columns, v.as_ref(), out.as_mut())?);
        let seconds = fastest(REPEATS, run)?;
        let per_value = seconds / (m * some_columns.len()) as f64 * shared(m, TILE_EDGE);
        let bound = kernel.bind(some, some).is_some();
        Ok((seconds, KernelSeconds { per_point: before / m as f64, per_value, bound }))
    })
}

/// Seconds per kernel value, with all threads.
pub(crate) fn seconds_per_value<P, K>(kernel: &K, points: &P) -> Result<f64, Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    Ok(self::kernel(kernel, points)?.per_value)
}

/// Seconds per point, with all threads.
pub(crate) fn features<P, M>(map: &M, points: &P) -> Result<f64, Error>
where
    P: Points,
    M: FeatureMap<P> + ?Sized,
{
    /// Points that one thread transforms at a time.
    const CHUNK: usize = 128;
    growing(points, |some| {
        let m = some.len();
        let mut out = zeros(map.dim(), m)?;
        let seconds = fastest(REPEATS, || Ok(transform_into(map, some, out.as_mut())?))?;
        Ok((seconds, seconds / m as f64 * shared(m, CHUNK)))
    })
}

/// The part of the time that it would take if there were work for all threads.
fn shared(points: usize, chunk: usize) -> f64 {
    let used = points.div_ceil(chunk).min(threads());
    used as f64 / threads() as f64
}

/// Measures ever more points, spread over all, until that takes long enough.
fn growing<P: Points, R>(
    points: &P,
    measure: impl Fn(&P) -> Result<(f64, R), Error>,
) -> Result<R, Error> {
    let n = points.len();
    if n == 0 {
        return Err(Error::Empty);
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

/// The time of one run, until its result is gone.
pub(super) fn timed<R>(mut run: impl FnMut() -> Result<R, Error>) -> Result<f64, Error> {
    let start = Instant::now();
    drop(run()?);
    Ok(start.elapsed().as_secs_f64())
}

/// The least time of some runs: as many as are asked for, more while they are short, two if
/// they are long: one may have met with an interruption.
pub(crate) fn fastest<R>(
    repeats: usize,
    mut run: impl FnMut() -> Result<R, Error>,
) -> Result<f64, Error> {
    let (mut least, mut spent, mut runs) = (f64::INFINITY, 0.0, 0);
    while runs < 2 || (runs < repeats && spent < LONG) || (spent < ENOUGH && runs < MOST_REPEATS) {
        let seconds = timed(&mut run)?;
        least = least.min(seconds);
        spent += seconds;
        runs += 1;
    }
    Ok(least)
}
