//! A kernel on strings takes no vectors.
//~ `[f64]: AsRef<str>` is not satisfied

use kern::kernels::Spectrum;
use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Svc::on_kernel(Spectrum::new(2)?).fit(&x, &["a", "b"])?;
    Ok(())
}
