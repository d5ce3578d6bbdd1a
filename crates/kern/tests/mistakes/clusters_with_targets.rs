//! Clusters are found without targets.
//~ takes 1 argument but 2 arguments were supplied

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    KMeans::on_kernel(Rbf::new(0.5)?, 2).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
