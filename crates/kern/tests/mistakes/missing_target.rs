//! A missing target is no target.
//~ cannot be converted to targets
//~ target must be left out

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Ridge::on_kernel(Rbf::new(0.5)?).fit(&x, &[Some(0.0_f64), None])?;
    Ok(())
}
