//! Groups without labels: k-means in the feature space of a kernel finds rings, digits
//! and languages; and with labels, neighbours.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod agreement;
mod digits;
mod picture;
mod rings;
mod strings;
#[cfg(test)]
mod tests;

use crate::agreement::{mutual_information, purity};
use crate::picture::draw;
use crate::rings::Rings;
use crate::strings::Sentences;
use anyhow::{Result, ensure};
use clap::Parser;
use kern::solvers::validation::adjusted_rand_index;
use kern_gallery::data;
use std::path::PathBuf;

/// Clusters rings, handwritten digits and sentences in three languages, and draws the first two.
#[derive(Parser)]
struct Arguments {
    /// Seed of the rings, the split of the digits and the starts of k-means.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "clusters.svg")]
    out: PathBuf,
}

/// Points of both rings.
const POINTS: usize = 400;

fn main() -> Result<()> {
    let Arguments { seed, out } = Arguments::parse();
    println!("{:<10} {:<28} {:>8} {:>8} {:>8}", "points", "way", "rand", "purity", "nmi");

    let (points, truth) = rings::sample(POINTS, seed)?;
    let rings = Rings::fit(&points, seed)?;
    for (way, labels) in rings.labels() {
        line("rings", way, &labels, &truth)?;
    }
    // That the kernel sees them is the point of the example.
    let found = adjusted_rand_index(rings.rbf.labels(), &truth)?;
    ensure!(found >= 1.0, "the RBF kernel has not found the rings: {found}");

    let images = data::digits()?;
    let model = digits::cluster(&images.points, seed)?;
    line("digits", "kernel k-means, RBF", model.labels(), &images.labels)?;
    let sentences = Sentences::all();
    let clusters = strings::cluster(&sentences, seed)?;
    line("sentences", "kernel k-means, spectrum", &clusters, &sentences.languages)?;

    println!("\n{:<10} {:<28} {:>8}", "points", "way", "accuracy");
    let (train, test) = images.split(0.7, seed)?;
    let accuracy = digits::neighbours(&train, &test)?;
    println!("{:<10} {:<28} {accuracy:>8.4}", "digits", "3 nearest neighbours, RBF");
    let (train, test) = Sentences::split();
    let accuracy = strings::neighbours(&train, &test)?;
    println!("{:<10} {:<28} {accuracy:>8.4}", "sentences", "5 nearest neighbours");

    draw(&out, &rings, &model)?;
    println!("\npicture: {}", out.display());
    Ok(())
}

fn line<L: Ord>(points: &str, way: &str, clusters: &[usize], classes: &[L]) -> Result<()> {
    let rand = adjusted_rand_index(clusters, classes)?;
    let (purity, nmi) = (purity(clusters, classes), mutual_information(clusters, classes));
    println!("{points:<10} {way:<28} {rand:>8.3} {purity:>8.3} {nmi:>8.3}");
    Ok(())
}
