//! Real data, and problems that are made up.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use flate2::read::GzDecoder;
use kern_core::Samples;
use std::env;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A set's points, and its last column as targets, every column with mean 0 and deviation 1, if the data is there.
pub(crate) fn standardised(name: &str) -> Option<(Samples<f64>, Vec<f64>)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = env::var_os("KERN_DATA").map_or_else(beside, Into::into);
    let Ok(file) = File::open(folder.join(format!("{name}.csv.gz"))) else {
        #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
        {
            eprintln!("skipped: no {name} in {}", folder.display());
        }
        return None;
    };
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let numbers = |line: &str| -> Vec<f64> {
        line.split(',').map(|cell| cell.trim().parse().unwrap()).collect()
    };
    let mut rows: Vec<Vec<f64>> = text.lines().skip(1).map(numbers).collect();
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
