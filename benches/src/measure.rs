//! Timing: one warm-up, then repeats; and the peak memory of the process.

use crate::row::{Limit, Seconds};
use anyhow::{Context, Result};
use kern_core::Scalar;
use kern_core::faer::linalg::matmul::matmul;
use kern_core::faer::{Accum, MatMut, MatRef};
use kern_gram::parallelism;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

/// The least number of repeats.
const REPEATS: usize = 5;

/// The number of repeats once one took longer than [`LONG`].
const REPEATS_OF_LONG: usize = 3;

/// Seconds.
const LONG: f64 = 5.0;

/// Short bodies are repeated until they have taken so many seconds together, or so many times.
const ENOUGH: (f64, usize) = (0.5, 50);

/// What was measured, with the last result.
#[derive(Debug)]
pub struct Measured<T> {
    /// The result of the last repeat.
    pub last: T,
    /// The times of the repeats.
    pub seconds: Seconds,
    /// The peak memory of the process at the end of the last repeat.
    pub peak_rss_mib: Option<f64>,
    /// How many cores other processes kept busy meanwhile, on average.
    pub foreign_cores: Option<f64>,
}

/// Runs `body` once to warm up, and then repeatedly under the clock. Results are freed before the
/// next repeat and outside of its time, so memory that `body` allocates is fresh each time.
///
/// # Errors
/// The first one of `body`.
pub fn measure<T>(mut body: impl FnMut() -> Result<T>) -> Result<Measured<T>> {
    let (result, warm_up) = timed(&mut body)?;
    let mut last = Some(result);
    let mut times = Vec::new();
    let (start, busy) = (Instant::now(), foreign_seconds());
    while wants_more(warm_up, &times) {
        drop(last.take());
        let (result, seconds) = timed(&mut body)?;
        last = Some(result);
        times.push(seconds);
    }
    let peak_rss_mib = peak_rss_mib();
    let foreign = foreign_seconds().zip(busy).map(|(after, before)| after - before);
    let foreign_cores = foreign.map(|foreign| foreign.max(0.0) / start.elapsed().as_secs_f64());
    let last = last.context("nothing was measured")?;
    Ok(Measured { last, seconds: Seconds::new(&times)?, peak_rss_mib, foreign_cores })
}

fn timed<T>(body: &mut impl FnMut() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let result = black_box(body()?);
    Ok((result, start.elapsed().as_secs_f64()))
}

fn wants_more(warm_up: f64, times: &[f64]) -> bool {
    let slowest = times.iter().copied().fold(warm_up, f64::max);
    let least = if slowest > LONG { REPEATS_OF_LONG } else { REPEATS };
    let total: f64 = times.iter().sum();
    times.len() < least || (total < ENOUGH.0 && times.len() < ENOUGH.1)
}

/// The greatest resident memory that this process has had, where the system tells (Linux).
#[must_use]
pub fn peak_rss_mib() -> Option<f64> {
    high_water_mark(&fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmHWM:   123456 kB`, in MiB.
fn high_water_mark(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

/// Processor time of all other processes since the system started, where it tells (Linux).
fn foreign_seconds() -> Option<f64> {
    /// The unit of both files, the same on all platforms of Linux.
    const TICKS_PER_SECOND: f64 = 100.0;
    let all = ticks_of_all(&fs::read_to_string("/proc/stat").ok()?)?;
    let own = ticks_of_one(&fs::read_to_string("/proc/self/stat").ok()?)?;
    Some((all - own) / TICKS_PER_SECOND)
}

/// `cpu  user nice system idle iowait irq softirq steal …`: the sum without idle and iowait.
fn ticks_of_all(stat: &str) -> Option<f64> {
    let ticks = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().take(8);
    let ticks: Vec<f64> = ticks.map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(ticks.iter().sum::<f64>() - ticks.get(3)? - ticks.get(4)?)
}

/// `pid (name) state …`: fields 14 and 15 are user and system time. The name may hold anything.
fn ticks_of_one(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some(next()? + next()?)
}

/// The time of the bare matrix product out = a·b with all threads of this process: the limit of
/// whatever needs that product.
///
/// # Errors
/// None that can be expected.
pub fn gemm_limit<T: Scalar>(
    mut out: MatMut<'_, T>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
) -> Result<Limit> {
    let measured = measure(|| {
        matmul(out.as_mut(), Accum::Replace, a, b, T::ONE, parallelism());
        Ok(())
    })?;
    Ok(Limit { name: "gemm".to_owned(), seconds: measured.seconds.median })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warm_up_and_repeats_are_run() -> Result<()> {
        let mut runs = 0;
        let measured = measure(|| {
            runs += 1;
            Ok(runs)
        })?;
        assert_eq!(measured.seconds.repeats, ENOUGH.1);
        assert_eq!(measured.last, ENOUGH.1 + 1);
        Ok(())
    }

    #[test]
    fn long_bodies_are_repeated_less_often() {
        assert!(wants_more(9.0, &[9.0, 9.0]) && !wants_more(9.0, &[4.0, 4.0, 4.0]));
        assert!(wants_more(2.0, &[2.0; 4]) && !wants_more(2.0, &[2.0; 5]));
        assert!(wants_more(0.0, &[0.05; 6]) && !wants_more(0.0, &[0.125; 5]));
    }

    #[test]
    fn an_error_of_the_body_is_passed_on() {
        assert!(measure(|| -> Result<()> { anyhow::bail!("no") }).is_err());
    }

    #[test]
    fn the_peak_is_read_in_mib() {
        let status = "Name:\tbench\nVmPeak:\t  9999 kB\nVmHWM:\t    2048 kB\n";
        assert_eq!(high_water_mark(status), Some(2.0));
        assert_eq!(high_water_mark("Name:\tbench\n"), None);
        assert_eq!(foreign_seconds().is_some(), cfg!(target_os = "linux"));
        assert_eq!(peak_rss_mib().is_some(), cfg!(target_os = "linux"));
    }

    #[test]
    fn processor_time_is_read_without_idle_time() {
        let stat = "cpu  10 20 30 4000 500 6 7 8 90 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(ticks_of_all(stat), Some(81.0));
        let stat = "12 (a) b) R 1 1 1 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 1";
        assert_eq!(ticks_of_one(stat), Some(300.0));
        assert!(ticks_of_all("").is_none() && ticks_of_one("12 (a) R 1").is_none());
    }
}
