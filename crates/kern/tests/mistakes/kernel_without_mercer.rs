//! A kernel of the program without the trait `Mercer`.
//~ is not known to be positive semi-definite on
//~ implement `Mercer`

use kern::prelude::*;

#[derive(Clone)]
struct First;
impl Kernel<Samples<f64>> for First {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        x[0] * y[0]
    }
}

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Svc::on_kernel(First).fit(&x, &["a", "b"])?;
    Ok(())
}
