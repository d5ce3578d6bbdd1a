//! Real data, and draws.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::real::lines;
use kern_core::{Points, Samples};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The points of a set, every column with mean 0 and deviation 1, and the last column as labels, if the data is there.
pub(crate) fn labelled(name: &str) -> Option<(Samples<f64>, Vec<String>)> {
    let lines = lines(name)?;
    let rows: Vec<Vec<&str>> = lines.iter().map(|line| line.split(',').collect()).collect();
    let (n, dim) = (rows.len(), rows[0].len() - 1);
    let mut values = vec![0.0; n * dim];
    for k in 0..dim {
        let column: Vec<f64> = rows.iter().map(|row| row[k].trim().parse().unwrap()).collect();
        let mean = column.iter().sum::<f64>() / n as f64;
        let variance = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        column.iter().enumerate().for_each(|(i, v)| values[i * dim + k] = (v - mean) / scale);
    }
    let labels = rows.iter().map(|row| row[dim].trim().to_owned()).collect();
    Some((Samples::from_row_major(dim, values).unwrap(), labels))
}

/// The points with this label.
pub(crate) fn of_class(x: &Samples<f64>, labels: &[String], label: &str) -> Samples<f64> {
    let chosen: Vec<usize> = (0..x.len()).filter(|&i| labels[i] == label).collect();
    x.select(&chosen).unwrap()
}

/// Some of the columns.
pub(crate) fn columns(x: &Samples<f64>, range: std::ops::Range<usize>) -> Samples<f64> {
    let rows: Vec<&[f64]> = (0..x.len()).map(|i| &x.item(i)[range.clone()]).collect();
    Samples::from_rows(&rows).unwrap()
}

/// Points of the standard normal distribution, around a centre.
pub(crate) fn normal(rng: &mut ChaCha8Rng, n: usize, dim: usize, centre: f64) -> Samples<f64> {
    let mut draw = || {
        let z: f64 = StandardNormal.sample(rng);
        centre + z
    };
    Samples::from_row_major(dim, (0..n * dim).map(|_| draw()).collect()).unwrap()
}
