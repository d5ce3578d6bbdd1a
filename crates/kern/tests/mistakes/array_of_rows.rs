//! An array of rows is no collection of points.
//~ is not a collection of points
//~ `Samples::from_rows(&rows)?`

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = [[0.0, 1.0], [1.0, 0.0]];
    Ridge::on_kernel(Rbf::new(0.5)?).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
