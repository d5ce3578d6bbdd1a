//! A right program.

use kern::approx::RandomFourier;
use kern::prelude::*;
use kern::solvers::validation::{R2, Split, cross_validate};

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    let y = [0.0_f64, 1.0];
    let ridge = Ridge::on_kernel(Rbf::new(0.5)? + Rbf::new(0.1)?);
    ridge.fit(&x, &y)?.predict(&x)?;
    cross_validate(&ridge, &Data::new(&x, &y)?, &Split::k_fold(2), &R2)?;
    let map = RandomFourier::new(Rbf::new(0.5)?).sample(1)?;
    Standardize::new().then(Svc::on_features(map)).fit(&x, &["a", "b"])?.predict(&x)?;
    Ok(())
}
