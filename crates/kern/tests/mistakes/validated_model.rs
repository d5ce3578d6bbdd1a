//! Cross-validation takes a learner, not its model.
//~ does not learn targets
//~ take a learner, not its fitted model

use kern::prelude::*;
use kern::solvers::validation::{R2, Split, cross_validate};

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0_f64], [1.0]])?;
    let data = Data::new(&x, &[0.0_f64, 1.0])?;
    let model = Ridge::on_kernel(Rbf::new(0.5)?).fit(&x, &[0.0_f64, 1.0])?;
    cross_validate(&model, &data, &Split::k_fold(2), &R2)?;
    Ok(())
}
