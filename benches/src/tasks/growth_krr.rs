//! Growth of ridge regression on landmarks: n points, d = 20, on 2000 landmarks within 1 GiB besides the points.
//! Time ∝ n; memory ∝ n for the points alone. RBF, γ = 1/40, λ = 1e-6.

use super::{Outcome, Task};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_approx::Nystrom;
use kern_core::kernels::Rbf;
use kern_gram::MemoryBudget;
use kern_solvers::ridge::Ridge;
use kern_solvers::{Data, Learner, Run};

/// `growth_krr`.
pub(super) const TASK: Task = Task {
    name: "growth_krr",
    about: "kernel ridge regression on 2000 landmarks of growing n points within 1 GiB: time as n",
    cases: &[("n1", Dtype::F64), ("n3", Dtype::F64), ("n10", Dtype::F64)],
    bound: "as krr_large on landmarks: nm kernel values, a product with them and its transpose, a factor",
    bars: &[],
    targets: &[],
    run,
};

const DIM: usize = 20;
const GAMMA: f64 = 1.0 / 40.0;
const LAMBDA: f64 = 1e-6;

/// The memory that the fit may take.
const BUDGET: MemoryBudget = MemoryBudget::mebibytes(1024);

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let times = session.choose(&[("n1", 1), ("n3", 3), ("n10", 10)])?;
    let (smallest, tests, m) =
        session.size().pick((100_000, 20_000, 2000), (10_000, 5000, 500), (100, 50, 20));
    let n = times * smallest;
    let Labelled { x, y } = data::regression(Stream::GrowthKrr, n + tests, DIM)?;
    let (x, x_test) = data::split(&x, n)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    session.param("gamma", GAMMA);
    session.param("lambda", LAMBDA);
    session.param("m", m);
    let nystrom = Nystrom::new(Rbf::new(GAMMA)?).landmarks(m);
    let ridge = Ridge::on_landmarks(nystrom).lambda(LAMBDA);
    let data = Data::new(&x, &y)?;
    let fit = || Ok(ridge.learn(&data, &mut Run::new().memory(BUDGET))?);
    let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
    if let Some(added) = outcome.added_mib {
        let allowed = BUDGET.as_bytes() as f64 / f64::from(1 << 20);
        ensure!(added <= allowed + 64.0, "the fit took {added} MiB of {allowed} MiB");
    }
    let report = model.report();
    let work = super::on_landmarks(Work::kernel_values((n * m) as f64, DIM), n, m);
    let outcome = outcome
        .work(work)
        .figure("test_rmse", quality::rmse(&model.predict(&x_test)?, &y_test))
        .figure("objective", report.objective)
        .figure("gap", report.gap.unwrap_or(f64::NAN))
        .figure("iterations", report.iterations as f64);
    Ok(outcome.grown(session))
}
