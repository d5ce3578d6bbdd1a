//! Random Fourier features by how frequencies are chosen: errors, and times on one thread.
//!
//! `cargo bench -p kern-benches --bench features` prints two tables. The first has root mean square
//! errors over 20 maps and all pairs of 64 normal points in d dimensions, by those of independent
//! frequencies: RBF kernel, γ = 1/(2d), D paired features. The second has times for D = 4d: the least of
//! many runs per frequency, which is a cosine and a sine, in nanoseconds. Minima, because the table
//! compares loops, and all else that happens on the machine only adds to them.
#![allow(clippy::print_stdout, reason = "the table is what the program is for")]

use anyhow::Result;
use kern_approx::{FeatureMap, RandomFourier, Sampling, Structure, transform};
use kern_benches::data::{self, Stream};
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Kernel, Points, Samples, Scalar, Scratch};
use kern_gram::MemoryBudget;
use std::time::{Duration, Instant};

const POINTS: usize = 128;

/// The least time of one transform, by frequencies.
fn nanoseconds<T: Scalar>(map: &dyn FeatureMap<Samples<T>>, d: usize) -> Result<f64> {
    let x = data::normal::<T>(Stream::Gram, POINTS, d)?;
    let (mut out, mut scratch) = (Mat::<T>::zeros(map.dim(), POINTS), Scratch::new());
    let (start, mut smallest) = (Instant::now(), Duration::MAX);
    while start.elapsed() < Duration::from_millis(400) {
        let run = Instant::now();
        map.transform_into(&x, 0..POINTS, out.as_mut(), &mut scratch);
        smallest = smallest.min(run.elapsed());
    }
    Ok(smallest.as_secs_f64() * 1e9 / (POINTS * map.dim() / 2) as f64)
}

/// Dense, orthogonal structure, Fastfood.
fn row<T: Scalar>(d: usize) -> Result<[f64; 3]> {
    let params = RandomFourier::new(Rbf::new(0.5 / d as f64)?).dim(4 * d);
    Ok([
        nanoseconds::<T>(&params.sample(d)?, d)?,
        nanoseconds::<T>(&params.sample_structured(Structure::Orthogonal, d)?, d)?,
        nanoseconds::<T>(&params.sample_structured(Structure::Fastfood, d)?, d)?,
    ])
}

/// The root of the sum of all squared errors.
fn error(
    x: &Samples<f64>,
    kernel: Rbf,
    map: impl Fn(u64) -> Result<Box<dyn FeatureMap<Samples<f64>>>>,
) -> Result<f64> {
    let exact = Mat::from_fn(x.len(), x.len(), |i, j| {
        Kernel::<Samples<f64>>::eval(&kernel, x.item(i), x.item(j))
    });
    let mut sum = 0.0;
    for seed in 0..20 {
        let z = transform(map(seed)?.as_ref(), x, &MemoryBudget::available())?;
        let z = z.columns(0..x.len());
        sum += (z.transpose() * z - &exact).squared_norm_l2();
    }
    Ok(sum.sqrt())
}

fn errors(d: usize, dim: usize) -> Result<[f64; 4]> {
    let (x, kernel) = (data::normal::<f64>(Stream::Gram, 64, d)?, Rbf::new(0.5 / d as f64)?);
    let params = |seed| RandomFourier::new(kernel).dim(dim).seed(seed);
    let sampled = |sampling| {
        error(&x, kernel, |seed| Ok(Box::new(params(seed).sampling(sampling).sample(d)?)))
    };
    let structured = |structure| {
        error(&x, kernel, |seed| Ok(Box::new(params(seed).sample_structured(structure, d)?)))
    };
    let independent = sampled(Sampling::Independent)?;
    Ok([
        sampled(Sampling::Orthogonal)? / independent,
        sampled(Sampling::Quasi)? / independent,
        structured(Structure::Orthogonal)? / independent,
        structured(Structure::Fastfood)? / independent,
    ])
}

fn print<const N: usize>(name: &str, cells: [f64; N]) {
    let cells = cells.map(|cell| format!("{cell:.2}"));
    println!("| {name} | {} |", cells.join(" | "));
}

fn main() -> Result<()> {
    println!("| d, D | Orthogonal | Quasi | structured Orthogonal | Fastfood |");
    println!("|---|---|---|---|---|");
    for d in [2, 4, 8, 16, 64, 256] {
        for dim in [256, 4096] {
            print(&format!("{d}, {dim}"), errors(d, dim)?);
        }
    }
    println!(
        "\n| d | dense | Orthogonal | Fastfood | dense, f32 | Orthogonal, f32 | Fastfood, f32 |"
    );
    println!("|---|---|---|---|---|---|---|");
    for d in [64, 128, 256, 512, 784, 1024] {
        let ([a, b, c], [e, f, g]) = (row::<f64>(d)?, row::<f32>(d)?);
        print(&d.to_string(), [a, b, c, e, f, g]);
    }
    Ok(())
}
