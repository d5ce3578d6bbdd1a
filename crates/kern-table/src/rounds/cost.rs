//! Cost model of fits in rounds, and the size from which more machines pay off.
//!
//! # Definition
//! For n rows of d columns in parts of 65 536 rows, with D features, K functions and g groups of
//! parts, the busiest of w workers of equal speed processes the fraction q = ⌈g/w⌉/g of the rows. A
//! round of moments takes it qn(D² + cD)/r seconds of arithmetic, and a round of gradients or
//! clusters qn(cD + 4KD)/r, where a worker computes r flops per second, and c = 2d + the flops of
//! one feature. Reading takes 8qnd/b at b bytes per second. The job, of J bytes, is sent to all
//! workers, and g sums of S bytes are merged in a tree of ⌈log₂ g⌉ levels; only sums that leave
//! their worker cross the network:
//!
//! t = arithmetic + reading + (J + S·(⌈g/w⌉ − 1 + ⌈log₂ min(g, w)⌉))/B + (2 + ⌈log₂ g⌉)·L,
//!
//! with a bandwidth of B bytes per second between two machines and a latency of L seconds to
//! schedule and start a task. A single process has neither network nor scheduling costs.

use super::PART_ROWS;
use super::job::groups;
use super::order::Features;
use crate::Error;
use serde::Serialize;
use std::fmt;

/// Flops per feature in addition to its inner product, for a cosine or an exponential.
const FEATURE: f64 = 40.0;

/// Typical number of gradient rounds of a descent.
const SLOPES: f64 = 25.0;

/// The speed of the machines and of the network between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Network {
    /// Flops per second of a worker.
    pub flops: f64,
    /// Bytes per second that a worker reads.
    pub reading: f64,
    /// Bytes per second between two machines.
    pub bandwidth: f64,
    /// Seconds to start a task.
    pub latency: f64,
}

impl Network {
    /// Workers as fast as this machine, files read at 1 GB/s, 10 GbE, and 10 ms to start a task.
    ///
    /// # Errors
    /// An error if the speed of this machine cannot be measured.
    pub fn current() -> Result<Self, Error> {
        // The double-precision rate is that of factorizations in single precision, which take half
        // the time.
        Ok(Self::of(0.5 / kern_solvers::plan::Machine::current()?.double.flop))
    }

    /// Workers with this number of flops per second, files read at 1 GB/s, 10 GbE, and 10 ms to
    /// start a task.
    #[must_use]
    pub const fn of(flops: f64) -> Self {
        Self { flops, reading: 1e9, bandwidth: 1.1e9, latency: 0.01 }
    }
}

/// The estimated cost of a fit in rounds.
///
/// # Examples
/// ```
/// use kern_table::rounds::{Features, Network, RoundsCost};
/// let network = Network::of(1e11);
/// // A million rows: one machine is done before others are asked.
/// let small = RoundsCost::new(1e6, 20.0, Features::Landmarks(500), 1.0, false);
/// assert!(small.seconds(1.0, &network) < 10.0);
/// // A thousand million: a hundred machines pay.
/// let large = RoundsCost::new(1e9, 20.0, Features::Fourier(2048), 1.0, false);
/// assert!(large.seconds(100.0, &network) < large.seconds(1.0, &network) / 50.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoundsCost {
    rows: f64,
    columns: f64,
    features: f64,
    functions: f64,
    descends: bool,
}

impl RoundsCost {
    /// The cost for this number of rows, columns, features and functions; `descends` selects an
    /// iterative descent instead of a single round.
    #[must_use]
    pub fn new(
        rows: f64,
        columns: f64,
        features: Features,
        functions: f64,
        descends: bool,
    ) -> Self {
        let features = match features {
            Features::Landmarks(count)
            | Features::Fourier(count)
            | Features::Learned { landmarks: count, .. } => count as f64,
            Features::Columns => columns,
        };
        Self { rows, columns, features, functions, descends }
    }

    /// Seconds of the fit on this number of workers.
    #[must_use]
    pub fn seconds(&self, workers: f64, network: &Network) -> f64 {
        let survey = self.round(0.0, 8.0 * self.columns, workers, network);
        let dim = self.features;
        let make = dim * (2.0 * self.columns + FEATURE);
        let moments = self.round(make + dim * dim, 4.0 * dim * dim, workers, network);
        let (flops, bytes) = (make + 4.0 * self.functions * dim, 8.0 * self.functions * dim);
        let slopes = self.round(flops, bytes, workers, network);
        survey + moments + if self.descends { SLOPES * slopes } else { 0.0 }
    }

    /// Seconds of a round with this number of flops per row and bytes of sums.
    fn round(&self, flops: f64, bytes: f64, workers: f64, network: &Network) -> f64 {
        let groups = groups((self.rows / PART_ROWS as f64).ceil().max(1.0) as usize) as f64;
        let own = (groups / workers).ceil();
        let rows = self.rows * own / groups;
        let work = rows * (flops / network.flops + 8.0 * self.columns / network.reading);
        if workers <= 1.0 {
            return work;
        }
        let job = 8.0 * self.features * self.columns;
        let merged = own - 1.0 + groups.min(workers).log2().ceil();
        let sent = (job + bytes * merged) / network.bandwidth;
        work + sent + (2.0 + groups.log2().ceil()) * network.latency
    }

    /// The recommended number of workers: the smallest power of two, at most 1024, for which
    /// doubling would save less than a quarter of the time.
    #[must_use]
    pub fn workers(&self, network: &Network) -> f64 {
        let mut workers = 1.0;
        while workers < 1024.0
            && self.seconds(2.0 * workers, network) < 0.75 * self.seconds(workers, network)
        {
            workers *= 2.0;
        }
        workers
    }

    /// The number of rows from which two workers save a quarter of the time.
    #[must_use]
    pub fn break_even_rows(&self, network: &Network) -> f64 {
        let saves = |rows: f64| {
            let cost = Self { rows, ..*self };
            cost.seconds(2.0, network) < 0.75 * cost.seconds(1.0, network)
        };
        let (mut low, mut high) = (1.0_f64, 1e15_f64);
        while high / low > 1.01 {
            let middle = (low * high).sqrt();
            if saves(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// The line of text for a plan.
    #[must_use]
    pub fn line(&self, network: &Network) -> impl fmt::Display {
        let (one, workers) = (self.seconds(1.0, network), self.workers(network));
        let from = self.break_even_rows(network);
        match workers > 1.0 {
            false => format!(
                "one machine is enough: {one:.3} s in rounds on {} features; more pay from {from:.1e} rows on",
                self.features
            ),
            true => format!(
                "in rounds on {} features one machine takes {one:.0} s, {workers} take {:.0} s; more pay from {from:.1e} rows on",
                self.features,
                self.seconds(workers, network)
            ),
        }
    }
}
