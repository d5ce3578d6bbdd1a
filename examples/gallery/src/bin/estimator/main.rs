//! The RBF kernel as the mean of random features: the lecture's experiment with ten million draws, beside Hoeffding's
//! bound, and a picture.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod estimator;
mod picture;

use crate::estimator::{Estimator, hoeffding, hoeffding_error};
use crate::picture::draw;
use anyhow::Result;
use clap::Parser;
use std::path::PathBuf;

/// Estimates exp(−γ‖x − y‖²) for two points of the unit cube by draws of 2·cos(ωᵀx + b)·cos(ωᵀy + b).
#[derive(Parser)]
struct Arguments {
    /// The number of draws.
    #[arg(long, default_value_t = 10_000_000)]
    draws: usize,
    /// The dimension of the points.
    #[arg(long, default_value_t = 10)]
    dim: usize,
    /// γ.
    #[arg(long, default_value_t = 0.1)]
    gamma: f64,
    /// Seed of the points and of the draws.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Numbers of features D.
    #[arg(long, value_delimiter = ',', default_values_t = [10, 100, 1000])]
    features: Vec<usize>,
    /// The number of features in the picture, one of them.
    #[arg(long, default_value_t = 100)]
    shown: usize,
    /// The file for the picture.
    #[arg(long, default_value = "estimator.svg")]
    picture: PathBuf,
}

/// The errors of a row, in standard deviations of a mean. One more has a bound of a hundredth.
const DEVIATIONS: [f64; 3] = [1.0, 2.0, 3.0];

fn main() -> Result<()> {
    let a = Arguments::parse();
    let estimator = Estimator::new(a.gamma, a.dim, a.seed)?;
    let outcome = estimator.run(a.draws, &a.features, a.seed.wrapping_add(1))?;
    let value = estimator.value();
    println!("kernel function value  {value:.6}");
    println!("estimated value        {:.6}", outcome.estimate);
    println!("standard error         {:.6}", outcome.standard_error);
    println!("spread of a draw       {:.6}", estimator.variance().sqrt());

    println!("\n{:>8} {:>8} {:>10} {:>10} {:>8}", "D", "error", "Hoeffding", "observed", "means");
    for means in &outcome.means {
        let d = means.features;
        let spread = (estimator.variance() / d as f64).sqrt();
        let errors = DEVIATIONS.map(|z| z * spread).into_iter().chain([hoeffding_error(d, 0.01)]);
        for error in errors {
            let (bound, share) = (hoeffding(d, error), means.share(value, error));
            println!("{d:>8} {error:>8.4} {bound:>10.4} {share:>10.6} {:>8}", means.values.len());
        }
    }
    draw(&a.picture, &estimator, &outcome, a.shown)?;
    println!("\npicture: {}", a.picture.display());
    Ok(())
}
