//! Real data in the types of the library.

use crate::real::{lines, text};
use kern::kernels::Graph;
use kern::{Points, Samples};

/// Points, and their targets as text.
pub(crate) type Table = (Samples<f64>, Vec<String>);

/// A table with a header, numbers and a target in the last column.
pub(crate) fn table(name: &str) -> Option<Table> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut targets = Vec::new();
    for line in lines(name)? {
        let (numbers, target) = line.rsplit_once(',').expect("a row has columns");
        rows.push(numbers.split(',').map(|field| field.parse().expect("a number")).collect());
        targets.push(target.to_owned());
    }
    Some((Samples::from_rows(&rows).expect("rows of one length"), targets))
}

/// Lines `label index:value …` of so many features, indices from 1.
pub(crate) fn svm_file(name: &str, dim: usize) -> Option<Table> {
    let text = text(name)?;
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
    let lines = lines(name)?;
    let parts = lines.iter().map(|line| line.split_once('\t').expect("label and text"));
    Some(parts.map(|(label, text)| (label.to_owned(), text.to_owned())).unzip())
}

/// The molecules of MUTAG, and whether each is mutagenic.
pub(crate) fn mutag() -> Option<(Vec<Graph>, Vec<bool>)> {
    let text = text("mutag")?;
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
    standardized_as(points, points)
}

/// The same with the means and deviations of other points.
pub(crate) fn standardized_as(points: &Samples<f64>, others: &Samples<f64>) -> Samples<f64> {
    let (n, dim) = (others.len() as f64, points.dim());
    let mut values = points.as_slice().to_vec();
    for k in 0..dim {
        let column = || others.as_slice().iter().skip(k).step_by(dim);
        let mean = column().sum::<f64>() / n;
        let deviation = (column().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        values.iter_mut().skip(k).step_by(dim).for_each(|v| *v = (*v - mean) * scale);
    }
    Samples::from_row_major(dim, values).expect("whole rows")
}
