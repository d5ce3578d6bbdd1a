//! One of two kernels is a `Result`.
//~ is not known to be positive semi-definite on
//~ add `?` to a constructor

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Ridge::on_kernel(Rbf::new(0.5)? + Rbf::new(0.1)).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
