//! Timing of short computations.

use web_time::Instant;

/// A measurement of at least this length is reliable.
const ENOUGH: f64 = 1e-3;
/// Two runs of at least this length need no third one.
const LONG: f64 = 1e-2;
/// The largest number of runs of something short: the first ones wake threads and fill caches.
const MOST_REPEATS: usize = 30;

/// The seconds of one run, including the drop of its result.
pub fn timed<R, E>(mut run: impl FnMut() -> Result<R, E>) -> Result<f64, E> {
    let start = Instant::now();
    drop(run()?);
    Ok(start.elapsed().as_secs_f64())
}

/// The fastest of several runs, in seconds: as many as requested, more while they are short, two if
/// they are long, since one may have been interrupted.
pub fn fastest<R, E>(repeats: usize, mut run: impl FnMut() -> Result<R, E>) -> Result<f64, E> {
    let (mut smallest, mut spent, mut runs) = (f64::INFINITY, 0.0, 0);
    while runs < 2 || (runs < repeats && spent < LONG) || (spent < ENOUGH && runs < MOST_REPEATS) {
        let seconds = timed(&mut run)?;
        smallest = smallest.min(seconds);
        spent += seconds;
        runs += 1;
    }
    Ok(smallest)
}
