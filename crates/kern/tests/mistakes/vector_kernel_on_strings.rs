//! A kernel on vectors takes no strings.
//~ is not known to be positive semi-definite on

use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = vec!["gram".to_string(), "kernel".to_string()];
    Svc::on_kernel(Rbf::new(0.5)?).fit(&x, &["a", "b"])?;
    Ok(())
}
