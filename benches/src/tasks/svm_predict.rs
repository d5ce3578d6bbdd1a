//! Predictions of support vector machines: the models of `svm`, many queries. The fit is not in the
//! time.

use super::svm_sets::{CASES, Inputs, Model, Set, support};
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::{Points, Samples};

/// `svm_predict`.
pub(super) const TASK: Task = Task {
    name: "svm_predict",
    about: "the classes of many queries by a support vector machine",
    cases: CASES,
    bound: "the kernel values of the queries with the support vectors: 2d operations and an exp each",
    // Models that agree to the tolerance may differ where two classes meet.
    bars: &[Bar {
        figure: "agreement",
        reading: Reading::Share,
        factor: 1.0,
        enough_f32: 0.01,
        enough_f64: 0.01,
    }],
    targets: &[
        ("digits", 0.7),
        ("syn5000", 0.7),
        ("syn,C=1", 0.7),
        ("syn,C=10", 0.7),
        ("mnist4000", 0.7),
    ],
    run,
};

/// Queries whose answers are checked.
const CHECKED: usize = 500;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let set = Set::choose(session)?;
    let Inputs { x, y, x_test, .. } = set.inputs(session.size())?;
    let (x, y) = (session.samples("x", x)?, session.vector("y", &y)?);
    // All test points, time and again.
    let count = session.size().pick(20_000, 2000, 60);
    let indices: Vec<usize> = (0..count).map(|i| i % x_test.len()).collect();
    let queries = session.samples("queries", x_test.select(&indices)?)?;
    session.param("queries", count);
    let model = set.fit(&x, &y)?;
    let some = session.check(x_test.len().min(count), CHECKED)?;
    let expected = session.vector("expected", &by_definition(&model, &queries, &some))?;
    let measured = session.measure(|| Ok(model.predict(&queries)?))?;
    let (outcome, found) = Outcome::new((x.len(), x.dim()), measured);
    let found: Vec<i64> = some.iter().map(|&i| found[i]).collect();
    let values = count as f64 * support(model.report()).len() as f64;
    let outcome = outcome.work(Work::kernel_values(values, x.dim()));
    Ok(outcome.figure("agreement", quality::agreement(&found, &expected)))
}

/// The classes that win most pairs, from pointwise evaluations; of equals the first.
fn by_definition(model: &Model, queries: &Samples<f64>, some: &[usize]) -> Vec<i64> {
    let (expansion, classes) = (model.decision(), model.classes());
    let (kernel, beta) = (expansion.kernel(), expansion.coefficients());
    let values = quality::expansion(kernel, (queries, some), expansion.points(), beta);
    let winner = |values: &Vec<f64>| {
        let (mut votes, mut pair) = (vec![0_usize; classes.len()], 0);
        for a in 0..classes.len() {
            for b in a + 1..classes.len() {
                let value = values[pair] + expansion.intercepts()[pair];
                votes[if value > 0.0 { b } else { a }] += 1;
                pair += 1;
            }
        }
        let most = votes.iter().max().copied().unwrap_or(0);
        classes[votes.iter().position(|&v| v == most).unwrap_or(0)]
    };
    values.iter().map(winner).collect()
}
