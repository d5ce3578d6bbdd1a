//! A constructor returns a `Result`, which is no kernel.
//~ is not known to be positive semi-definite on
//~ add `?` to a constructor

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Ridge::on_kernel(Rbf::new(0.5)).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
