//! Half a million random features of an RBF kernel, learned from a stream in parts: the function keeps D weights, and the map D
//! frequencies, however many points come.
#![expect(clippy::print_stdout, reason = "a program that prints what it found")]

use anyhow::Result;
use clap::Parser;
use kern::Samples;
use kern::approx::RandomFourier;
use kern::kernels::Rbf;
use kern::solvers::{Sgd, Storage};
use std::time::Instant;

/// Accuracy on points that come later, time, and the greatest memory of the process.
#[derive(Parser)]
struct Arguments {
    /// Random Fourier features.
    #[arg(long, default_value_t = 500_000)]
    features: usize,
    /// Parts of the stream.
    #[arg(long, default_value_t = 8)]
    parts: usize,
    /// Points of a part.
    #[arg(long, default_value_t = 250)]
    points: usize,
}

fn main() -> Result<()> {
    let Arguments { features, parts, points } = Arguments::parse();
    let start = Instant::now();
    let map = RandomFourier::new(Rbf::new(2.0)?).dim(features).seed(1).sample(2)?;
    let sgd = Sgd::on_features(map).lambda(1e-4).batch(16).epochs(1);
    // Those of a part would take gigabytes.
    let sgd = sgd.storage(Storage::OnTheFly);
    let mut stream = sgd.online_classifier(&[false, true])?;
    for part in 0..parts {
        let (x, y) = spirals(part * points..(part + 1) * points)?;
        stream.partial_fit(&x, &y)?;
    }
    let (x, y) = spirals(parts * points..(parts + 2) * points)?;
    let accuracy = stream.model()?.accuracy(&x, &y)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{features} features, {} points: accuracy {accuracy:.3}, {seconds:.1} s",
        parts * points
    );
    if let Some(mebibytes) = largest_memory() {
        println!("greatest memory: {mebibytes} MiB");
    }
    Ok(())
}

/// Points on two spirals, and the spiral of each.
fn spirals(range: std::ops::Range<usize>) -> Result<(Samples<f64>, Vec<bool>)> {
    let unit = |i: usize| (i as f64 * 0.618_033_988_749_895).fract();
    let point = |i: usize| {
        let (turn, side) = (0.5 + 9.0 * unit(i), if i.is_multiple_of(2) { 1.0 } else { -1.0 });
        [side * turn * turn.cos() / 3.0, side * turn * turn.sin() / 3.0]
    };
    let rows: Vec<[f64; 2]> = range.clone().map(point).collect();
    Ok((Samples::from_rows(&rows)?, range.map(|i| i.is_multiple_of(2)).collect()))
}

/// The greatest memory that this process has had at once, where the system tells it.
fn largest_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}
