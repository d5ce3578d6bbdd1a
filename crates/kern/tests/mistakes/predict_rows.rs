//! A model predicts at samples, not at rows.
//~ expected `&Samples<f64>`, found `&Vec<Vec<

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    let model = Svc::on_kernel(Rbf::new(0.5)?).fit(&x, &["a", "b"])?;
    model.predict(&vec![vec![0.5]])?;
    Ok(())
}
