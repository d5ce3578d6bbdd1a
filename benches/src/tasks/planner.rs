//! The predictions of the planner of SGD beside the times that were taken: four ways to fit two classes in R⁸ with the RBF
//! kernel, γ = 1/8, or 128 random Fourier features of it. The prediction is made before the fit, by
//! measurements of the kernel and the features on some of the points.

use super::{Outcome, Task};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::session::Session;
use crate::work::Work;
use anyhow::{Context, Result};
use kern_approx::{FourierMap, RandomFourier};
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::plan::{Algorithm, Machine};
use kern_solvers::sgd::{Sgd, SgdTask, Storage};

/// `planner`.
pub(super) const TASK: Task = Task {
    name: "planner",
    about: "SGD in four of its ways, with T = 3n and 20n steps: what the planner predicts, and the fit",
    cases: &[
        ("T=3n,kernel on the fly", Dtype::F64),
        ("T=3n,Gram cached", Dtype::F64),
        ("T=3n,features on the fly", Dtype::F64),
        ("T=3n,features cached", Dtype::F64),
        ("T=20n,kernel on the fly", Dtype::F64),
        ("T=20n,Gram cached", Dtype::F64),
        ("T=20n,features on the fly", Dtype::F64),
        ("T=20n,features cached", Dtype::F64),
    ],
    bound: "kernels: n²/2 kernel values of 2d operations and an exp; features: D/2 frequencies of n points, 2d \
            operations and a sine with its cosine each, and 2D operations of each step",
    bars: &[],
    targets: &[],
    run,
};

const DIM: usize = 8;
const FEATURES: usize = 128;
const GAMMA: f64 = 1.0 / 8.0;

const WAYS: [(&str, Algorithm); 4] = [
    ("kernel on the fly", Algorithm::KernelOnTheFly),
    ("Gram cached", Algorithm::GramCached),
    ("features on the fly", Algorithm::ApproximateOnTheFly),
    ("features cached", Algorithm::ApproximateCached),
];

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let cases = [3, 20].map(|epochs| {
        WAYS.map(|algorithm| (format!("T={epochs}n,{}", algorithm.0), (algorithm, epochs)))
    });
    let cases: Vec<_> = cases.iter().flatten().map(|(name, case)| (name.as_str(), *case)).collect();
    let ((name, algorithm), epochs) = session.choose(&cases)?;
    let n = session.size().pick(4000, 1000, 64);
    let steps = epochs * n;
    let Labelled { x, y } = data::regression(Stream::Planner, n, DIM)?;
    let x = session.samples("x", x)?;
    let y: Vec<bool> = y.iter().map(|&y| y > 0.0).collect();
    session.param("way", name);
    session.param("gamma", GAMMA);
    session.param("steps", steps);
    session.param("D", FEATURES);
    let map = RandomFourier::new(Rbf::new(GAMMA)?).dim(FEATURES).sample(DIM)?;
    let predicted = predict(&x, &map, algorithm, steps)?;
    let storage = match algorithm {
        Algorithm::GramCached | Algorithm::ApproximateCached => Storage::Cached,
        _ => Storage::OnTheFly,
    };
    let (outcome, right) = if algorithm.is_exact() {
        let fit = || {
            let sgd = Sgd::on_kernel(Rbf::new(GAMMA)?).storage(storage).iterations(steps);
            Ok(sgd.fit(&x, &y)?)
        };
        let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
        (outcome.work(on_kernel(n)), model.accuracy(&x, &y)?)
    } else {
        let fit = || {
            let sgd = Sgd::on_features(&map).storage(storage).iterations(steps);
            Ok(sgd.fit(&x, &y)?)
        };
        let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
        (outcome.work(on_features(n, steps)), model.accuracy(&x, &y)?)
    };
    Ok(outcome.figure("predicted_seconds", predicted).figure("train_accuracy", right))
}

fn on_kernel(n: usize) -> Work {
    Work::gram_values(n, DIM)
}

fn on_features(n: usize, steps: usize) -> Work {
    let work = Work::kernel_values((n * FEATURES / 2) as f64, DIM);
    work.flops((2 * FEATURES * steps) as f64)
}

fn predict(x: &Samples<f64>, map: &FourierMap, algorithm: Algorithm, steps: usize) -> Result<f64> {
    let task = SgdTask::new(x.len(), DIM, steps);
    let task = task.measure_kernel(&Rbf::new(GAMMA)?, x)?.measure_approximate(map, x)?;
    let plan = task.plan(&MemoryBudget::available(), Machine::current()?.as_ref())?;
    Ok(plan.prediction(algorithm).context("a way without a prediction")?.seconds())
}
