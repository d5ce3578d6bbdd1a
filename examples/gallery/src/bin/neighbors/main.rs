//! The search of neighbours: among all points, by a tree, and by hashes, on images and on strings.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::{Context, Result};
use clap::Parser;
use kern::closure::Normalized;
use kern::kernels::{Rbf, Spectrum};
use kern::solvers::{KNearest, KernelHashes, SearchAlgorithm, VantageTree};
use kern::{Mercer, Points, Samples, Scalar};
use kern_gallery::data::{self, unpacked};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Ten neighbours of each query: time, comparisons per query, and recall.
#[derive(Parser)]
struct Arguments {
    /// The folder with `mnist_train_images.idx3-ubyte.gz` and `splice_dna.tsv.gz`: a header, and a class and a string per
    /// line. Without it, the digits alone.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Images of MNIST, a tenth of which are queries.
    #[arg(long, default_value_t = 11_000)]
    images: usize,
}

fn main() -> Result<()> {
    let Arguments { data, images } = Arguments::parse();
    println!(
        "{:<10} {:>6} {:<8} {:>9} {:>9} {:>9} {:>7}",
        "points", "n", "way", "fit, s", "query, ms", "compared", "recall"
    );
    let digits = data::digits()?.points;
    table("digits", rbf(&digits)?, &digits, 6)?;
    let Some(folder) = data else { return Ok(()) };
    let mnist = mnist(&folder.join("mnist_train_images.idx3-ubyte.gz"), images)?;
    table("mnist", rbf(&mnist)?, &mnist, 10)?;
    let dna = unpacked(&folder.join("splice_dna.tsv.gz"))?;
    let dna = String::from_utf8(dna)?;
    let strings = dna.lines().skip(1).filter_map(|line| line.split('\t').nth(1));
    let strings: Vec<String> = strings.map(str::to_owned).collect();
    table("dna", Normalized::new(Spectrum::new(3)?), &strings, 16)
}

/// Every `share`-th point is a query, the others are searched.
fn table<P: Points>(
    name: &str,
    kernel: impl Mercer<P> + Copy,
    points: &P,
    share: usize,
) -> Result<()> {
    let part = |queries: bool| {
        let of = |i: &usize| i.is_multiple_of(share) == queries;
        points.select(&(0..points.len()).filter(of).collect::<Vec<_>>())
    };
    let (queries, x) = (part(true)?, part(false)?);
    let params = KNearest::by_distance(kernel).neighbors(10);
    let ways: [(&str, SearchAlgorithm); 3] = [
        ("all", SearchAlgorithm::Brute),
        ("tree", VantageTree::new().into()),
        ("hashes", KernelHashes::new().into()),
    ];
    for (way, by) in ways {
        let start = Instant::now();
        let model = params.clone().search(by).fit(&x, ())?;
        let fit = start.elapsed().as_secs_f64();
        let start = Instant::now();
        model.neighbors(&queries)?;
        let query = 1e3 * start.elapsed().as_secs_f64() / queries.len() as f64;
        let compared: usize = model.search().evaluations(&queries)?.iter().sum();
        let compared = compared as f64 / queries.len() as f64;
        let recall = model.search().recall(&queries)?;
        let n = x.len();
        println!(
            "{name:<10} {n:>6} {way:<8} {fit:>9.3} {query:>9.4} {compared:>9.0} {recall:>7.3}"
        );
    }
    Ok(())
}

/// An RBF kernel with γ = 1/median of squared distances.
fn rbf<T: Scalar>(points: &Samples<T>) -> Result<Rbf> {
    let squared = |(i, j): (usize, usize)| -> f64 {
        let pairs = points.item(i).iter().zip(points.item(j));
        pairs.map(|(x, y)| (x.to_f64() - y.to_f64()).powi(2)).sum()
    };
    let n = points.len();
    let pairs = (0..1000).map(|t| (7919 * t % n, (104_729 * t + 13) % n));
    let mut distances: Vec<f64> = pairs.map(squared).collect();
    distances.sort_by(f64::total_cmp);
    Ok(Rbf::new(1.0 / distances[500])?)
}

/// The first images, with pixels in [0, 1].
fn mnist(path: &Path, count: usize) -> Result<Samples<f32>> {
    let bytes = unpacked(path)?;
    let pixels = bytes.get(16..).context("the file of images is too short")?;
    let pixels = pixels.iter().take(784 * count).map(|&pixel| f32::from(pixel) / 255.0);
    Ok(Samples::from_row_major(784, pixels.collect())?)
}
