//! A pipeline that ends with a transformer predicts nothing.
//~ does not predict at the points
//~ ends with a learner

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    let pipeline = Standardize::new().then(Standardize::new());
    pipeline.fit(&x, &["a", "b"])?.predict(&x)?;
    Ok(())
}
