//! A kernel is no feature map.
//~ is not a feature map on the points
//~ `on_kernel`

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Ridge::on_features(Rbf::new(0.5)?).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
