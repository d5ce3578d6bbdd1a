//! A grid search: hyper-parameters by name, scored by cross-validation, refitted on all points.
//!
//! Run it: `cargo run --release -p kern --example search`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::Parameters;
use kern::prelude::*;
use kern::solvers::search::{Axis, Tune};
use kern::solvers::validation::R2;
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let x = Samples::from_row_major(1, (0..30).map(|i| f64::from(i) / 3.0).collect())?;
    let y: Vec<f64> = (0..30).map(|i| (f64::from(i) / 3.0).sin()).collect();

    let ridge = Ridge::on_kernel(Rbf::new(1.0)?);
    let names: Vec<_> = ridge.parameters().into_iter().map(|p| p.name).collect();
    println!("hyper-parameters: {}", names.join(", "));

    // The search is a learner, too: nested cross-validation is `cross_validate(&tune, …)`.
    let tune = Tune::new(ridge, R2)
        .over("kernel.gamma", Axis::log(0.01, 100.0, 5))
        .over("lambda", [1e-6, 1e-3, 1.0]);
    let model = tune.fit(&x, &y)?;
    let best = model.best().ok_or("no candidate")?;
    for (name, value) in model.names().iter().zip(&best.settings) {
        println!("best {name}: {value}");
    }
    let mean = best.mean().ok_or("not scored on all folds")?;
    println!("R² {mean:.4} in 5 folds, the best of {}", model.trials().len());
    assert!(mean > 0.99);
    assert!((model.predict(&x)?[6] - 2.0_f64.sin()).abs() < 0.05);
    Ok(())
}
