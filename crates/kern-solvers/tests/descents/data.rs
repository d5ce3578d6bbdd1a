//! Problems that are made up.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::Samples;

pub(crate) fn wave(i: usize, rate: f64) -> f64 {
    (rate * i as f64).sin()
}

/// Points of the plane in two classes that overlap, of unequal size.
pub(crate) fn two(n: usize) -> (Samples<f64>, Vec<bool>) {
    let rows: Vec<[f64; 2]> = (0..n).map(|i| [2.0 * wave(i, 1.3), 1.5 * wave(i, 2.9)]).collect();
    let label = |(i, x): (usize, &[f64; 2])| x[0] + (2.0 * x[1]).sin() + wave(i, 7.7) > 0.6;
    let labels = rows.iter().enumerate().map(label).collect();
    (Samples::from_rows(&rows).unwrap(), labels)
}
