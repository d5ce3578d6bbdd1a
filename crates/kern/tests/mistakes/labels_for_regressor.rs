//! Gaussian process regression learns floats, not labels.
//~ are not numeric targets
//~ classifiers learn labels

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    GaussianProcess::on_kernel(Rbf::new(0.5)?).fit(&x, &["low", "high"])?;
    Ok(())
}
