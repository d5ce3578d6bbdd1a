//! The problem of the golden values.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_gram::MemoryBudget;

pub(crate) const N: usize = 120;

pub(crate) fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

/// Points of the plane, and a function of them with noise: those of the golden values.
pub(crate) fn data() -> (Samples<f64>, Vec<f64>) {
    let wave = |i: usize, rate: f64| (rate * i as f64).sin();
    let rows: Vec<[f64; 2]> = (0..N).map(|i| [3.0 * wave(i, 1.3), 2.0 * wave(i, 2.9)]).collect();
    let value = |(i, x): (usize, &[f64; 2])| x[0] + (2.0 * x[1]).sin() + 1.5 * wave(i, 7.7);
    let values = rows.iter().enumerate().map(value).collect();
    (Samples::from_rows(&rows).unwrap(), values)
}

pub(crate) fn two() -> (Samples<f64>, Vec<bool>) {
    let (x, values) = data();
    (x, values.into_iter().map(|v| v > 0.0).collect())
}

/// A budget that allows so many columns and a block of them.
pub(crate) fn columns(count: u64) -> MemoryBudget {
    MemoryBudget::bytes(2 * count * N as u64 * 8)
}
