//! Kernel ridge on landmarks, on regression sets of the Gaussian process literature, beside published errors of
//! sparse Gaussian processes.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::{Context, Result};
use clap::Parser;
use kern::approx::Nystrom;
use kern::kernels::Matern32;
use kern::solvers::validation::{RootMeanSquaredError, Score};
use kern::solvers::{Data, KernelExpansion, Regressor, Ridge};
use kern::{Points, Samples};
use kern_gallery::data;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Root mean square errors of kernel ridge regression on landmarks, in standard deviations of the target.
#[derive(Parser)]
struct Arguments {
    /// The folder with the tables, e.g. `kin40k.csv.gz`: a header, numbers, and the target in the last column.
    #[arg(long)]
    data: PathBuf,
    /// Landmarks of the final model; a quarter of them choose its parameters.
    #[arg(long, default_value_t = 2000)]
    landmarks: usize,
    /// Seed of the split and the landmarks.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The tables to read.
    #[arg(long, value_delimiter = ',', default_values_t = PUBLISHED.map(|set| set.name.to_owned()))]
    sets: Vec<String>,
}

/// Errors that others have reached with the same share of training points.
struct Published {
    name: &'static str,
    /// SGPR with 512 and SVGP with 1024 inducing points, and the exact Gaussian process.
    sgpr: f64,
    svgp: f64,
    exact: f64,
}

/// Wang et al. (2019), *Exact Gaussian Processes on a Million Data Points*, Table 1: Matérn-3/2 kernel, one length
/// scale, 4/9 of the rows for training, 2/9 for validation and 3/9 for testing.
const PUBLISHED: [Published; 4] = [
    Published { name: "pol", sgpr: 0.217, svgp: 0.215, exact: 0.151 },
    Published { name: "elevators", sgpr: 0.437, svgp: 0.399, exact: 0.394 },
    Published { name: "kin40k", sgpr: 0.273, svgp: 0.268, exact: 0.099 },
    Published { name: "protein", sgpr: 0.656, svgp: 0.668, exact: 0.536 },
];

/// Length scales, in units of √d, and penalties λ that are tried.
const SCALES: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const LAMBDAS: [f64; 6] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];

/// Standardised points and targets.
struct Part {
    x: Samples<f64>,
    y: Vec<f64>,
}

type Model = Regressor<KernelExpansion<Samples<f64>, Matern32>>;

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    println!(
        "{:<10} {:>7} {:>3} {:>6} {:>7} {:>8} {:>8} {:>6} {:>6} {:>6}",
        "set", "n", "d", "scale", "lambda", "seconds", "RMSE", "SGPR", "SVGP", "exact"
    );
    for name in &arguments.sets {
        let [train, validation, test] = split(&arguments.data, name, arguments.seed)?;
        let few = arguments.landmarks.div_ceil(4);
        let (scale, lambda) = choose(&train, &validation, (few, arguments.seed))?;
        let start = Instant::now();
        let model = fit(&train, (scale, lambda), (arguments.landmarks, arguments.seed))?;
        let (seconds, error) = (start.elapsed().as_secs_f64(), error(&model, &test)?);
        let (n, d) = (train.x.len(), train.x.dim());
        let unit = scale / (d as f64).sqrt();
        print!("{name:<10} {n:>7} {d:>3} {unit:>6} {lambda:>7.0e} {seconds:>8.2} {error:>8.4}");
        match PUBLISHED.iter().find(|set| set.name == name) {
            Some(Published { sgpr, svgp, exact, .. }) => {
                println!(" {sgpr:>6.3} {svgp:>6.3} {exact:>6.3}");
            }
            None => println!(),
        }
    }
    Ok(())
}

/// The three parts of a table, in units of the first one's means and deviations.
fn split(folder: &Path, name: &str, seed: u64) -> Result<[Part; 3]> {
    let all = data::open(&folder.join(format!("{name}.csv.gz")))?;
    let (train, rest) = all.split(4.0 / 9.0, seed)?;
    let (validation, test) = rest.split(2.0 / 5.0, seed)?;
    let dim = train.points.dim();
    let part = |labelled: &data::Labelled| -> Result<Samples<f64>> {
        let targets: Result<Vec<f64>, _> = labelled.labels.iter().map(|y| y.parse()).collect();
        let targets = targets.context("a target is not a number")?;
        let rows = labelled.points.as_slice().chunks(dim).zip(&targets);
        let values = rows.flat_map(|(row, &y)| row.iter().copied().chain([y])).collect();
        Ok(Samples::from_row_major(dim + 1, values)?)
    };
    let tables = [part(&train)?, part(&validation)?, part(&test)?];
    let units = data::Units::of(&tables[0]);
    let [train, validation, test] = tables.map(|table| {
        let table = units.standardize(&table)?;
        let rows = table.as_slice().chunks(dim + 1);
        let x = rows.clone().flat_map(|row| &row[..dim]).copied().collect();
        let y = rows.map(|row| row[dim]).collect();
        anyhow::Ok(Part { x: Samples::from_row_major(dim, x)?, y })
    });
    Ok([train?, validation?, test?])
}

/// The length scale and λ with the least validation error.
fn choose(train: &Part, validation: &Part, landmarks: (usize, u64)) -> Result<(f64, f64)> {
    let root = (train.x.dim() as f64).sqrt();
    let mut best = (f64::INFINITY, (root, LAMBDAS[0]));
    for tried in SCALES.iter().flat_map(|scale| LAMBDAS.map(|lambda| (scale * root, lambda))) {
        let error = error(&fit(train, tried, landmarks)?, validation)?;
        if error < best.0 {
            best = (error, tried);
        }
    }
    Ok(best.1)
}

fn fit(train: &Part, (scale, lambda): (f64, f64), (m, seed): (usize, u64)) -> Result<Model> {
    let nystrom = Nystrom::new(Matern32::new(scale)?).landmarks(m).seed(seed);
    let ridge = Ridge::on_landmarks(nystrom).lambda(lambda).intercept(true);
    Ok(ridge.fit(&train.x, &train.y)?)
}

fn error(model: &Model, part: &Part) -> Result<f64> {
    Ok(RootMeanSquaredError.score(model, &Data::new(&part.x, &part.y)?)?)
}
