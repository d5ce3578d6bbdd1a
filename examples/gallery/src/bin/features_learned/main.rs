//! A feature machine learns which pixels matter to read digits: accuracies by rounds, and a picture of the metric M before and after.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod learned;
mod picture;
#[cfg(test)]
mod tests;

use crate::picture::draw;
use anyhow::Result;
use clap::Parser;
use kern_gallery::data;
use std::path::PathBuf;

/// Learns a metric on images of digits.
#[derive(Parser)]
struct Arguments {
    /// Images that are learned from; the others are read.
    #[arg(long, default_value_t = 600)]
    points: usize,
    /// The most rounds in which the metric is learned.
    #[arg(long, default_value_t = 4)]
    rounds: usize,
    /// Seed of the split.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "features_learned.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { points, rounds, seed, picture } = Arguments::parse();
    let digits = data::digits()?;
    let (train, test) = digits.split(points as f64 / digits.labels.len() as f64, seed)?;
    println!(
        "digits: {} images for training, {} for testing",
        train.labels.len(),
        test.labels.len()
    );
    println!("{:<8}{:>8}{:>16}{:>10}", "allowed", "rounds", "leave-one-out", "accuracy");
    let all = learned::rounds(rounds, (&train, &test))?;
    for (allowed, round) in all.iter().enumerate() {
        let learned::Round { chosen, left_out, accuracy, .. } = round;
        println!("{allowed:<8}{chosen:>8}{left_out:>16.4}{accuracy:>10.4}");
    }
    println!(
        "leave-one-out is optimistic from round 1 on: M has seen every label; folds judge honestly"
    );
    let pairs = learned::pairs(rounds, (&train, &test))?;
    println!("\n{:<8}{:>8}{:>16}{:>10}", "pair", "rounds", "leave-one-out", "accuracy");
    for learned::Pair { names: [first, second], round, .. } in &pairs {
        let learned::Round { chosen, left_out, accuracy, .. } = round;
        println!("{:<8}{chosen:>8}{left_out:>16.4}{accuracy:>10.4}", format!("{first}, {second}"));
    }
    draw(&picture, &all, &pairs)?;
    println!("\npicture: {}", picture.display());
    Ok(())
}
