//! Work that nobody can avoid, and the least time that a machine needs for it.

use crate::limits::Limits;
use serde::{Deserialize, Serialize};

/// Counts of what every way to do a task has to do. What some way avoids is not in them, so the time
/// that a machine needs is a bound for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Additions and multiplications.
    pub flops: f64,
    /// True if single precision is good enough for them, whatever the type of the numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
    /// Exponentials. A sine with its cosine counts as one.
    #[serde(default)]
    pub exps: f64,
    /// Bytes that have to come from memory or go there.
    #[serde(default)]
    pub bytes: f64,
    /// Bytes of them in memory that the work has to ask for first.
    #[serde(default)]
    pub fresh: f64,
}

impl Work {
    /// The values of a kernel exp(−γ·distance) for so many pairs of points of dimension `d`, with an
    /// operation each for coordinates to be joined and summed.
    #[must_use]
    pub fn kernel_values(pairs: f64, d: usize) -> Self {
        Self { flops: 2.0 * pairs * d as f64, exps: pairs, ..Self::default() }
    }

    /// The values for all pairs of n points, of which symmetry leaves half.
    #[must_use]
    pub fn gram_values(n: usize, d: usize) -> Self {
        let n = n as f64;
        Self::kernel_values(0.5 * n * (n + 1.0), d)
    }

    /// So many operations more.
    #[must_use]
    pub fn flops(self, count: f64) -> Self {
        Self { flops: self.flops + count, ..self }
    }

    /// Operations that may be done in single precision.
    #[must_use]
    pub fn in_single(self) -> Self {
        Self { single: true, ..self }
    }

    /// So many numbers read or written.
    #[must_use]
    pub fn moves<T>(self, numbers: f64) -> Self {
        Self { bytes: self.bytes + numbers * size_of::<T>() as f64, ..self }
    }

    /// All bytes go to memory that is asked for.
    #[must_use]
    pub fn is_fresh(self, fresh: bool) -> Self {
        Self { fresh: if fresh { self.bytes } else { 0.0 }, ..self }
    }

    /// The part that takes longest at the machine's rates, even if all others are done meanwhile; none
    /// if nothing was counted.
    #[must_use]
    pub fn limit(&self, dtype: &str, machine: &Limits) -> Option<Limit> {
        const GIGA: f64 = 1e9;
        let is_single = dtype == "f32";
        let fma = if is_single || self.single { machine.fma_f32 } else { machine.fma_f64 };
        let exp = if is_single { machine.exp_f32 } else { machine.exp_f64 };
        let parts = [
            ("fma", self.flops, fma),
            ("exp", self.exps, exp),
            ("memory", self.bytes, machine.bandwidth()),
            ("fresh pages", self.fresh, machine.fresh.max(machine.fresh_heap)),
        ];
        let seconds = |(name, count, rate)| (name, count / (rate * GIGA));
        let parts = parts.map(seconds).into_iter();
        let (name, seconds) = parts.max_by(|a: &(_, f64), b| a.1.total_cmp(&b.1))?;
        (seconds > 0.0).then(|| Limit { name: name.to_owned(), seconds })
    }
}

/// The name of the limit that is measured beside the work.
pub const GEMM: &str = "gemm";

/// The least time that the machine needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The name of a part of the work, or [`GEMM`] for a matrix product that was measured.
    pub name: String,
    /// Its time.
    pub seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: Limits = Limits {
        threads: 2,
        fma_f64: 100.0,
        fma_f32: 200.0,
        exp_f64: 2.0,
        exp_f32: 8.0,
        read: 40.0,
        triad: 30.0,
        fresh: 10.0,
        fresh_heap: 1.0,
    };

    fn limit(work: Work, dtype: &str) -> (String, f64) {
        let limit = work.limit(dtype, &MACHINE).map(|limit| (limit.name, limit.seconds));
        limit.unwrap_or_default()
    }

    fn is(found: &(String, f64), name: &str, seconds: f64) -> bool {
        found.0 == name && (found.1 - seconds).abs() < 1e-12 * seconds
    }

    #[test]
    fn the_slowest_part_is_the_limit() {
        let work = Work { flops: 1e11, exps: 1e9, bytes: 1e9, ..Work::default() };
        assert!(is(&limit(work, "f64"), "fma", 1.0));
        assert!(is(&limit(work, "f32"), "fma", 0.5));
        assert!(is(&limit(work.in_single(), "f64"), "exp", 0.5));
        assert!(is(&limit(Work { bytes: 1e11, ..work }, "f64"), "memory", 2.5));
        assert!(is(&limit(Work { fresh: 2e10, ..work }, "f64"), "fresh pages", 2.0));
        assert_eq!(Work::default().limit("f64", &MACHINE), None);
    }

    #[test]
    fn symmetry_leaves_half_of_the_values() {
        let work = Work::gram_values(3, 5).moves::<f32>(9.0).is_fresh(true);
        let expected = Work { flops: 60.0, exps: 6.0, bytes: 36.0, fresh: 36.0, single: false };
        assert_eq!(work, expected);
    }
}
