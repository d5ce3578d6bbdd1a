//! Support vector classification, C-SVC with the RBF kernel; several classes one against one.

use super::svm_sets::{CASES, Inputs, Model, Set, support, values_of_support};
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::{Points, Samples};

/// `svm`.
pub(super) const TASK: Task = Task {
    name: "svm",
    about: "support vector classification to a violation of 1e-3: the fit",
    cases: CASES,
    bound: "the kernel values of the support vectors with the points of their problems, once: the certificate needs them",
    // By its duality gap, an answer at this tolerance may be further from the optimum.
    bars: &[Bar {
        figure: "dual",
        reading: Reading::Gain,
        factor: 1.0 - 1e-4,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[
        ("digits", 0.5),
        ("syn5000", 0.5),
        ("syn,C=1", 0.5),
        ("syn,C=10", 0.5),
        ("mnist4000", 0.5),
    ],
    run,
};

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let set = Set::choose(session)?;
    let Inputs { x, y, x_test, y_test } = set.inputs(session.size())?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y)?, session.vector("y_test", &y_test)?);
    let measured = session.measure(|| set.fit(&x, &y))?;
    let (outcome, model) = Outcome::new((x.len(), x.dim()), measured);
    let values = values_of_support(&model, &y);
    let outcome = outcome.work(Work::kernel_values(values, x.dim()));
    judge(outcome, &model, (&x_test, &y_test))
}

/// The dual objective of all pairs from pointwise evaluations, and the share of right answers.
fn judge(
    outcome: Outcome,
    model: &Model,
    (x_test, y_test): (&Samples<f64>, &[i64]),
) -> Result<Outcome> {
    let expansion = model.decision();
    let (kernel, beta) = (expansion.kernel(), expansion.coefficients());
    Ok(outcome
        .figure("dual", quality::dual_of_classes(kernel, expansion.points(), beta))
        .figure("test_accuracy", model.accuracy(x_test, y_test)?)
        .figure("support_vectors", support(model.report()).len() as f64))
}
