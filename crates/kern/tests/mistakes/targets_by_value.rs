//! Targets are given by reference.
//~ cannot be converted to targets
//~ targets are given by reference

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Data::new(&x, vec![0.0_f64, 1.0])?;
    Ok(())
}
