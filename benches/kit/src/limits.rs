//! The limits of the machine, measured: the rates that no program on it goes beyond.
//!
//! All rates are of all threads together, in units of 10⁹ per second, and the best of some repeats:
//! a limit is what can be reached, not what is usual. Each number of threads is measured in a process
//! of its own, like everything else here.

use anyhow::{Context, Result, ensure};
use kern_core::Scalar;
use kern_core::memory::{Pages, zero_vec};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::env;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

/// The name of the hidden subcommand that measures the limits.
pub const MEASURE_LIMITS: &str = "measure-limits";

/// The limits with one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The number of threads.
    pub threads: usize,
    /// Operations of fused multiply-adds on registers in double precision; one of them counts as two.
    pub fma_f64: f64,
    /// The same in single precision.
    pub fma_f32: f64,
    /// Values of the library's exp on numbers in cache, in double precision.
    pub exp_f64: f64,
    /// The same in single precision.
    pub exp_f32: f64,
    /// Bytes read from memory, in order.
    pub read: f64,
    /// Bytes of a triad, a ← b + s·c, which counts three numbers for each element.
    pub triad: f64,
    /// Bytes written to memory that was just mapped, in the largest pages that the system gives.
    pub fresh: f64,
    /// The same, in ordinary memory of the heap.
    pub fresh_heap: f64,
}

/// Numbers in each array in memory: 128 MiB, beyond most caches.
const LARGE: usize = 1 << 24;

/// Numbers in cache.
const SMALL: usize = 1024;

/// The extent of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Numbers in each array in memory.
    pub large: usize,
    /// Rounds of what stays in registers or in cache.
    pub rounds: usize,
    /// Repeats of each measurement.
    pub repeats: usize,
}

impl Extent {
    /// Enough to be beyond caches and clock ticks: some seconds.
    pub const FULL: Self = Self { large: LARGE, rounds: 1 << 20, repeats: 20 };
    /// Enough for a look: a fraction of a second.
    pub const QUICK: Self = Self { large: LARGE / 4, rounds: 1 << 18, repeats: 3 };
    /// Enough to see that it works.
    pub const TINY: Self = Self { large: 1 << 12, rounds: 16, repeats: 3 };
}

impl Limits {
    /// Measures with all threads of the global rayon pool.
    ///
    /// # Errors
    /// If there is no memory for it, or the clock is too coarse.
    pub fn measure(extent: Extent) -> Result<Self> {
        let limits = Self {
            threads: rayon::current_num_threads(),
            fma_f64: fma::<f64>(extent),
            fma_f32: fma::<f32>(extent),
            exp_f64: exp::<f64>(extent),
            exp_f32: exp::<f32>(extent),
            read: read(extent)?,
            triad: triad(extent)?,
            fresh: fresh(extent, || Ok(Pages::zeroed(extent.large)?))?,
            fresh_heap: fresh(extent, || Ok(zero_vec(extent.large)?))?,
        };
        ensure!(
            limits.rates().iter().all(|(_, rate)| rate.is_finite() && *rate > 0.0),
            "{limits:?}"
        );
        Ok(limits)
    }

