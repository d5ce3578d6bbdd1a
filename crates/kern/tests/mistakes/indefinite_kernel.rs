//! The sigmoid kernel is not positive semi-definite.
//~ is not known to be positive semi-definite on
//~ wrap it in `AssumeMercer`

use kern::kernels::Sigmoid;
use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Ridge::on_kernel(Sigmoid::new(1.0, 0.0)?).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
