//! k-means in feature space: finds a ring around a disc, which no straight line separates.
//!
//! Run it: `cargo run --release -p kern --example k_means`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::prelude::*;
use kern::solvers::validation::adjusted_rand_index;

fn ring(radius: f64) -> impl Iterator<Item = [f64; 2]> {
    (0..12).map(f64::from).map(move |i| [radius * i.cos(), radius * i.sin()])
}

pub(crate) fn main() -> Result<(), kern::Error> {
    let rows: Vec<[f64; 2]> = ring(0.2).chain(ring(3.0)).collect();
    let x = Samples::from_rows(&rows)?;
    let truth = [["disc"; 12], ["ring"; 12]].concat();

    // The best of twenty runs from different seeds.
    let model = KMeans::on_kernel(Rbf::new(0.5)?, 2).restarts(20).fit(&x)?;
    let agreement = adjusted_rand_index(model.labels(), &truth)?;
    println!("clusters of {:?} points, adjusted Rand index {agreement}", model.sizes());
    println!("{}", model.report());
    assert!(agreement > 0.99);

    let queries = Samples::from_rows(&[[0.1, 0.0], [-2.0, 2.0]])?;
    assert_eq!(model.predict(&queries)?, [model.labels()[0], model.labels()[12]]);
    Ok(())
}
