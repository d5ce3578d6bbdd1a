//! Kernel logistic regression, exact: RBF, d = 20, γ = 0.05, nλ = 1, two classes that overlap.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::logistic::Logistic;
use kern_solvers::model::{KernelExpansion, ProbabilisticClassifier};

/// `klr`.
pub(super) const TASK: Task = Task {
    name: "klr",
    about: "kernel logistic regression to a relative gap of 1e-9: the fit, Gram matrix included",
    cases: &[("exact", Dtype::F64)],
    bound: "n²/2 kernel values of 2d operations and an exp; a product with the Gram matrix, 2n² operations, for each Newton step",
    bars: &[Bar {
        figure: "objective",
        reading: Reading::Error,
        factor: 1.0 + RELATIVE,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("exact", 0.4)],
    run,
};

const DIM: usize = 20;
const GAMMA: f64 = 0.05;

/// nλ.
const SHIFT: f64 = 1.0;

/// The relative distance to the least objective that an answer may have.
const RELATIVE: f64 = 1e-9;

type Model = ProbabilisticClassifier<KernelExpansion<Samples<f64>, Rbf>, i8>;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("exact", ())])?;
    ensure!(session.dtype() == Dtype::F64, "klr is measured in f64 only");
    let (n, tests) = session.size().pick((4000, 4000), (1000, 1000), (60, 20));
    let Labelled { x, y } = data::regression(Stream::Klr, n + tests, DIM)?;
    let (x, x_test) = data::split(&x, n)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let y: Vec<i8> = y.iter().map(|&y| if y > 0.0 { 1 } else { -1 }).collect();
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    session.param("gamma", GAMMA);
    session.param("n_lambda", SHIFT);
    let kernel = Rbf::new(GAMMA)?;
    let lambda = SHIFT / n as f64;
    let measured = session.measure(|| {
        let logistic = Logistic::on_kernel(kernel).lambda(lambda).tolerance(RELATIVE);
        Ok(logistic.fit(&x, &y)?)
    })?;
    let (outcome, model) = Outcome::new((n, DIM), measured);
    let products = 2.0 * (n as f64).powi(2) * model.report().iterations as f64;
    let work = Work::gram_values(n, DIM).flops(products);
    judge(outcome.work(work), &model, (&x, &y), (&x_test, &y_test))
}

/// The objective times n, and the share of right answers, from pointwise evaluations.
fn judge(
    outcome: Outcome,
    model: &Model,
    (x, y): (&Samples<f64>, &[i8]),
    (x_test, y_test): (&Samples<f64>, &[i8]),
) -> Result<Outcome> {
    let expansion = model.decision();
    ensure!(expansion.points() == x, "a coefficient is zero: rows no longer match");
    let alpha = expansion.coefficients();
    let values = |queries: &Samples<f64>| -> Vec<f64> {
        let all: Vec<usize> = (0..queries.len()).collect();
        let values = quality::expansion(expansion.kernel(), (queries, &all), x, alpha);
        values.into_iter().flatten().collect()
    };
    let fitted = values(x);
    let loss = |(f, &y): (&f64, &i8)| {
        let t = -f64::from(y) * f;
        t.max(0.0) + (-t.abs()).exp().ln_1p()
    };
    let norm: f64 = fitted.iter().zip(alpha.col(0).iter()).map(|(f, a)| f * a).sum();
    let objective = fitted.iter().zip(y).map(loss).sum::<f64>() + 0.5 * SHIFT * norm;
    let right = |(f, &y): (&f64, &i8)| f64::from(u8::from(f * f64::from(y) > 0.0));
    let predicted = values(x_test);
    let accuracy = predicted.iter().zip(y_test).map(right).sum::<f64>() / y_test.len() as f64;
    Ok(outcome
        .figure("objective", objective)
        .figure("test_accuracy", accuracy)
        .figure("steps", model.report().iterations as f64))
}
