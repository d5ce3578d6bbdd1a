//! Two kernels compared on the same five folds: the mean of the scores and its standard error.
//!
//! Run it: `cargo run --release -p kern --example cross_validation`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::kernels::Linear;
use kern::prelude::*;
use kern::solvers::validation::{Accuracy, CrossValidation, Split, cross_validate};

/// The mean score and its standard error, σ/√k for k folds.
fn summary(scores: &CrossValidation) -> (f64, f64) {
    (scores.mean(), scores.std() / (scores.folds().len() as f64).sqrt())
}

pub(crate) fn main() -> Result<(), kern::Error> {
    let row = |i: f64| [2.0 * (1.3 * i).sin(), 2.0 * (2.9 * i).sin()];
    let rows: Vec<[f64; 2]> = (0..120).map(f64::from).map(row).collect();
    let inside: Vec<bool> = rows.iter().map(|[a, b]| a * a + b * b < 4.0).collect();
    let x = Samples::from_rows(&rows)?;
    let data = Data::new(&x, &inside)?; // weights and groups go here, and are split with the points

    let split = Split::stratified(5).shuffle(0); // the same folds for both
    let rbf = cross_validate(&Svc::on_kernel(Rbf::new(0.5)?), &data, &split, &Accuracy)?;
    let linear = cross_validate(&Svc::on_kernel(Linear), &data, &split, &Accuracy)?;
    let ((rbf, rbf_error), (linear, linear_error)) = (summary(&rbf), summary(&linear));
    println!("rbf:    {rbf:.3} ± {rbf_error:.3}");
    println!("linear: {linear:.3} ± {linear_error:.3}");
    assert!(rbf - linear > 2.0 * rbf_error.hypot(linear_error));
    Ok(())
}
