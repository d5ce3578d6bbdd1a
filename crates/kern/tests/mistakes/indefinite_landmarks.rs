//! Landmarks need a Mercer kernel, too.
//~ is not known to be positive semi-definite on
//~ wrap it in `AssumeMercer`

use kern::approx::Nystrom;
use kern::kernels::Sigmoid;
use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    let nystrom = Nystrom::new(Sigmoid::new(1.0, 0.0)?).landmarks(2);
    Ridge::on_landmarks(nystrom).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
