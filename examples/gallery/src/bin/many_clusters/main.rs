//! Ways of k-means in the feature space of an RBF kernel, for more and more points.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::Result;
use clap::Parser;
use kern::Samples;
use kern::approx::RandomFourier;
use kern::kernels::Rbf;
use kern::solvers::{KMeans, validation::adjusted_rand_index};
use kern_gallery::progress;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::time::Instant;

/// Time of each way, and the adjusted Rand index of its clusters with those that the points were drawn from.
///
/// Nearly all of the time is that of the exact way, which grows as the square of the points: a fit of 100 000 takes some 25
/// times as long as one of 20 000. On a terminal a bar says how long each fit will take, by the one before.
#[derive(Parser)]
struct Arguments {
    /// Numbers of points.
    #[arg(long, value_delimiter = ',', default_values_t = [5_000, 20_000, 100_000])]
    points: Vec<usize>,
    /// Clusters.
    #[arg(long, default_value_t = 10)]
    clusters: usize,
    /// Random Fourier features.
    #[arg(long, default_value_t = 512)]
    features: usize,
    /// Most points for k-means on the Gram matrix, which takes time as their square.
    #[arg(long, default_value_t = 100_000)]
    exact: usize,
}

fn main() -> Result<()> {
    let Arguments { points, clusters, features, exact } = Arguments::parse();
    let bar = progress::bar(WAYS * points.len() as u64)?;
    let mut square: Option<f64> = None;
    println!("{:>8} {:<12} {:>9} {:>6} {:>7}", "n", "way", "seconds", "passes", "rand");
    for n in points {
        let (x, truth) = sample(n, clusters)?;
        let kernel = Rbf::new(GAMMA)?;
        let line = |way: &str, start: Instant, passes: usize, labels: &[usize]| -> Result<()> {
            let rand = adjusted_rand_index(labels, &truth)?;
            let seconds = start.elapsed().as_secs_f64();
            bar.suspend(|| println!("{n:>8} {way:<12} {seconds:>9.3} {passes:>6} {rand:>7.3}"));
            bar.inc(1);
            Ok(())
        };
        if n <= exact {
            bar.set_message(match square {
                Some(square) => {
                    format!("exact, {n} points: some {:.1} s", square * (n as f64).powi(2))
                }
                None => format!("exact, {n} points"),
            });
            let start = Instant::now();
            let model = KMeans::on_kernel(kernel, clusters).fit(&x)?;
            square = Some(start.elapsed().as_secs_f64() / (n as f64).powi(2));
            line("exact", start, model.report().iterations, model.labels())?;
        } else {
            bar.inc(1);
        }
        bar.set_message(format!("features and mini-batches, {n} points"));
        let start = Instant::now();
        let map = RandomFourier::new(kernel).dim(features).sample(x.dim())?;
        let model = KMeans::on_features(map, clusters).fit(&x)?;
        line("features", start, model.report().iterations, model.labels())?;
        let start = Instant::now();
        let model = KMeans::on_kernel(kernel, clusters).batch(1024).fit(&x)?;
        line("mini-batches", start, model.report().iterations, &model.predict(&x)?)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Lines for each number of points.
const WAYS: u64 = 3;

/// γ of the kernel: the width of a cluster is 1, in each of ten dimensions.
const GAMMA: f64 = 0.02;

/// Points of ten dimensions about so many centres, which are a few widths apart, and the number of the centre of each.
fn sample(n: usize, clusters: usize) -> Result<(Samples<f32>, Vec<usize>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut normal = || rng.sample::<f32, _>(StandardNormal);
    let centres: Vec<[f32; 10]> =
        (0..clusters).map(|_| std::array::from_fn(|_| 2.0 * normal())).collect();
    let truth: Vec<usize> = (0..n).map(|i| i % clusters).collect();
    let rows = truth.iter().map(|&c| centres[c].map(|v| v + normal()));
    Ok((Samples::from_rows(&rows.collect::<Vec<_>>())?, truth))
}
