//! Rows in a `Vec` of `Vec`s are not samples.
//~ is not known to be positive semi-definite on
//~ `Samples::from_rows`

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = vec![vec![0.0, 1.0], vec![1.0, 0.0]];
    Ridge::on_kernel(Rbf::new(0.5)?).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
