//! Rounds of a recursive feature machine with the exponential kernel: d = 20, λ and the scale of distances given.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::faer::Mat;
use kern_core::kernels::Exponential;
use kern_core::{Samples, Scalar};
use kern_solvers::feature_machine::{FeatureMachine, FeatureMetric};

/// `rfm`.
pub(super) const TASK: Task = Task {
    name: "rfm",
    about: "three rounds of a recursive feature machine, and the fit in the metric that they learn; ours are judged by leave-one-out, the peer's not at all",
    cases: &[
        ("full", Dtype::F64),
        ("full", Dtype::F32),
        ("diagonal", Dtype::F64),
        ("diagonal", Dtype::F32),
    ],
    bound: "in each of four rounds n²/2 kernel values of 2d operations and an exp, and n³/3 operations of a factor; in three 2n²d operations for gradients",
    // Machines scale M in ways of their own, so that their functions are not the same ones.
    bars: &[Bar {
        figure: "test_rmse",
        reading: Reading::Error,
        factor: 1.02,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("full", 0.5), ("diagonal", 0.5)],
    run,
};

const DIM: usize = 20;
const ROUNDS: usize = 3;

/// Scales of distances: those with the smallest error on other draws of such points, as the peer's bandwidths are. The time does
/// not depend on them.
const FULL_SCALE: f64 = 2.8;
const DIAGONAL_SCALE: f64 = 1.4;

/// nλ, what is added to the diagonal.
const SHIFT: f64 = 1.0;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    match session.dtype() {
        Dtype::F32 => run_as::<f32>(session),
        Dtype::F64 => run_as::<f64>(session),
    }
}

fn run_as<T: Number + Scalar>(session: &mut Session<'_>) -> Result<Outcome> {
    let kinds = [("full", FeatureMetric::Full), ("diagonal", FeatureMetric::Diagonal)];
    let metric = session.choose(&kinds)?;
    let (n, tests) = session.size().pick((4000, 4000), (1000, 1000), (60, 20));
    let Labelled { x, y } = data::regression(Stream::Rfm, n + tests, DIM)?;
    let x = Samples::from_row_major(DIM, x.as_slice().iter().map(|&v| T::from_f64(v)).collect())?;
    let y: Vec<T> = y.iter().map(|&v| T::from_f64(v)).collect();
    let (x, x_test) = data::split(&x, n)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    session.param("rounds", ROUNDS);
    session.param("n_lambda", SHIFT);
    session.param("diagonal", metric == FeatureMetric::Diagonal);
    // The root mean square of distances is √2d, and stays so.
    let scale = if metric == FeatureMetric::Full { FULL_SCALE } else { DIAGONAL_SCALE };
    let gamma = scale / (2.0 * DIM as f64).sqrt();
    let machine = FeatureMachine::on_kernel(Exponential::new(gamma)?)
        .lambda(SHIFT / n as f64)
        .spread(1.0)
        .rounds(ROUNDS)
        .metric(metric)
        .folds(0);
    let y = Mat::from_fn(n, 1, |i, _| y[i]);
    let measured = session.measure(|| Ok(machine.fit(&x, &y)?))?;
    let (outcome, model) = Outcome::new((n, DIM), measured);
    let (times, pairs) = ((ROUNDS + 1) as f64, (n * n) as f64);
    let values = Work::kernel_values(0.5 * times * pairs, DIM);
    let gradients = ROUNDS as f64 * 2.0 * pairs * DIM as f64;
    let work = values.flops(gradients + times * (n as f64).powi(3) / 3.0);
    let y_test: Vec<f64> = y_test.into_iter().map(T::to_f64).collect();
    let predicted = model.predict(&x_test)?;
    let predicted: Vec<f64> = predicted.col(0).iter().map(|v| v.to_f64()).collect();
    let rounds = model.report().iterations as f64;
    Ok(outcome
        .work(work)
        .figure("test_rmse", quality::rmse(&predicted, &y_test))
        .figure("rounds", rounds))
}
