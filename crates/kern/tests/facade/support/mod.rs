//! Real data sets for integration tests: five that the project has, and more in a folder that is not part of it.
#![allow(clippy::print_stdout, reason = "evidence is worth seeing")]

use flate2::read::GzDecoder;
use kern::kernels::Graph;
use kern::{Points, Samples};
use std::fmt::Display;
use std::io::{Read, Write, stderr};
use std::path::Path;

/// The folders of the data: `KERN_DATA`, by default `shared/data` beside the workspace, then the project's own.
fn folders() -> [std::path::PathBuf; 2] {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = || here.join("../../../shared/data");
    let given = std::env::var_os("KERN_DATA").map_or_else(beside, Into::into);
    [given, here.join("../../examples/data")]
}

/// The bytes of a file, or None with a notice if it is not there.
///
/// # Panics
/// Where data is asked for, by `cargo xtask evidence`.
pub(crate) fn bytes(name: &str) -> Option<Vec<u8>> {
    let read = found(name);
    if read.is_none() {
        skipped(&format!("{name} is not in {}", folders()[0].display()));
    }
    read
}

fn found(name: &str) -> Option<Vec<u8>> {
    folders().iter().find_map(|folder| std::fs::read(folder.join(name)).ok())
}

/// Says that something cannot be shown.
///
/// # Panics
/// Where all of it is asked for, by `cargo xtask evidence`.
pub(crate) fn skipped(why: &str) {
    assert!(std::env::var_os("KERN_EVIDENCE").is_none(), "{why}");
    // Past the capture of what tests print, so that it stands in the summary of those that pass, too.
    let _ = writeln!(stderr(), "skipped: {why}");
}

/// A row of the table that `cargo xtask evidence` makes.
pub(crate) fn evidence(set: &str, claim: &str, measured: impl Display) {
    println!("evidence | {set} | {claim} | {measured}");
}

/// The contents of a compressed file `NAME.gz`, or of `NAME` where only that is there.
pub(crate) fn unpacked(name: &str) -> Option<Vec<u8>> {
    let Some(packed) = found(name) else {
        return name.strip_suffix(".gz").and_then(found).or_else(|| bytes(name));
    };
    let mut all = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut all).expect("the file is gzip-compressed");
    Some(all)
}

/// The text of a compressed file.
pub(crate) fn read(name: &str) -> Option<String> {
    Some(String::from_utf8(unpacked(name)?).expect("the file is UTF-8"))
}

/// Points, and their targets as text.
pub(crate) type Table = (Samples<f64>, Vec<String>);

/// A table with a header, numbers and a target in the last column.
pub(crate) fn table(name: &str) -> Option<Table> {
    let text = read(name)?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut targets = Vec::new();
    for line in text.lines().skip(1) {
        let (numbers, target) = line.rsplit_once(',').expect("a row has columns");
        rows.push(numbers.split(',').map(|field| field.parse().expect("a number")).collect());
        targets.push(target.to_owned());
    }
    Some((Samples::from_rows(&rows).expect("rows of one length"), targets))
}

/// Lines `label index:value …` of so many features, indices from 1.
pub(crate) fn svm_file(name: &str, dim: usize) -> Option<Table> {
    let text = read(name)?;
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        labels.push(words.next().expect("a line has a label").to_owned());
        let mut row = vec![0.0; dim];
        for (index, value) in words.map(|word| word.split_once(':').expect("index:value")) {
            row[index.parse::<usize>().expect("an index") - 1] = value.parse().expect("a number");
        }
        values.extend(row);
    }
    Some((Samples::from_row_major(dim, values).expect("whole rows"), labels))
}

/// The labels and texts of a file with a header.
pub(crate) fn corpus(name: &str) -> Option<(Vec<String>, Vec<String>)> {
    let file = read(name)?;
    let lines = file.lines().skip(1).map(|line| line.split_once('\t').expect("label and text"));
    Some(lines.map(|(label, text)| (label.to_owned(), text.to_owned())).unzip())
}

/// The molecules of MUTAG, and whether each is mutagenic.
pub(crate) fn mutag() -> Option<(Vec<Graph>, Vec<bool>)> {
    let text = read("mutag.graphs.txt.gz")?;
    let mut numbers = text.split_ascii_whitespace().map(|w| w.parse::<usize>().expect("a number"));
    let mut next = || numbers.next().expect("as many numbers as the counts say");
    let (mut graphs, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..next() {
        let n = next();
        classes.push(next() == 1);
        let (mut labels, mut edges) = (Vec::new(), Vec::new());
        for node in 0..n {
            labels.push(next() as u64);
            edges.extend((0..next()).map(|_| (node, next())));
        }
        graphs.push(Graph::new(labels, &edges).expect("nodes that are there"));
    }
    assert_eq!(numbers.next(), None);
    Some((graphs, classes))
}

/// Every column minus its mean, over its standard deviation. A constant column becomes zeros.
pub(crate) fn standardized(points: &Samples<f64>) -> Samples<f64> {
    let (n, dim) = (points.len() as f64, points.dim());
    let mut values = points.as_slice().to_vec();
    for k in 0..dim {
        let column = || values.iter().skip(k).step_by(dim);
        let mean = column().sum::<f64>() / n;
        let deviation = (column().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        values.iter_mut().skip(k).step_by(dim).for_each(|v| *v = (*v - mean) * scale);
    }
    Samples::from_row_major(dim, values).expect("whole rows")
}
