//! Fits: every learner in every space, on few points with hostile values and parameters.
//!
//! A fit may refuse; a model that it returns has to be finite in all that can be read of it, and if it says that it has
//! converged, `certificate` recomputes that from the model alone.

mod certificate;
mod features;
mod function;
mod learners;
mod problem;
mod readable;
mod reading;
mod trial;

use crate::formulas::{FAMILIES, valid};
use crate::{Case, Draws, settings};
use kern_core::{Error, KernelSpec, MercerFormula, Samples, Scalar};
use problem::Problem;
use trial::Trial;

/// Kernels whose formula is known only at run time, so that learners are compiled once.
type Formula<T> = MercerFormula<Samples<T>>;

/// A case: data, a kernel, a learner.
pub(crate) fn check(draws: &mut Draws<'_>, case: &mut Case) {
    if draws.once_in(4) { of::<f32>(draws, case) } else { of::<f64>(draws, case) }
}

fn of<T: Scalar>(draws: &mut Draws<'_>, case: &mut Case) {
    let Some(problem) = Problem::<T>::draw(draws, case) else { return };
    let Ok(kernel) = kernel::<T>(draws, case) else { return };
    learners::fit(&mut Trial { problem: &problem, draws, case, name: "" }, kernel);
}

/// A kernel: often one whose values `certificate` knows to twice the digits.
fn kernel<T: Scalar>(draws: &mut Draws<'_>, case: &mut Case) -> Result<Formula<T>, Error> {
    let text = match draws.below(4) {
        0 => valid(draws, 2, &FAMILIES),
        1 => valid(draws, 0, &FAMILIES),
        _ => valid(draws, 0, &FAMILIES[..3]),
    };
    case.note(format!("kernel {text}"));
    let mut spec: KernelSpec = text.parse()?;
    settings::draw(&mut spec, draws, case);
    spec.build_mercer()
}
