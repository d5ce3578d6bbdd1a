//! Labelled data sets from tables, and their split.

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use kern::solvers::{Data, Labels};
use kern::{Points, Samples};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::fs::File;
use std::io::Read;
use std::path::Path;

#[cfg(test)]
mod tests;

/// Points with a class each.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// The points.
    pub points: Samples<f64>,
    /// Their classes.
    pub labels: Vec<String>,
}

/// The digits: 1797 images of 8 × 8 pixels, scaled to [0, 1], in ten classes.
///
/// # Errors
/// If the table does not parse.
pub fn digits() -> Result<Labelled> {
    let table = include_str!("../../data/digits.csv");
    read(table.as_bytes(), 1.0 / 16.0).context("reading the digits")
}

/// Reads a table with a header, numbers times `scale`, and the class in the last column.
///
/// # Errors
/// If a row does not parse or the rows differ in length.
pub fn read(table: impl Read, scale: f64) -> Result<Labelled> {
    let mut rows = Vec::new();
    let mut labels = Vec::new();
    for record in csv::Reader::from_reader(table).records() {
        let record = record?;
        let label = record.len().checked_sub(1).context("a row has no columns")?;
        let row: Result<Vec<f64>, _> =
            record.iter().take(label).map(|field| Ok(scale * field.parse::<f64>()?)).collect();
        rows.push(row.map_err(|e: std::num::ParseFloatError| e)?);
        labels.push(record[label].to_string());
    }
    Ok(Labelled { points: Samples::from_rows(&rows)?, labels })
}

/// Reads a table as [`read`] does from a file that is compressed by gzip.
///
/// # Errors
/// If there is no such file, or its table does not parse.
pub fn open(path: &Path) -> Result<Labelled> {
    read(unpacked(path)?.as_slice(), 1.0).with_context(|| format!("reading {}", path.display()))
}

/// The bytes of a file that is compressed by gzip.
///
/// # Errors
/// If there is no such file, or it is not compressed like that.
pub fn unpacked(path: &Path) -> Result<Vec<u8>> {
    let what = || format!("reading {}", path.display());
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(what)?;
    GzDecoder::new(file).read_to_end(&mut bytes).with_context(what)?;
    Ok(bytes)
}

/// Every column minus its mean, over its standard deviation. A constant column becomes zeros.
///
/// # Errors
/// None in practice, unless the sum of a column overflows.
pub fn standardize(points: &Samples<f64>) -> Result<Samples<f64>> {
    Units::of(points).standardize(points)
}

/// The means and standard deviations of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// The mean of each column, and its standard deviation, if it is not constant.
    columns: Vec<(f64, Option<f64>)>,
}

impl Units {
    /// The units of these points.
    #[must_use]
    pub fn of(points: &Samples<f64>) -> Self {
        let (n, dim, values) = (points.len() as f64, points.dim(), points.as_slice());
        let of_column = |k| {
            let column = || values.iter().skip(k).step_by(dim);
            let constant = column().all(|v| v.total_cmp(&values[k]).is_eq());
            let mean = column().sum::<f64>() / n;
            let variance = column().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
            (mean, (!constant).then(|| variance.sqrt()))
        };
        Self { columns: (0..dim).map(of_column).collect() }
    }

    /// Points in these units.
    ///
    /// # Errors
    /// If the points have more or fewer columns.
    pub fn standardize(&self, points: &Samples<f64>) -> Result<Samples<f64>> {
        let dim = self.columns.len();
        anyhow::ensure!(points.dim() == dim, "{} columns, not {dim}", points.dim());
        let units = self.columns.iter().cycle();
        let values = points.as_slice().iter().zip(units);
        let values = values.map(|(v, (mean, deviation))| deviation.map_or(0.0, |d| (v - mean) / d));
        Ok(Samples::from_row_major(dim, values.collect())?)
    }
}

impl Labelled {
    /// The points with their labels, for a learner.
    ///
    /// # Errors
    /// If there are no points.
    pub fn data(&self) -> Result<Data<'_, Samples<f64>, Labels<String>>> {
        Ok(Data::new(&self.points, &self.labels)?)
    }

    /// So many of the points, drawn without replacement.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn draw(&self, count: usize, seed: u64) -> Result<Labelled> {
        let n = self.labels.len();
        anyhow::ensure!(count <= n, "{count} points of {n} cannot be drawn");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        self.select(&rand::seq::index::sample(&mut rng, n, count).into_vec())
    }

    /// A random share of the points for training, and the rest for testing.
    ///
    /// # Errors
    /// If the share is not in (0, 1).
    pub fn split(&self, train_share: f64, seed: u64) -> Result<(Labelled, Labelled)> {
        anyhow::ensure!(0.0 < train_share && train_share < 1.0, "the share must be in (0, 1)");
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let (train, test) = order.split_at((train_share * order.len() as f64).round() as usize);
        Ok((self.select(train)?, self.select(test)?))
    }

    /// The points of some classes.
    ///
    /// # Errors
    /// If there are none.
    pub fn only(&self, labels: &[&str]) -> Result<Labelled> {
        let is_one = |&i: &usize| labels.contains(&self.labels[i].as_str());
        let indices: Vec<usize> = (0..self.labels.len()).filter(is_one).collect();
        anyhow::ensure!(!indices.is_empty(), "there is no point of {labels:?}");
        self.select(&indices)
    }

    fn select(&self, indices: &[usize]) -> Result<Labelled> {
        let labels = indices.iter().map(|&i| self.labels[i].clone()).collect();
        Ok(Labelled { points: self.points.select(indices)?, labels })
    }
}
