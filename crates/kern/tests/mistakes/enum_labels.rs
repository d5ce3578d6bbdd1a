//! An enum is a label only inside `Labels`.
//~ cannot be converted to targets
//~ `Labels::new(y)`

use kern::prelude::*;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Mood {
    Calm,
    Wild,
}

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    Svc::on_kernel(Rbf::new(0.5)?).fit(&x, &[Mood::Calm, Mood::Wild])?;
    Ok(())
}
