//! Support vector regression, ε-SVR with the RBF kernel, on Friedman's first problem.

use super::svm_sets::{support, values_with_all};
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_solvers::model::{KernelExpansion, Regressor};
use kern_solvers::svm::Svr;

/// `svr`.
pub(super) const TASK: Task = Task {
    name: "svr",
    about: "support vector regression to a violation of 1e-3: the fit",
    cases: &[("exact", Dtype::F64)],
    bound: "the kernel values of the support vectors with all points, once: the certificate needs them",
    // By its duality gap, an answer at this tolerance may be further from the optimum.
    bars: &[Bar {
        figure: "dual",
        reading: Reading::Gain,
        factor: 1.0 - 1e-4,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("exact", 0.3)],
    run,
};

const C: f64 = 10.0;
const GAMMA: f64 = 0.1;
const EPSILON: f64 = 0.1;
const TOLERANCE: f64 = 1e-3;

type Model = Regressor<KernelExpansion<Samples<f64>, Rbf>>;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("exact", ())])?;
    ensure!(session.dtype() == Dtype::F64, "svr is measured in f64 only");
    let (n, tests) = session.size().pick((10_000, 2000), (2000, 1000), (150, 50));
    let Labelled { x, y } = data::friedman(Stream::Svr, n + tests, n)?;
    let (x, x_test) = data::split(&x, n)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    let values = [("c", C), ("gamma", GAMMA), ("epsilon", EPSILON), ("tolerance", TOLERANCE)];
    values.into_iter().for_each(|(name, value)| session.param(name, value));
    let kernel = Rbf::new(GAMMA)?;
    let measured = session.measure(|| {
        let machine = Svr::on_kernel(kernel).c(C).epsilon(EPSILON).violation(TOLERANCE);
        Ok(machine.fit(&x, &y)?)
    })?;
    let (outcome, model) = Outcome::new((n, x.dim()), measured);
    let work = Work::kernel_values(values_with_all(support(model.report()).len(), n), x.dim());
    judge(outcome.work(work), &model, &y, (&x_test, &y_test))
}

/// The dual objective yᵀβ − ε‖β‖₁ − ½βᵀKβ from pointwise evaluations, and the error on other points.
fn judge(
    outcome: Outcome,
    model: &Model,
    y: &[f64],
    (x_test, y_test): (&Samples<f64>, &[f64]),
) -> Result<Outcome> {
    let expansion = model.decision();
    let y: Vec<f64> = support(model.report()).iter().map(|&i| y[i]).collect();
    let (kernel, beta) = (expansion.kernel(), expansion.coefficients());
    let dual = quality::dual_of_values(kernel, (expansion.points(), &y), beta, EPSILON);
    Ok(outcome
        .figure("dual", dual)
        .figure("test_rmse", quality::rmse(&model.predict(x_test)?, y_test))
        .figure("support_vectors", support(model.report()).len() as f64))
}
