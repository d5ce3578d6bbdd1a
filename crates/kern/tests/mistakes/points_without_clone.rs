//! Points in a `Vec` must be `Clone`.
//~ Recipe: Clone` is not satisfied
//~ `#[derive(Clone)]`

use kern::prelude::*;

struct Recipe {
    minutes: f64,
}
struct Minutes;

impl Kernel<Vec<Recipe>> for Minutes {
    fn eval(&self, x: &Recipe, y: &Recipe) -> f64 {
        x.minutes * y.minutes
    }
}

fn main() {}
