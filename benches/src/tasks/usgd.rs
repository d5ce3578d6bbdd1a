//! The notebook's run: stochastic gradient descent in u-space, RBF γ = 100, logistic loss, α = 0.1,
//! T = 20n steps on n = 1024 points of the unit square. The Gram matrix is in the time. The library
//! draws its own sequence of samples; the others are given one, which spares them the drawing.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::Points;
use kern_core::kernels::Rbf;
use kern_solvers::sgd::{Loss, Schedule, Sgd, Storage};

/// `usgd`.
pub(super) const TASK: Task = Task {
    name: "usgd",
    about: "SGD on kernel coefficients, Gram matrix cached or on the fly",
    cases: &[("cached", Dtype::F64), ("on-the-fly", Dtype::F64)],
    bound: "n²/2 kernel values of 2d operations and an exp; 2n operations of each step",
    // Sequences of samples differ, and with them the loss by some per cent.
    bars: &[Bar {
        figure: "train_loss",
        reading: Reading::Error,
        factor: 1.05,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("cached", 1.0), ("on-the-fly", 0.3)],
    run,
};

const GAMMA: f64 = 100.0;
const STEP: f64 = 0.1;
const EPOCHS: usize = 20;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let among = [("cached", Storage::Cached), ("on-the-fly", Storage::OnTheFly)];
    let storage = session.choose(&among)?;
    ensure!(session.dtype() == Dtype::F64, "usgd is measured in f64 only");
    let n = session.size().pick(1024, 512, 64);
    let Labelled { x, y } = data::face(Stream::Usgd, n)?;
    let (x, y) = (session.samples("x", x)?, session.vector("y", &y)?);
    session.vector("order", &data::sequence(Stream::UsgdOrder, n, EPOCHS * n))?;
    session.param("gamma", GAMMA);
    session.param("alpha", STEP);
    session.param("steps", EPOCHS * n);
    let kernel = Rbf::new(GAMMA)?;
    let measured = session.measure(|| {
        let sgd = Sgd::on_kernel(kernel).loss(Loss::Logistic).schedule(Schedule::Constant(STEP));
        Ok(sgd.epochs(EPOCHS).storage(storage).seed(0).fit(&x, &y)?)
    })?;
    let (outcome, model) = Outcome::new((n, 2), measured);

    let expansion = model.decision();
    let all: Vec<usize> = (0..n).collect();
    let f = quality::expansion(&kernel, (&x, &all), expansion.points(), expansion.coefficients());
    let margin = |(f, y): (&Vec<f64>, &i8)| f[0] * f64::from(*y);
    let margins: Vec<f64> = f.iter().zip(&y).map(margin).collect();
    let loss: f64 = margins.iter().map(|&m| Loss::Logistic.value(m, 1.0)).sum();
    let right = margins.iter().filter(|&&m| m > 0.0).count();
    let work = Work::gram_values(n, 2).flops(2.0 * (n * n * EPOCHS) as f64);
    Ok(outcome
        .work(work)
        .figure("train_loss", loss / x.len() as f64)
        .figure("train_accuracy", right as f64 / x.len() as f64))
}
