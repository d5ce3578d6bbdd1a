//! Standardised real data.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::real::numbers;
use kern_core::Samples;

/// A set's points, and its last column as targets, every column with mean 0 and deviation 1, if the data is there.
pub(crate) fn standardised(name: &str) -> Option<(Samples<f64>, Vec<f64>)> {
    let mut rows = numbers(name)?;
    let (n, columns) = (rows.len() as f64, rows[0].len());
    for k in 0..columns {
        let mean = rows.iter().map(|row| row[k]).sum::<f64>() / n;
        let variance = rows.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / n;
        rows.iter_mut().for_each(|row| row[k] = (row[k] - mean) / variance.sqrt());
    }
    let targets = rows.iter().map(|row| row[columns - 1]).collect();
    let points = rows.iter().flat_map(|row| row[..columns - 1].to_vec()).collect();
    Some((Samples::from_row_major(columns - 1, points).unwrap(), targets))
}
