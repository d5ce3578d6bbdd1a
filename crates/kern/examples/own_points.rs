//! Points of your own, with a kernel on each part: the product of an RBF kernel and a set kernel.
//!
//! Run it: `cargo run --release -p kern --example own_points`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::closure::PullBack;
use kern::kernels::Jaccard;
use kern::prelude::*;

#[derive(Clone)]
struct Recipe {
    minutes: f64,
    ingredients: Vec<&'static str>,
}

fn recipe(minutes: f64, ingredients: &'static str) -> Recipe {
    Recipe { minutes, ingredients: ingredients.split(' ').collect() }
}

pub(crate) fn main() -> Result<(), kern::Error> {
    let recipes = vec![
        recipe(15.0, "pasta tomato basil"),
        recipe(20.0, "pasta garlic oil"),
        recipe(90.0, "pasta tomato beef"),
        recipe(25.0, "rice liver onion"),
        recipe(30.0, "liver onion apple"),
    ];
    let stars = [5.0_f64, 5.0, 3.0, 1.0, 1.0];
    // A pull-back is a kernel on what a closure computes of a point, in a collection of that kind.
    let half_hours = |r: &Recipe| vec![r.minutes / 30.0];
    let time = PullBack::<_, _, Samples<f64>>::new(half_hours, Rbf::new(0.5)?);
    let content = |r: &Recipe| r.ingredients.clone();
    let content = PullBack::<_, _, Vec<Vec<&str>>>::new(content, Jaccard);
    let ridge = Ridge::on_kernel(time * content).lambda(1e-3).intercept(true);
    let queries = vec![recipe(20.0, "pasta tomato garlic"), recipe(35.0, "rice liver onion")];
    let predicted = ridge.fit(&recipes, &stars)?.predict(&queries)?;
    println!("pasta: {:.1} stars, liver: {:.1} stars", predicted[0], predicted[1]);
    assert!(predicted[0] > 4.0 && predicted[1] < 2.0);
    Ok(())
}
