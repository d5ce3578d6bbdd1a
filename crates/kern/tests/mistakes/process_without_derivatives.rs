//! A Gaussian process learns a kernel that has no derivatives.
//~ the derivatives of `First` on
//~ implement `Differentiable`

use kern::prelude::*;

#[derive(Clone)]
struct First;
impl Kernel<Samples<f64>> for First {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        x[0] * y[0]
    }
}
impl Mercer<Samples<f64>> for First {}

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    GaussianProcess::on_kernel(First).fit(&x, &[0.0_f64, 1.0])?;
    Ok(())
}
