//! Support vector machines in the plane: regions, margins and support vectors for several γ, as numbers and as a picture.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::{Result, ensure};
use clap::Parser;
use kern::kernels::Rbf;
use kern::solvers::Svc;
use kern_gallery::plane::{Panel, cells, draw, observe};
use std::path::PathBuf;

/// Points that were not learned from.
const TESTS: usize = 5000;

/// Tells two classes in the plane apart by machines with Gaussian kernels.
#[derive(Parser)]
struct Arguments {
    /// Points to learn from.
    #[arg(long, default_value_t = 850)]
    points: usize,
    /// γ of the kernels, one machine each.
    #[arg(long, value_delimiter = ',', default_value = "1,10,100,2000")]
    gamma: Vec<f64>,
    /// The price C of what is within the margin.
    #[arg(long, default_value_t = 1.0)]
    c: f64,
    /// The seed of the points.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "svm.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { points, gamma, c, seed, picture } = Arguments::parse();
    ensure!(!gamma.is_empty(), "there must be a gamma");
    let (x, y) = observe(points, seed)?;
    let (x_test, y_test) = observe(TESTS, seed + 1)?;
    let machine = |&gamma: &f64| Ok(Svc::on_kernel(Rbf::new(gamma)?).c(c).fit(&x, &y)?);
    let models: Vec<_> = gamma.iter().map(machine).collect::<Result<_>>()?;

    println!("{points} points, C = {c}\n");
    println!(
        "{:>8}{:>17}{:>11}{:>10}{:>9}{:>11}",
        "gamma", "support vectors", "at bound", "training", "test", "gap"
    );
    let (cells, mut panels) = (cells()?, Vec::new());
    for (gamma, model) in gamma.iter().zip(&models) {
        let report = model.report();
        let (support, bounded) =
            report.svm().map_or((0, 0), |details| (details.support.len(), details.bounded));
        let (training, test) = (model.accuracy(&x, &y)?, model.accuracy(&x_test, &y_test)?);
        let gap = report.gap.unwrap_or(f64::NAN);
        println!("{gamma:>8}{support:>17}{bounded:>11}{training:>10.4}{test:>9.4}{gap:>11.1e}");
        let title = format!("γ = {gamma}: {support} support vectors, test {:.1} %", 100.0 * test);
        let values = model.decision_values(&cells)?.col(0).iter().copied().collect();
        panels.push(Panel { title, values, vectors: model.decision().points(), seen: points });
    }
    draw(&picture, &panels, (&x, &y))?;
    println!("\npicture: {}", picture.display());
    Ok(())
}
