//! ε-SVR by smartcore, on one thread.

use crate::{expansion, failed, matrix};
use anyhow::Result;
use kern_rust_peers::case::{Case, Judged};
use kern_rust_peers::svr::{Params, judge};
use smartcore::svm::Kernels;
use smartcore::svm::svr::{SVR, SVRParameters};

pub fn svr(case: &mut Case<'_>) -> Result<Judged> {
    let Params { c, gamma, epsilon, tolerance } = Params::of(case)?;
    let (x, y) = (matrix(&case.samples("x")?)?, case.vector::<f64>("y")?);
    let machine = SVRParameters::default().with_c(c).with_eps(epsilon).with_tol(tolerance);
    let machine = machine.with_kernel(Kernels::rbf().with_gamma(gamma));
    let (judged, model) = case.measure(|| SVR::fit(&x, &y, &machine).map_err(failed))?;
    let queries = matrix(&case.samples("x_test")?)?;
    let predictions = model.predict(&queries).map_err(failed)?;
    judge(case, judged, &expansion(&model)?, &predictions)
}
