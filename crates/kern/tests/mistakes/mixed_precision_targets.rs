//! Targets in single precision of points in double precision.
//~ expected `f64`, found `f32`

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Ridge::on_kernel(Rbf::new(0.5)?).fit(&x, &[0.0_f32, 1.0])?;
    Ok(())
}
