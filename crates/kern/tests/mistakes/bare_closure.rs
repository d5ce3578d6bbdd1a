//! A closure is no kernel by itself.
//~ is not known to be positive semi-definite on
//~ `AssumeMercer(FnKernel::new(f))`

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    let kernel = |a: &[f64], b: &[f64]| a[0] * b[0];
    Ridge::on_kernel(kernel).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