    /// Runs the measurement in a new process of this program: the whole one, or the quick one.
    ///
    /// # Errors
    /// If that process fails, or says something else.
    pub fn of_a_child(threads: usize, is_quick: bool) -> Result<Self> {
        let program = env::current_exe().context("this program does not know its own path")?;
        let mut command = Command::new(program);
        command.args([MEASURE_LIMITS, "--threads", &threads.to_string()]);
        command.args(is_quick.then_some("--quick"));
        let output = command.output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the limits of the machine: {}", errors.trim());
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// The greater of both in each rate: who was held up once did less than the machine can.
    #[must_use]
    pub fn greater(&self, other: &Self) -> Self {
        Self {
            threads: self.threads,
            fma_f64: self.fma_f64.max(other.fma_f64),
            fma_f32: self.fma_f32.max(other.fma_f32),
            exp_f64: self.exp_f64.max(other.exp_f64),
            exp_f32: self.exp_f32.max(other.exp_f32),
            read: self.read.max(other.read),
            triad: self.triad.max(other.triad),
            fresh: self.fresh.max(other.fresh),
            fresh_heap: self.fresh_heap.max(other.fresh_heap),
        }
    }

    /// All rates with their names and units.
    #[must_use]
    pub fn rates(&self) -> [(&'static str, f64); 8] {
        [
            ("FMA f64, GFLOP/s", self.fma_f64),
            ("FMA f32, GFLOP/s", self.fma_f32),
            ("exp f64, 10⁹/s", self.exp_f64),
            ("exp f32, 10⁹/s", self.exp_f32),
            ("read, GB/s", self.read),
            ("triad, GB/s", self.triad),
            ("fresh pages, GB/s", self.fresh),
            ("fresh heap, GB/s", self.fresh_heap),
        ]
    }

    /// The greatest bandwidth that was seen, in 10⁹ bytes per second. A triad moves four numbers for
    /// each element, since an ordinary store reads the line first.
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        self.read.max(self.triad * 4.0 / 3.0)
    }
}

/// The rate of the fastest of some repeats that each do so much work.
fn best(repeats: usize, work: f64, mut body: impl FnMut()) -> f64 {
    const GIGA: f64 = 1e9;
    let seconds = (0..=repeats).map(|_| {
        let start = Instant::now();
        body();
        start.elapsed().as_secs_f64()
    });
    // The first one warms up.
    work / seconds.skip(1).fold(f64::INFINITY, f64::min) / GIGA
}

/// Runs it on every thread at once; each does all of it.
fn on_all_threads(work: impl Fn() + Sync) {
    rayon::broadcast(|_| work());
}

/// Sums in registers that do not wait for each other: two units of latency four keep eight busy, and
/// with their two factors twelve fit into sixteen registers.
const CHAINS: usize = 12;

/// s ← s·a + b in [`CHAINS`] registers, `rounds` times, with values that stay near 1.
struct Chains<T> {
    a: T,
    b: T,
    rounds: usize,
}

/// A number type that has a register form.
trait Register: Scalar {
    /// Operations of [`Chains`], run on this thread.
    fn chains(chains: Chains<Self>) -> f64;
}

macro_rules! register {
    ($t:ident, $lanes:ident, $splat:ident, $mul_add:ident, $reduce:ident) => {
        impl WithSimd for Chains<$t> {
            type Output = f64;

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> f64 {
                let (a, b) = (simd.$splat(self.a), simd.$splat(self.b));
                let mut sums = [b; CHAINS];
                for _ in 0..self.rounds {
                    for sum in &mut sums {
                        *sum = simd.$mul_add(*sum, a, b);
                    }
                }
                for sum in sums {
                    black_box(simd.$reduce(sum));
                }
                (2 * CHAINS * S::$lanes * self.rounds) as f64
            }
        }

        impl Register for $t {
            fn chains(chains: Chains<Self>) -> f64 {
                Arch::new().dispatch(chains)
            }
        }
    };
}

register!(f64, F64_LANES, splat_f64s, mul_add_f64s, reduce_sum_f64s);
register!(f32, F32_LANES, splat_f32s, mul_add_f32s, reduce_sum_f32s);

fn fma<T: Register>(extent: Extent) -> f64 {
    let half = || black_box(T::from_f64(0.5));
    let chains = |rounds| T::chains(Chains { a: half(), b: half(), rounds });
    let work = chains(extent.rounds) * rayon::current_num_threads() as f64;
    best(extent.repeats, work, || {
        on_all_threads(|| {
            chains(extent.rounds);
        });
    })
}

/// v ← exp(−v/2) again and again, which converges to an ordinary number.
fn exp<T: Scalar>(extent: Extent) -> f64 {
    let times = extent.rounds.div_ceil(SMALL) * 16;
    let work = (times * SMALL * rayon::current_num_threads()) as f64;
    best(extent.repeats, work, || {
        on_all_threads(|| {
            let mut v: Vec<T> = (0..SMALL).map(|i| T::from_f64(i as f64 / SMALL as f64)).collect();
            for _ in 0..times {
                T::exp_scaled(black_box(&mut v), T::from_f64(-0.5));
            }
            black_box(&v);
        });
    })
}

/// So many parts that every thread has one, each of them long.
fn part(len: usize) -> usize {
    len.div_ceil(4 * rayon::current_num_threads()).max(1)
}

fn filled(len: usize, value: f64) -> Result<Pages<f64>> {
    let mut pages = Pages::zeroed(len)?;
    pages.par_chunks_mut(part(len)).for_each(|chunk| chunk.fill(value));
    Ok(pages)
}

fn read(extent: Extent) -> Result<f64> {
    let len = extent.large;
    let numbers = filled(len, 1.0)?;
    // Sums of the bits: sums of floating-point numbers have an order, which costs more than memory.
    let sum = |part: &[f64]| part.iter().fold(0_u64, |sum, v| sum.wrapping_add(v.to_bits()));
    Ok(best(extent.repeats, (len * size_of::<f64>()) as f64, || {
        black_box(numbers.par_chunks(part(len)).map(sum).reduce(|| 0, u64::wrapping_add));
    }))
}

fn triad(extent: Extent) -> Result<f64> {
    let len = extent.large;
    let (mut a, b, c) = (filled(len, 0.0)?, filled(len, 1.0)?, filled(len, 2.0)?);
    let size = part(len);
    Ok(best(extent.repeats, (3 * len * size_of::<f64>()) as f64, || {
        let s = black_box(3.0);
        let parts = a.par_chunks_mut(size).zip(b.par_chunks(size)).zip(c.par_chunks(size));
        parts.for_each(|((a, b), c)| {
            a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + s * c);
        });
    }))
}

