//! Five real sets of 40 000 to 500 000 rows.

use crate::data;
use crate::real;
use crate::study::sets;
use anyhow::{Context, Result, ensure};
use kern_core::faer::Mat;
use kern_core::{Points, Samples};
use kern_data::{Kind, Source};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// The names of the sets.
pub const ALL: [&str; 5] = ["kin40k", "protein", "mnist", "beijing_air", "kddcup99"];

/// The most test points.
const TESTS: usize = 10_000;

/// The most training points that are left out to choose λ.
const LEFT_OUT: usize = 5000;

/// Training points, those that are left out to choose λ, and test points. Features have mean 0 and deviation 1, but for pixels,
/// which lie in [0, 1].
#[derive(Debug)]
pub struct Task {
    /// Training points.
    pub x: Samples<f64>,
    /// Their targets, one column for each class, or one of numbers.
    pub y: Mat<f64>,
    /// Points to choose λ by.
    pub left_out: Known,
    /// Test points.
    pub tests: Known,
}

/// Points whose answers are known.
#[derive(Debug)]
pub struct Known {
    /// The points.
    pub x: Samples<f64>,
    /// The answers.
    pub truth: Truth,
}

impl Known {
    /// The first ones, at most that many.
    ///
    /// # Errors
    /// If the system refuses memory for them.
    pub fn first(&self, count: usize) -> Result<Self> {
        let some: Vec<usize> = (0..count.min(self.x.len())).collect();
        Ok(Self { x: self.x.select(&some)?, truth: self.truth.part(0, some.len()) })
    }
}

/// The answers.
#[derive(Debug)]
pub enum Truth {
    /// Numbers of mean 0 and deviation 1.
    Numbers(Vec<f64>),
    /// Classes by their number.
    Classes(Vec<usize>),
}

impl Truth {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Classes(classes) => classes.len(),
        }
    }

    fn part(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(values[from..to].to_vec()),
            Self::Classes(classes) => Self::Classes(classes[from..to].to_vec()),
        }
    }

    /// The numbers, or ±1 for each class.
    fn targets(&self, classes: usize) -> Mat<f64> {
        match self {
            Self::Numbers(values) => Mat::from_fn(values.len(), 1, |i, _| values[i]),
            Self::Classes(of) => {
                Mat::from_fn(of.len(), classes, |i, k| if of[i] == k { 1.0 } else { -1.0 })
            }
        }
    }

    /// The root mean square error of predictions, or the share of points for whose class they are not the greatest.
    #[must_use]
    pub fn error(&self, predicted: &Mat<f64>) -> f64 {
        let n = self.len() as f64;
        match self {
            Self::Numbers(values) => {
                let square = |(i, y): (usize, &f64)| (predicted[(i, 0)] - y).powi(2);
                (values.iter().enumerate().map(square).sum::<f64>() / n).sqrt()
            }
            Self::Classes(classes) => {
                let largest = |i: usize| {
                    let row = predicted.row(i);
                    (1..row.ncols()).fold(0, |best, k| if row[k] > row[best] { k } else { best })
                };
                let wrong = (0..classes.len()).filter(|&i| largest(i) != classes[i]);
                wrong.count() as f64 / n
            }
        }
    }
}

/// Reads a set and draws its test points.
///
/// # Errors
/// If a file is not there, or is none of the set.
pub fn read(name: &str, folder: &Path) -> Result<Task> {
    let (x, truth) = match name {
        "mnist" => mnist(folder),
        "kddcup99" => connections(folder),
        _ => numbers(name, folder),
    }
    .with_context(|| format!("the set {name}"))?;
    cut(&x, &truth)
}

/// The last points are tests, those before them are left out.
fn cut(x: &Samples<f64>, truth: &Truth) -> Result<Task> {
    let n = x.len();
    let tests = TESTS.min(n / 5);
    let left_out = LEFT_OUT.min((n - tests) / 10);
    let (end, start) = (n - tests, n - tests - left_out);
    let part = |from: usize, to: usize| -> Result<Known> {
        let rows = x.as_slice()[from * x.dim()..to * x.dim()].to_vec();
        Ok(Known { x: Samples::from_row_major(x.dim(), rows)?, truth: truth.part(from, to) })
    };
    let classes = match truth {
        Truth::Numbers(_) => 1,
        Truth::Classes(classes) => classes.iter().max().map_or(0, |most| most + 1),
    };
    let Known { x: train, truth: known } = part(0, start)?;
    let y = known.targets(classes);
    Ok(Task { x: train, y, left_out: part(start, end)?, tests: part(end, n)? })
}

/// Sets with numbers as targets, in random order.
fn numbers(name: &str, folder: &Path) -> Result<(Samples<f64>, Truth)> {
    let set = sets::ALL.iter().find(|set| set.name == name).context("there is no such set")?;
    let draw = set.read(folder)?.draw(0, usize::MAX, usize::MAX / 2)?;
    let mut rows = draw.x.as_slice().to_vec();
    rows.extend(draw.x_test.as_slice());
    let mut y = draw.y;
    y.extend(draw.y_test);
    Ok((Samples::from_row_major(draw.x.dim(), rows)?, Truth::Numbers(y)))
}

fn mnist(folder: &Path) -> Result<(Samples<f64>, Truth)> {
    let images = real::mnist(folder, 60_000)?;
    let classes = images.y.iter().map(|&digit| digit as usize).collect();
    Ok((images.x, Truth::Classes(classes)))
}

/// Connections of the KDD Cup 1999: ln(1 + v) of numbers, and a column for each value of the three categories.
fn connections(folder: &Path) -> Result<(Samples<f64>, Truth)> {
    const CATEGORIES: [&str; 3] = ["protocol_type", "service", "flag"];
    let table =
        Source::open(folder.join("kddcup99_10pct.csv.gz"))?.kind("target", Kind::Number).read()?;
    let (target, points) = table.split("target")?;
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for column in points.columns() {
        let values = column.numbers()?;
        if CATEGORIES.contains(&column.name.as_str()) {
            let most = values.iter().copied().fold(0.0, f64::max) as usize;
            let one = |k: usize| values.iter().map(move |&v| f64::from(u8::from(v as usize == k)));
            columns.extend((0..=most).map(|k| one(k).collect::<Vec<_>>()));
        } else {
            columns.push(values.iter().map(|v| v.ln_1p()).collect());
        }
    }
    for column in &mut columns {
        let n = column.len();
        data::standardize(column, 1, n);
        // A column that is constant says nothing.
        column.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
    }
    let classes = target.numbers()?;
    let n = classes.len();
    ensure!(n > 0, "there are no rows");
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
    let rows = order.iter().flat_map(|&i| columns.iter().map(move |column| column[i]));
    let x = Samples::from_row_major(columns.len(), rows.collect())?;
    Ok((x, Truth::Classes(order.iter().map(|&i| classes[i] as usize).collect())))
}
