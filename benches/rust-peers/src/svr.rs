//! The parameters and the judge of all peers of `svr`.

use crate::case::{Case, Judged};
use crate::svm::Expansion;
use anyhow::{Context, Result};
use kern_bench_kit::quality;
use kern_core::Points;
use kern_core::faer::ColRef;
use kern_core::kernels::Rbf;

/// The parameters of a case.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// The bound of the coefficients.
    pub c: f64,
    /// The kernel is exp(−γ‖x − y‖²).
    pub gamma: f64,
    /// Errors up to this do not count.
    pub epsilon: f64,
    /// The allowed violation of the optimality conditions.
    pub tolerance: f64,
}

impl Params {
    /// The parameters of a case.
    ///
    /// # Errors
    /// If one is missing.
    pub fn of(case: &Case<'_>) -> Result<Self> {
        let number = |name| case.number(name);
        let (c, gamma) = (number("c")?, number("gamma")?);
        Ok(Self { c, gamma, epsilon: number("epsilon")?, tolerance: number("tolerance")? })
    }
}

/// With the dual objective of support vectors, and the error of predictions of the test points.
///
/// # Errors
/// If an input is missing, or a support vector is none of the points.
pub fn judge(
    case: &Case<'_>,
    judged: Judged,
    (support, beta): &Expansion,
    predictions: &[f64],
) -> Result<Judged> {
    let Params { gamma, epsilon, .. } = Params::of(case)?;
    let (x, y) = (case.samples::<f64>("x")?, case.vector::<f64>("y")?);
    let target = |i| {
        let place = (0..x.len()).find(|&j| x.item(j) == support.item(i));
        Ok(y[place.context("a support vector is none of the points")?])
    };
    let targets: Vec<f64> = (0..support.len()).map(target).collect::<Result<_>>()?;
    let beta = ColRef::from_slice(beta).as_mat();
    let dual = quality::dual_of_values(&Rbf::new(gamma)?, (support, &targets), beta, epsilon);
    let rmse = quality::rmse(predictions, &case.vector("y_test")?);
    let judged = judged.figure("dual", dual).figure("test_rmse", rmse);
    Ok(judged.figure("support_vectors", support.len() as f64))
}
