//! A Gaussian process learns the amplitude and the width of its kernel and the noise: numbers, and a picture of the prior and of the
//! posteriors before and after.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod picture;
mod process;

use crate::picture::draw;
use crate::process::{Curves, Model, NOISE, covered, fit, observe, posterior, prior};
use anyhow::{Result, ensure};
use clap::Parser;
use kern::kernels::Rbf;
use std::path::PathBuf;

/// Learns a function of one number with a Gaussian process.
#[derive(Parser)]
struct Arguments {
    /// Points with noisy values.
    #[arg(long, default_value_t = 24)]
    points: usize,
    /// Seed of the points, of the noise and of all samples.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "gaussian_process.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    ensure!(arguments.points >= 2, "there must be at least 2 points");
    let (x, y) = observe(arguments.points, arguments.seed)?;
    // Too narrow, and too noisy.
    let kernel = 1.0 * Rbf::new(8.0)?;
    let [given, learned] = fit(kernel, 0.25, (&x, &y))?;
    let seed = arguments.seed;
    let parts = vec![
        (format!("prior: {}", title(&given)), prior(&kernel, seed)?),
        ("posterior with these".to_owned(), posterior(&given, seed)?),
        (format!("learned: {}", title(&learned)), posterior(&learned, seed)?),
    ];

    println!("{} points, noise of standard deviation {NOISE}\n", arguments.points);
    println!(
        "{:<10}{:>11}{:>8}{:>8}{:>14}{:>9}",
        "", "amplitude", "width", "noise", "likelihood", "covered"
    );
    for (name, model, curves) in
        [("given", &given, &parts[1].1), ("learned", &learned, &parts[2].1)]
    {
        print_line(name, model, curves);
    }
    draw(&arguments.picture, &parts, (&x, &y))?;
    println!("\npicture: {}", arguments.picture.display());
    Ok(())
}

/// The amplitude √weight, the width ℓ with γ = 1/(2ℓ²), and the deviation of the noise.
fn numbers(model: &Model) -> [f64; 3] {
    let posterior = model.decision();
    let kernel = posterior.kernel();
    let width = (0.5 / kernel.kernel().gamma()).sqrt();
    [kernel.weight().sqrt(), width, posterior.noise().sqrt()]
}

fn title(model: &Model) -> String {
    let [amplitude, width, noise] = numbers(model);
    format!("amplitude {amplitude:.2}, width {width:.2}, noise {noise:.2}")
}

fn print_line(name: &str, model: &Model, curves: &Curves) {
    let [amplitude, width, noise] = numbers(model);
    let (likelihood, covered) = (model.decision().log_likelihood(), 100.0 * covered(curves));
    println!(
        "{name:<10}{amplitude:>11.2}{width:>8.2}{noise:>8.2}{likelihood:>14.1}{covered:>7.0} %"
    );
}
