//! Ten real sets: all with numbers as targets that are in the folder, and all of two classes with dense features, whose
//! classes are taken as numbers.

use crate::data;
use crate::npy;
use crate::real::place;
use anyhow::{Context, Result, ensure};
use kern_core::Samples;
use kern_data::{Column, Kind, Source, Values};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// A set.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Its name.
    pub name: &'static str,
    file: &'static str,
    /// Its targets are two classes.
    pub classes: bool,
}

const fn numbers(name: &'static str, file: &'static str) -> Set {
    Set { name, file, classes: false }
}

const fn classes(name: &'static str, file: &'static str) -> Set {
    Set { name, file, classes: true }
}

/// All of them.
pub const ALL: [Set; 10] = [
    numbers("diabetes", "diabetes.csv.gz"),
    numbers("concrete", "concrete.csv.gz"),
    numbers("kin40k", "kin40k.csv.gz"),
    numbers("pol", "pol.csv.gz"),
    numbers("elevators", "elevators.csv.gz"),
    numbers("protein", "protein.csv.gz"),
    numbers("beijing_air", "beijing_air_X.npy"),
    classes("breast_cancer", "breast_cancer.csv.gz"),
    classes("svmguide1", "svmguide1_train.svm.gz"),
    classes("heart", "heart_scale.svm.gz"),
];

/// All rows of a set.
#[derive(Clone, Debug)]
pub struct Rows {
    dim: usize,
    features: Vec<f64>,
    targets: Vec<f64>,
}

/// Training points and others. Features and targets have mean 0 and deviation 1 over the training points.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Training points.
    pub x: Samples<f64>,
    /// Their targets.
    pub y: Vec<f64>,
    /// Test points.
    pub x_test: Samples<f64>,
    /// Their targets.
    pub y_test: Vec<f64>,
}

impl Set {
    /// All rows, from a folder or from the data of the project.
    ///
    /// # Errors
    /// If the file is not there, or is none of the set.
    pub fn read(&self, folder: &Path) -> Result<Rows> {
        let rows = if self.name == "beijing_air" { air(folder) } else { self.table(folder) };
        rows.with_context(|| format!("the set {}", self.name))
    }

    fn table(&self, folder: &Path) -> Result<Rows> {
        let path = place(folder, self.file);
        let kind = if self.classes { Kind::Category { levels: Vec::new() } } else { Kind::Number };
        let (target, points) = Source::open(path)?.kind("target", kind).read()?.split("target")?;
        let columns =
            points.columns().iter().map(Column::numbers).collect::<Result<Vec<_>, _>>()?;
        let n = columns.first().map_or(0, |column| column.len());
        let features = (0..n).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        let targets = match &target.values {
            Values::Categories(classes) => {
                classes.codes.iter().flatten().map(|&code| f64::from(code)).collect()
            }
            _ => target.numbers()?.to_vec(),
        };
        Ok(Rows { dim: columns.len(), features, targets })
    }
}

/// Weather and time as they are; of the station, the last column, a column for each of the twelve.
fn air(folder: &Path) -> Result<Rows> {
    const STATIONS: usize = 12;
    let path = folder.join("beijing_air_X.npy");
    let [n, columns] = npy::shape(&path)?;
    let values: Vec<f32> = npy::read(&path)?;
    let targets: Vec<f32> = npy::read(&folder.join("beijing_air_y.npy"))?;
    ensure!(columns == 12 && targets.len() == n, "{n} rows, {columns} columns");
    let row = |row: &[f32]| -> Vec<f64> {
        let numbers = row[..columns - 1].iter().map(|&v| f64::from(v));
        let station = row[columns - 1] as usize;
        numbers.chain((0..STATIONS).map(|k| f64::from(u8::from(k == station)))).collect()
    };
    let features = values.chunks_exact(columns).flat_map(row).collect();
    let targets = targets.into_iter().map(f64::from).collect();
    Ok(Rows { dim: columns - 1 + STATIONS, features, targets })
}

impl Rows {
    /// At most `train` points, and no more than four fifths of all, and at most `test` of the others.
    ///
    /// # Errors
    /// If there are fewer than two rows.
    pub fn draw(&self, seed: u64, train: usize, test: usize) -> Result<Draw> {
        let n = self.targets.len();
        ensure!(n >= 5, "{n} rows");
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let train = train.min(4 * n / 5);
        order.truncate(train + test);
        let row = |&i: &usize| &self.features[i * self.dim..(i + 1) * self.dim];
        let mut features: Vec<f64> = order.iter().flat_map(row).copied().collect();
        let mut targets: Vec<f64> = order.iter().map(|&i| self.targets[i]).collect();
        data::standardize(&mut features, self.dim, train);
        data::standardize(&mut targets, 1, train);
        // A feature that is the same in all training points says nothing.
        features.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
        let rest = features.split_off(train * self.dim);
        let y_test = targets.split_off(train);
        Ok(Draw {
            x: Samples::from_row_major(self.dim, features)?,
            y: targets,
            x_test: Samples::from_row_major(self.dim, rest)?,
            y_test,
        })
    }
}
