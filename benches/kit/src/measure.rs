//! Timing: one warm-up, then repeats.

use crate::process;
use crate::row::Seconds;
use anyhow::{Context, Result};
use std::hint::black_box;
use std::time::Instant;

/// The least number of repeats.
const REPEATS: usize = 5;

/// The number of repeats once one took longer than [`LONG`].
const REPEATS_OF_LONG: usize = 3;

/// Seconds.
const LONG: f64 = 5.0;

/// Short bodies are repeated until they have taken so many seconds together, or [`MOST`] times.
pub const ENOUGH: f64 = 0.5;

/// The same if nobody waits for their turn: it takes many repeats to tell a slowdown from noise.
pub const ENOUGH_ALONE: f64 = 5.0;

/// The greatest number of repeats.
pub const MOST: usize = 25;

/// The system counts processor time in steps that are too coarse for less than so many seconds.
const TELLING: f64 = 0.25;

/// Cores that other processes may keep busy without being noted.
const QUIET: f64 = 0.05;

/// Who says when to run the body again.
pub trait Pace {
    /// Tells whether to run it, after runs that took so many seconds. The first one is the warm-up.
    ///
    /// # Errors
    /// If whoever is asked does not answer.
    fn again(&mut self, seconds: &[f64]) -> Result<bool>;
}

/// Repeats at once, until there are enough.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Pace for Alone {
    fn again(&mut self, seconds: &[f64]) -> Result<bool> {
        Ok(lacks_repeats(seconds) || gains_from_more(seconds, ENOUGH))
    }
}

/// Tells whether these are fewer runs than a result needs.
#[must_use]
pub fn lacks_repeats(seconds: &[f64]) -> bool {
    let are_long = fastest(seconds).is_some_and(|fastest| fastest > LONG);
    seconds.len() <= if are_long { REPEATS_OF_LONG } else { REPEATS }
}

/// Tells whether the runs were so short that more of them cost little: less than `enough` seconds together.
#[must_use]
pub fn gains_from_more(seconds: &[f64], enough: f64) -> bool {
    let repeats = repeats(seconds);
    repeats.iter().sum::<f64>() < enough && repeats.len() < MOST
}

/// The fastest repeat, once there is one.
#[must_use]
pub fn fastest(seconds: &[f64]) -> Option<f64> {
    repeats(seconds).iter().copied().reduce(f64::min)
}

/// All runs but the warm-up.
fn repeats(seconds: &[f64]) -> &[f64] {
    seconds.get(1..).unwrap_or_default()
}

/// A measurement, with the last result.
#[derive(Debug)]
pub struct Measured<T> {
    /// The result of the last repeat.
    pub last: T,
    /// The times of the repeats.
    pub seconds: Seconds,
    /// The peak memory of the process from the warm-up to the end of the last repeat.
    pub peak_rss_mib: Option<f64>,
    /// The part of it that was not there before the warm-up.
    pub added_mib: Option<f64>,
    /// The number of cores that other processes kept busy during the repeats, on average.
    pub foreign_cores: Option<f64>,
}

impl<T> Measured<T> {
    /// A remark for the reader if others were at work during the repeats, empty otherwise.
    #[must_use]
    pub fn note(&self) -> String {
        match self.foreign_cores {
            Some(cores) if cores > QUIET => format!("other processes used {cores:.1} cores"),
            _ => String::new(),
        }
    }
}

/// Runs `body` under the clock, once to warm up and then as often as `pace` says. Results are freed
/// before the next repeat and outside of its time, so memory that `body` allocates is fresh each
/// time.
///
/// # Errors
/// The first one of `body` or `pace`, or if `pace` stops before the first repeat.
pub fn measure<T>(pace: &mut dyn Pace, body: impl FnMut() -> Result<T>) -> Result<Measured<T>> {
    measure_by(pace, |_, run| run, body)
}

/// As [`measure`], for a body of which a part counts: `seconds_of` returns its time, given the
/// result and the time of the whole run.
///
/// # Errors
/// As [`measure`].
pub fn measure_by<T>(
    pace: &mut dyn Pace,
    seconds_of: impl Fn(&T, f64) -> f64,
    mut body: impl FnMut() -> Result<T>,
) -> Result<Measured<T>> {
    process::reset_peak_rss();
    let before = process::rss_mib();
    let mut last = None;
    let mut seconds = Vec::new();
    let (mut foreign, mut total) = (Some(0.0), 0.0_f64);
    while pace.again(&seconds)? {
        drop(last.take());
        let (busy, start) = (process::foreign_seconds(), Instant::now());
        let result = black_box(body()?);
        let elapsed = start.elapsed().as_secs_f64();
        if !seconds.is_empty() {
            let added = process::foreign_since(busy);
            foreign = foreign.zip(added).map(|(foreign, added)| foreign + added);
            total += elapsed;
        }
        seconds.push(seconds_of(&result, elapsed));
        last = Some(result);
    }
    let peak_rss_mib = process::peak_rss_mib();
    let added_mib = peak_rss_mib.zip(before).map(|(peak, before)| peak - before);
    let repeats = repeats(&seconds);
    let foreign = foreign.filter(|_| total > TELLING);
    let foreign_cores = foreign.map(|foreign| foreign.max(0.0) / total);
    let last = last.context("nothing was measured")?;
    let seconds = Seconds::new(repeats)?;
    Ok(Measured { last, seconds, peak_rss_mib, added_mib, foreign_cores })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warm_up_and_repeats_are_run() -> Result<()> {
        let mut runs = 0;
        let measured = measure(&mut Alone, || {
            runs += 1;
            Ok(runs)
        })?;
        assert_eq!(measured.seconds.repeats, MOST);
        assert_eq!(measured.last, MOST + 1);
        Ok(())
    }

    #[test]
    fn a_part_of_a_run_may_count() -> Result<()> {
        let measured = measure_by(&mut Alone, |part, _| *part, || Ok(0.25))?;
        assert_eq!((measured.seconds.min, measured.seconds.max), (0.25, 0.25));
        Ok(())
    }

    #[test]
    fn long_bodies_are_repeated_less_often() {
        assert!(lacks_repeats(&[]) && lacks_repeats(&[9.0]));
        assert!(lacks_repeats(&[9.0; 3]) && !lacks_repeats(&[9.0; 4]));
        // Neither a long warm-up nor a single interruption makes a long body.
        assert!(lacks_repeats(&[9.0, 4.0, 4.0, 4.0]) && lacks_repeats(&[9.0, 9.0, 4.0, 9.0]));
        assert!(lacks_repeats(&[2.0; 5]) && !lacks_repeats(&[2.0; 6]));
        assert!(gains_from_more(&[3.0, 0.05, 0.05], 0.5));
        assert!(!gains_from_more(&[0.0, 0.25, 0.25], 0.5));
        assert!(!gains_from_more(&[0.0; MOST + 1], 0.5));
    }

    #[test]
    fn an_error_is_passed_on() {
        assert!(measure(&mut Alone, || -> Result<()> { anyhow::bail!("no") }).is_err());
    }

    #[test]
    fn a_pace_without_repeats_is_an_error() {
        struct Once;
        impl Pace for Once {
            fn again(&mut self, seconds: &[f64]) -> Result<bool> {
                Ok(seconds.is_empty())
            }
        }
        assert!(measure(&mut Once, || Ok(())).is_err());
    }
}
