//! Kernel ridge by Cholesky factorisation: RBF, d = 18, γ = 1/32, nλ = 0.08.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::faer::MatRef;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::model::{KernelExpansion, Regressor};
use kern_solvers::ridge::{Ridge, RidgeSolver};

/// `krr_direct`.
pub(super) const TASK: Task = Task {
    name: "krr_direct",
    about: "kernel ridge regression by Cholesky factorisation: the fit, with its certificate",
    cases: &[("exact", Dtype::F64)],
    bound: "n²/2 kernel values of 2d operations and an exp; n³/3 operations of a factor in single precision",
    // Residuals so small are equal for every use; the predictions then have to be the same.
    bars: &[
        Bar {
            figure: "rel_residual",
            reading: Reading::Error,
            factor: 10.0,
            enough_f32: 1e-9,
            enough_f64: 1e-9,
        },
        Bar {
            figure: "test_rmse",
            reading: Reading::Error,
            factor: 1.001,
            enough_f32: 0.0,
            enough_f64: 0.0,
        },
    ],
    targets: &[("exact", 0.5)],
    run,
};

const DIM: usize = 18;
const GAMMA: f64 = 1.0 / 32.0;

/// nλ, what is added to the diagonal.
const SHIFT: f64 = 0.08;

type Model = Regressor<KernelExpansion<Samples<f64>, Rbf>>;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("exact", ())])?;
    ensure!(session.dtype() == Dtype::F64, "krr_direct is measured in f64 only");
    let (n, tests) = session.size().pick((8000, 20_000), (2000, 2000), (60, 20));
    let Labelled { x, y } = data::regression(Stream::Krr, n + tests, DIM)?;
    let (x, x_test) = data::split(&x, n)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    session.param("gamma", GAMMA);
    session.param("n_lambda", SHIFT);
    let kernel = Rbf::new(GAMMA)?;
    let lambda = SHIFT / n as f64;
    let ridge = Ridge::on_kernel(kernel).lambda(lambda).solver(RidgeSolver::Cholesky);
    let measured = session.measure(|| Ok(ridge.fit(&x, &y)?))?;
    let (outcome, model) = Outcome::new((n, DIM), measured);
    // Refinement makes a factor in single precision good enough.
    let work = Work::gram_values(n, DIM).flops((n as f64).powi(3) / 3.0).in_single();
    judge(outcome.work(work), &model, (&x, &y), (&x_test, &y_test))
}

/// ‖(K + nλI)α − y‖/‖y‖ and root mean square errors, from pointwise evaluations.
fn judge(
    outcome: Outcome,
    model: &Model,
    (x, y): (&Samples<f64>, &[f64]),
    (x_test, y_test): (&Samples<f64>, &[f64]),
) -> Result<Outcome> {
    let expansion = model.decision();
    ensure!(expansion.points() == x, "a coefficient is zero: rows no longer match");
    let alpha = expansion.coefficients();
    let fitted = values(expansion.kernel(), x, x, alpha);
    let residual = |(i, f): (usize, &f64)| (f + SHIFT * alpha[(i, 0)] - y[i]).powi(2);
    let residual: f64 = fitted.iter().enumerate().map(residual).sum();
    let size: f64 = y.iter().map(|y| y * y).sum();
    let predicted = values(expansion.kernel(), x_test, x, alpha);
    Ok(outcome
        .figure("rel_residual", (residual / size).sqrt())
        .figure("train_rmse", quality::rmse(&fitted, y))
        .figure("test_rmse", quality::rmse(&predicted, y_test)))
}

fn values(
    kernel: &Rbf,
    queries: &Samples<f64>,
    x: &Samples<f64>,
    alpha: MatRef<'_, f64>,
) -> Vec<f64> {
    let all: Vec<usize> = (0..queries.len()).collect();
    quality::expansion(kernel, (queries, &all), x, alpha).into_iter().flatten().collect()
}
