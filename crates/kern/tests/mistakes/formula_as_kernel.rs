//! A formula is text until it is built.
//~ is not known to be positive semi-definite on
//~ `KernelSpec::build_mercer`

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Ridge::on_kernel("rbf(gamma=0.5)").fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
