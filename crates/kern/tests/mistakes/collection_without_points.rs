//! A collection of the program without the trait `Points`.
//~ is not a collection of points
//~ implement `Points`

use kern::prelude::*;

struct Fleet(Vec<f64>);

fn main() -> Result<(), kern::Error> {
    Svc::on_kernel(Rbf::new(0.5)?).fit(&Fleet(vec![0.0, 1.0]), &["a", "b"])?;
    Ok(())
}
