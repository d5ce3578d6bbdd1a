//! Growth of the fit of a support vector machine with n, within 1 GiB besides the points: two classes in R²⁰,
//! C = 1, γ = 0.05. Support vectors are a share of the points, so time goes as n² at most, memory as n.

use super::svm_sets::{support, values_of_support};
use super::{Outcome, Task};
use crate::case::Dtype;
use crate::clusters::TWENTY;
use crate::data::{self, Labelled, Stream};
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::kernels::Rbf;
use kern_gram::MemoryBudget;
use kern_solvers::svm::Svc;
use kern_solvers::{Data, Learner, Run};

/// `growth_svm`.
pub(super) const TASK: Task = Task {
    name: "growth_svm",
    about: "support vector classification of growing n points within 1 GiB: time as n² at most",
    cases: &[
        ("n1", Dtype::F64),
        ("n2", Dtype::F64),
        ("n4", Dtype::F64),
        ("n8", Dtype::F64),
        ("n16", Dtype::F64),
        ("n40", Dtype::F64),
    ],
    bound: "as svm: the kernel values of the support vectors with all points, once",
    bars: &[],
    targets: &[],
    run,
};

/// Multiples of the least n.
const SIZES: [(&str, usize); 6] =
    [("n1", 1), ("n2", 2), ("n4", 4), ("n8", 8), ("n16", 16), ("n40", 40)];
const DIM: usize = 20;
const GAMMA: f64 = 0.05;
const C: f64 = 1.0;

/// The memory that the fit may take.
const BUDGET: MemoryBudget = MemoryBudget::mebibytes(1024);

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let times = session.choose(&SIZES)?;
    let (smallest, tests) = session.size().pick((5000, 5000), (500, 1000), (60, 50));
    let n = times * smallest;
    let Labelled { x, y } = TWENTY.draw(Stream::GrowthSvm, n + tests, n)?;
    let (x, x_test) = data::split(&x, n)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    session.param("gamma", GAMMA);
    session.param("c", C);
    let fit = || {
        let svc = Svc::on_kernel(Rbf::new(GAMMA)?).c(C);
        Ok(svc.learn(&Data::new(&x, &y)?, &mut Run::new().memory(BUDGET))?)
    };
    let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
    if let Some(added) = outcome.added_mib {
        let allowed = BUDGET.as_bytes() as f64 / f64::from(1 << 20);
        ensure!(added <= allowed + 64.0, "the fit took {added} MiB of {allowed} MiB");
    }
    let report = model.report();
    let work = Work::kernel_values(values_of_support(&model, &y), DIM);
    let outcome = outcome
        .work(work)
        .figure("test_accuracy", model.accuracy(&x_test, &y_test)?)
        .figure("dual", report.svm().map_or(f64::NAN, |details| details.dual))
        .figure("relative_gap", report.gap.unwrap_or(f64::INFINITY) / report.objective)
        .figure("support_vectors", support(report).len() as f64);
    Ok(outcome.grown(session))
}
