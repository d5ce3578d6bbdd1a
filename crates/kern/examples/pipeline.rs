//! A pipeline: standardised coordinates, then an SVM on a kernel or on random features of it.
//!
//! Run it: `cargo run --release -p kern --example pipeline`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::approx::RandomFourier;
use kern::prelude::*;
use kern::solvers::validation::{Accuracy, Score};
use std::ops::Range;

/// Heights in metres next to masses in grams, and whether each person is tall.
fn people(ids: Range<u32>) -> Result<(Samples<f64>, Vec<bool>), kern::Error> {
    let height = |i: f64| 1.7 + 0.2 * (1.7 * i).sin();
    let mass = |i: f64| 70_000.0 + 20_000.0 * (2.9 * i).sin();
    let rows: Vec<[f64; 2]> = ids.map(f64::from).map(|i| [height(i), mass(i)]).collect();
    Ok((Samples::from_rows(&rows)?, rows.iter().map(|row| row[0] > 1.7).collect()))
}

pub(crate) fn main() -> Result<(), kern::Error> {
    let ((x, y), (new, truth)) = (people(0..40)?, people(40..80)?);
    let test = Data::new(&new, &truth)?;
    let kernel = Rbf::new(0.5)?;

    let raw = Svc::on_kernel(kernel).fit(&x, &y)?;
    let scaled = Standardize::new().then(Svc::on_kernel(kernel)).fit(&x, &y)?;
    let features = RandomFourier::new(kernel).dim(200).sample(x.dim())?;
    let on_features = Standardize::new().then(Svc::on_features(features)).fit(&x, &y)?;

    let raw = Accuracy.score(&raw, &test)?;
    let scaled = Accuracy.score(&scaled, &test)?;
    let on_features = Accuracy.score(&on_features, &test)?;
    println!("accuracy {raw:.2} as given: grams hide metres");
    println!("accuracy {scaled:.2} standardised, {on_features:.2} on 200 random features");
    assert!(raw < 0.7 && scaled > 0.9 && on_features > 0.8);
    Ok(())
}
