//! The notebook's run: stochastic gradient descent in u-space, RBF γ = 100, logistic loss, α = 0.1,
//! T = 20n steps on n = 1024 points of the unit square. The Gram matrix is in the time.

use super::{Dtype, Outcome, Size, Task, choose};
use crate::data::{self, Labelled, Stream};
use crate::measure::measure;
use crate::quality;
use anyhow::{Result, ensure};
use kern_core::Points;
use kern_core::kernels::Rbf;
use kern_solvers::sgd::{Loss, Schedule, Sgd, Storage};

/// `usgd`.
pub(super) const TASK: Task = Task {
    name: "usgd",
    about: "SGD on kernel coefficients, Gram matrix cached or on the fly",
    cases: &[("cached", Dtype::F64), ("on-the-fly", Dtype::F64)],
    run,
};

const GAMMA: f64 = 100.0;
const STEP: f64 = 0.1;
const EPOCHS: usize = 20;

fn run(variant: &str, dtype: Dtype, size: Size) -> Result<Outcome> {
    let among = [("cached", Storage::Cached), ("on-the-fly", Storage::OnTheFly)];
    let storage = choose(variant, &among)?;
    ensure!(dtype == Dtype::F64, "usgd is measured in f64 only");
    let n = size.pick(1024, 512, 64);
    let Labelled { x, y } = data::face(Stream::Usgd, n)?;
    let kernel = Rbf::new(GAMMA)?;
    let measured = measure(|| {
        let sgd = Sgd::on_kernel(kernel).loss(Loss::Logistic).schedule(Schedule::Constant(STEP));
        Ok(sgd.epochs(EPOCHS).storage(storage).seed(0).fit_classifier(&x, &y)?)
    })?;
    let (outcome, model) = Outcome::new((n, 2), measured);

    let expansion = model.decision();
    let all: Vec<usize> = (0..n).collect();
    let f = quality::expansion(&kernel, (&x, &all), expansion.points(), expansion.coefficients());
    let margin = |(f, y): (&Vec<f64>, &i8)| f[0] * f64::from(*y);
    let margins: Vec<f64> = f.iter().zip(&y).map(margin).collect();
    let loss: f64 = margins.iter().map(|&m| Loss::Logistic.value(m, 1.0)).sum();
    let right = margins.iter().filter(|&&m| m > 0.0).count();
    Ok(outcome
        .figure("train_loss", loss / x.len() as f64)
        .figure("train_accuracy", right as f64 / x.len() as f64)
        .param("gamma", GAMMA)
        .param("alpha", STEP)
        .param("steps", EPOCHS * n))
}
