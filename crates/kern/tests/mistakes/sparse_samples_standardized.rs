//! Standardising takes dense samples.
//~ does not learn targets

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = SparseSamples::from_rows(2, &[[(0_u32, 1.0_f64)], [(1, 1.0)]])?;
    let pipeline = Standardize::new().then(Svc::on_kernel(Rbf::new(0.5)?));
    pipeline.fit(&x, &["a", "b"])?;
    Ok(())
}
