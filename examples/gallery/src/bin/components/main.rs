//! Images of digits in two dimensions: principal components of the pixels, and of the feature spaces of kernels.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod picture;
mod projection;

use crate::picture::draw;
use crate::projection::project;
use anyhow::Result;
use clap::Parser;
use kern::closure::Normalized;
use kern::kernels::{Linear, Polynomial, Rbf};
use kern_gallery::data;
use std::path::PathBuf;

/// Projects images of digits on two principal components.
#[derive(Parser)]
struct Arguments {
    /// γ of the Gaussian kernel, for pixels in [0, 1].
    #[arg(long, default_value_t = 0.3)]
    gamma: f64,
    /// The degree of the polynomial kernel of images of norm 1.
    #[arg(long, default_value_t = 12)]
    degree: u32,
    /// The share of the images that components are learned from.
    #[arg(long, default_value_t = 0.8)]
    share: f64,
    /// The seed of the split.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "components.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { gamma, degree, share, seed, picture } = Arguments::parse();
    let (train, test) = data::digits()?.split(share, seed)?;
    let both = (&train, &test);
    let projections = [
        project("pixels", Linear, both)?,
        project("Gaussian", Rbf::new(gamma)?, both)?,
        project("polynomial", Normalized::new(Polynomial::new(1.0, 0.0, degree)?), both)?,
    ];

    println!("{} images learned from, {} others\n", train.labels.len(), test.labels.len());
    println!("{:<12}{:>11}{:>15}", "kernel", "explained", "by neighbours");
    for projection in &projections {
        let explained = 100.0 * projection.explained.iter().sum::<f64>();
        let accuracy = 100.0 * projection.accuracy;
        println!("{:<12}{explained:>9.1} %{accuracy:>13.1} %", projection.kernel);
    }
    draw(&picture, &projections, both)?;
    println!("\npicture: {}", picture.display());
    Ok(())
}
