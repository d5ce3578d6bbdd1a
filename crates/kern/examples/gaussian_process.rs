//! Regression by a Gaussian process: learns its kernel and noise, predicts a mean and a std.
//!
//! Run it: `cargo run --release -p kern --example gaussian_process`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::prelude::*;
use kern::solvers::gaussian_process::Noise;

pub(crate) fn main() -> Result<(), kern::Error> {
    let times: Vec<f64> = (0..40).map(|i| f64::from(i) / 8.0).collect();
    let noise = |i: i32| 0.1 * f64::from(37 * i).sin(); // of std 0.07
    let y: Vec<f64> = (0..40).zip(&times).map(|(i, time)| time.sin() + noise(i)).collect();
    let x = Samples::from_row_major(1, times)?;

    // The search starts from this kernel; both factors are learned.
    let process = GaussianProcess::on_kernel(1.0 * Rbf::new(1.0)?).restarts(2);
    let model = process.fit(&x, &y)?;
    let posterior = model.decision();
    println!("learned: {}, noise of std {:.3}", posterior.kernel(), posterior.noise().sqrt());

    let queries = Samples::from_rows(&[[2.5], [9.0]])?; // among the points, and far away
    let mean = model.predict(&queries)?;
    let std = model.std(&queries, Noise::Without)?; // of the function; a new target: `Noise::With`
    println!("f(2.5) = {:.3} ± {:.3}, f(9) = {:.3} ± {:.3}", mean[0], std[0], mean[1], std[1]);
    assert!((mean[0] - 2.5_f64.sin()).abs() < 0.1);
    assert!(std[1] > 10.0 * std[0]);
    Ok(())
}