/// Memory is asked for, and written by all threads. Giving it back is not in the time.
fn fresh<M>(extent: Extent, memory: impl Fn() -> Result<M>) -> Result<f64>
where
    M: std::ops::DerefMut<Target = [f64]>,
{
    let (mut written, mut failure) = (None, None);
    let mut rate = 0.0_f64;
    for _ in 0..=extent.repeats {
        drop(written.take());
        let start = Instant::now();
        match memory() {
            Ok(mut memory) => {
                memory.par_chunks_mut(part(extent.large)).for_each(|chunk| chunk.fill(1.0));
                written = Some(memory);
            }
            Err(error) => failure = Some(error),
        }
        let seconds = start.elapsed().as_secs_f64();
        rate = rate.max((extent.large * size_of::<f64>()) as f64 / seconds / 1e9);
    }
    failure.map_or(Ok(rate), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speed cannot be tested on a machine that others use; that all is measured and finite can.
    #[test]
    fn every_rate_is_measured() -> Result<()> {
        let limits = Limits::measure(Extent::TINY)?;
        assert_eq!(limits.threads, rayon::current_num_threads());
        for (name, rate) in limits.rates() {
            assert!(rate.is_finite() && rate > 0.0, "{name}: {rate}");
        }
        let text = serde_json::to_string(&limits)?;
        assert_eq!(serde_json::from_str::<Limits>(&text)?, limits);
        Ok(())
    }

    /// The operations that are counted are those of whole registers.
    #[test]
    fn operations_are_counted() {
        let count = |rounds| f64::chains(Chains { a: 0.5, b: 0.5, rounds });
        let one = count(1);
        assert!((one / (2 * CHAINS) as f64).log2().fract().abs() < f64::EPSILON, "{one}");
        assert!((count(7) - 7.0 * one).abs() < f64::EPSILON);
    }

    #[test]
    fn a_triad_moves_a_third_more_than_it_counts() {
        let limits = |read, triad| Limits {
            threads: 1,
            fma_f64: 1.0,
            fma_f32: 1.0,
            exp_f64: 1.0,
            exp_f32: 1.0,
            read,
            triad,
            fresh: 1.0,
            fresh_heap: 1.0,
        };
        assert!((limits(10.0, 9.0).bandwidth() - 12.0).abs() < 1e-12);
        assert!((limits(13.0, 9.0).bandwidth() - 13.0).abs() < 1e-12);
        assert_eq!(limits(1.0, 9.0).greater(&limits(8.0, 2.0)), limits(8.0, 9.0));
    }
}
