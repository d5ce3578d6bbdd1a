//! Random Fourier features on one thread: dense and structured frequencies, per dimension d of the
//! points and number type, with D = 4d paired features.
//!
//! `cargo bench -p kern-benches --bench features` prints the least time of many runs per frequency,
//! which is a cosine and a sine, in nanoseconds. Minima, because the table compares loops, and all else
//! that happens on the machine only adds to them.
#![allow(clippy::print_stdout, reason = "the table is what the program is for")]

use anyhow::Result;
use kern_approx::{FeatureMap, RandomFourier, Structure};
use kern_benches::data::{self, Stream};
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Samples, Scalar, Scratch};
use std::time::{Duration, Instant};

const POINTS: usize = 128;

/// The least time of one transform, by frequencies.
fn nanoseconds<T: Scalar>(map: &dyn FeatureMap<Samples<T>>, d: usize) -> Result<f64> {
    let x = data::normal::<T>(Stream::Gram, POINTS, d)?;
    let (mut out, mut scratch) = (Mat::<T>::zeros(map.dim(), POINTS), Scratch::new());
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < Duration::from_millis(400) {
        let run = Instant::now();
        map.transform_into(&x, 0..POINTS, out.as_mut(), &mut scratch);
        least = least.min(run.elapsed());
    }
    Ok(least.as_secs_f64() * 1e9 / (POINTS * map.dim() / 2) as f64)
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

fn main() -> Result<()> {
    println!(
        "| d | dense f64 | Orthogonal f64 | Fastfood f64 | dense f32 | Orthogonal f32 | Fastfood f32 |"
    );
    println!("|---|---|---|---|---|---|---|");
    for d in [64, 128, 256, 512, 784, 1024] {
        let cells = row::<f64>(d)?.into_iter().chain(row::<f32>(d)?);
        let cells: Vec<String> = cells.map(|ns| format!("{ns:.1}")).collect();
        println!("| {d} | {} |", cells.join(" | "));
    }
    Ok(())
}
