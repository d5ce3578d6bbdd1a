//! A kernel perceptron, mistake by mistake: numbers, the bound on mistakes, and a picture of the function on its way.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::{Context, Result};
use clap::Parser;
use kern::kernels::Rbf;
use kern::solvers::{Details, Svc};
use kern_examples::plane::{Panel, draw, mistake_by_mistake, observe};
use std::path::PathBuf;

/// Points that were not learned from.
const TESTS: usize = 5000;

/// Learns two classes in the plane from mistakes.
#[derive(Parser)]
struct Arguments {
    /// Points to learn from.
    #[arg(long, default_value_t = 850)]
    points: usize,
    /// γ of the kernel.
    #[arg(long, default_value_t = 100.0)]
    gamma: f64,
    /// Numbers of mistakes after which the function is shown; the end is, too.
    #[arg(long, value_delimiter = ',', default_value = "2,10,50")]
    after: Vec<usize>,
    /// The most passes over the points.
    #[arg(long, default_value_t = 100)]
    passes: usize,
    /// The seed of the points.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "perceptron.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { points, gamma, after, passes, seed, picture } = Arguments::parse();
    let (x, y) = observe(points, seed)?;
    let (x_test, y_test) = observe(TESTS, seed + 1)?;
    let steps = mistake_by_mistake(gamma, (&x, &y), (&after, passes))?;

    println!("{points} points, gamma = {gamma}\n");
    println!("{:>9}{:>8}{:>17}{:>9}", "mistakes", "visits", "support vectors", "test");
    let mut panels = Vec::new();
    for step in &steps {
        let test = step.model.accuracy(&x_test, &y_test)?;
        let support = step.model.decision().points().as_slice().len() / 2;
        println!("{:>9}{:>8}{support:>17}{test:>9.4}", step.mistakes, step.visits);
        let title = format!("{} mistakes in {} visits", step.mistakes, step.visits);
        panels.push(Panel { title, model: &step.model, seen: step.visits.min(points) });
    }

    // Novikoff: no more than R²‖f*‖² for any f* with y·f*(x) ≥ 1; the least such norm is that of the machine with hard margins.
    let last = steps.last().context("there is always a last step")?;
    let Details::Perceptron(details) = &last.model.report().details else { unreachable!() };
    let hard = Svc::on_kernel(Rbf::new(gamma)?).c(f64::INFINITY).intercept(false).fit(&x, &y)?;
    let coefficients = hard.decision().coefficients();
    let squared_norm: f64 = coefficients.col(0).iter().map(|alpha| alpha.abs()).sum();
    let bound = details.squared_radius * squared_norm;
    println!("\n{} mistakes; the bound of Novikoff is {bound:.0}", last.mistakes);
    draw(&picture, &panels, (&x, &y))?;
    println!("picture: {}", picture.display());
    Ok(())
}
