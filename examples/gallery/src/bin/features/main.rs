//! Feature maps of the RBF kernel side by side: the error of kernel values by the number of features,
//! as tables and as a picture.
#![expect(clippy::print_stdout, reason = "a program that prints tables")]

mod comparison;
mod picture;
#[cfg(test)]
mod tests;

use crate::comparison::{Comparison, MAPS, Map, Outcome, SMALLEST, dims};
use crate::picture::{Outcomes, draw};
use anyhow::{Result, ensure};
use clap::Parser;
use kern::gram::MemoryBudget;
use kern::kernels::{Rbf, bandwidth};
use kern_gallery::{data, progress};
use std::path::{Path, PathBuf};

/// Compares the feature maps of kern on standardised data, with γ by the median heuristic.
#[derive(Parser)]
struct Arguments {
    /// A table (.csv.gz: a header, numbers, the target last) instead of the digits.
    #[arg(long)]
    data: Option<PathBuf>,
    /// N, the points that are drawn from the table. Two N × N matrices are held.
    #[arg(long, default_value_t = 1000)]
    points: usize,
    /// The greatest number of features, of 16, 32, 64, …
    #[arg(long, default_value_t = 1024)]
    largest: usize,
    /// Seeds that each error is the mean of, and each time the least of.
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Seed of the points, and the first one of the features.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "features.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let dims = dims(arguments.largest);
    ensure!(!dims.is_empty(), "the greatest number of features must be at least {SMALLEST}");
    ensure!(arguments.points >= SMALLEST, "there must be at least {SMALLEST} points");
    let (mut comparison, facts) = load(&arguments)?;
    println!("{facts}");
    let outcomes = compare(&mut comparison, &arguments, &dims)?;

    let title = "root mean square error of kernel values, over all pairs";
    print_table(title, &dims, &outcomes, |o| Some(format!("{:.2e}", o.error)));
    let title = "relative trace error";
    print_table(title, &dims, &outcomes, |o| o.trace.map(|t| format!("{t:.2e}")));
    print_table("seconds to draw and transform", &dims, &outcomes, |o| {
        Some(format!("{:.4}", o.seconds))
    });
    draw(&arguments.picture, &facts, &dims, &outcomes)?;
    println!("picture: {}", arguments.picture.display());
    Ok(())
}

/// The drawn points with their exact Gram matrix, and a line that tells what they are.
fn load(a: &Arguments) -> Result<(Comparison, String)> {
    let (name, table) = match &a.data {
        None => ("digits".into(), data::digits()?),
        Some(path) => (file_name(path), data::open(path)?),
    };
    let points = data::standardize(&table.draw(a.points, a.seed)?.points)?;
    let gamma = bandwidth::median_gamma(&points, a.seed)?;
    let (n, dim) = (a.points, points.dim());
    let facts = format!("{name}: {n} points in {dim} dimensions, rbf(gamma={gamma:.4})");
    Ok((Comparison::new(Rbf::new(gamma)?, points, MemoryBudget::available())?, facts))
}

/// The name of a file without what follows its first dot.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_string()
}

fn compare(comparison: &mut Comparison, a: &Arguments, dims: &[usize]) -> Result<Outcomes> {
    let mut outcomes = Outcomes::default();
    let seeds: Vec<u64> = (0..a.repeats).map(|k| a.seed.wrapping_add(k as u64)).collect();
    let bar = progress::bar((MAPS.len() * dims.len()) as u64)?;
    for ((name, map), outcomes) in MAPS.iter().zip(&mut outcomes) {
        for &dim in dims {
            bar.set_message(format!("{name}, D = {dim}"));
            if dim <= a.points || !matches!(map, Map::Nystrom(_)) {
                outcomes.push(comparison.outcome(*map, dim, &seeds)?);
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(outcomes)
}

/// A line for each map that has such a number, a column for each number of features.
fn print_table(
    title: &str,
    dims: &[usize],
    outcomes: &Outcomes,
    cell: impl Fn(&Outcome) -> Option<String>,
) {
    let line = |name: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>9}")).collect();
        println!("{name:<26}{cells}");
    };
    println!("\n{title}");
    line("D", &dims.iter().map(ToString::to_string).collect::<Vec<_>>());
    for ((name, _), outcomes) in MAPS.iter().zip(outcomes) {
        let cells: Vec<String> = outcomes.iter().filter_map(&cell).collect();
        if !cells.is_empty() {
            line(name, &cells);
        }
    }
}
