//! Real data.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use flate2::read::GzDecoder;
use kern_core::Samples;
use std::env;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The points of a set, without its last column, every column with mean 0 and deviation 1, if the data is there.
pub(crate) fn standardised(name: &str) -> Option<Samples<f64>> {
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
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(numbers).collect();
    let (n, dim) = (rows.len(), rows[0].len() - 1);
    let mut values = vec![0.0; n * dim];
    for k in 0..dim {
        let mean = rows.iter().map(|row| row[k]).sum::<f64>() / n as f64;
        let variance = rows.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / n as f64;
        let column = values.iter_mut().skip(k).step_by(dim).zip(&rows);
        column.for_each(|(to, row)| *to = (row[k] - mean) / variance.sqrt());
    }
    Some(Samples::from_row_major(dim, values).unwrap())
}
