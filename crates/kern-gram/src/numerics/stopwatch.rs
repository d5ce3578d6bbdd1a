//! The time that something takes.

use std::time::Instant;

/// A measurement that took so long is long enough.
const ENOUGH: f64 = 1e-3;
/// Two repeats that took so long need no third one.
const LONG: f64 = 1e-2;
/// The most repeats of something short: the first runs wake threads and fill caches.
const MOST_REPEATS: usize = 30;

/// The seconds of one run, until its result is gone.
pub fn timed<R, E>(mut run: impl FnMut() -> Result<R, E>) -> Result<f64, E> {
    let start = Instant::now();
    drop(run()?);
    Ok(start.elapsed().as_secs_f64())
}

/// The least seconds of some runs: as many as are asked for, more while they are short, two if
/// they are long: one may have met with an interruption.
pub fn fastest<R, E>(repeats: usize, mut run: impl FnMut() -> Result<R, E>) -> Result<f64, E> {
    let (mut least, mut spent, mut runs) = (f64::INFINITY, 0.0, 0);
    while runs < 2 || (runs < repeats && spent < LONG) || (spent < ENOUGH && runs < MOST_REPEATS) {
        let seconds = timed(&mut run)?;
        least = least.min(seconds);
        spent += seconds;
        runs += 1;
    }
    Ok(least)
}
