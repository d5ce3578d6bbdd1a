//! A classifier learns labels, not floats.
//~ does not learn targets
//~ classifiers learn `Labels`

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Svc::on_kernel(Rbf::new(0.5)?).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
