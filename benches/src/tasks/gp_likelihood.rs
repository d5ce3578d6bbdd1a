//! The likelihood of a Gaussian process and its gradient in all parameters: ARD, d = 8, ten parameters.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::faer::linalg::solvers::Solve;
use kern_core::faer::{Mat, Side};
use kern_core::kernels::ArdRbf;
use kern_core::{Kernel, Points, Samples};
use kern_solvers::gaussian_process::{LogLikelihood, log_likelihood};
use kern_solvers::{Data, Run};
use std::f64::consts::TAU;

/// `gp_likelihood`.
pub(super) const TASK: Task = Task {
    name: "gp_likelihood",
    about: "the marginal likelihood of a Gaussian process, and its gradient in ten parameters: a width for each feature, the variance and the noise",
    cases: &[("ard", Dtype::F64)],
    bound: "n²/2 kernel values of 2d operations and an exp; a Cholesky factor and the inverse, n³ operations",
    bars: &[bar("value_error", 1e-10), bar("gradient_error", 1e-7)],
    targets: &[("ard", 0.5)],
    run,
};

const fn bar(figure: &'static str, enough: f64) -> Bar {
    Bar { figure, reading: Reading::Error, factor: 10.0, enough_f32: enough, enough_f64: enough }
}

const DIM: usize = 8;
const VARIANCE: f64 = 1.5;
const NOISE: f64 = 0.1;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("ard", ())])?;
    ensure!(session.dtype() == Dtype::F64, "gp_likelihood is measured in f64 only");
    let n = session.size().pick(2000, 1000, 40);
    let Labelled { x, y } = data::regression(Stream::Gp, n, DIM)?;
    let x = session.samples("x", x)?;
    let y = session.vector("y", &y)?;
    // Length scales from 2 to 3.75: γ = 1/(2ℓ²).
    let length_scale = |k: usize| 2.0 + 0.25 * k as f64;
    let gamma: Vec<f64> = (0..DIM).map(|k| 0.5 / length_scale(k).powi(2)).collect();
    session.param("gamma", gamma.clone());
    session.param("variance", VARIANCE);
    session.param("noise", NOISE);
    let reference = session.vector("reference", &textbook(&ArdRbf::new(&gamma)?, &x, &y)?)?;
    let kernel = VARIANCE * ArdRbf::new(&gamma)?;
    let (data, fit) = (Data::new(&x, &y)?, Run::new());
    let measured = session.measure(|| Ok(log_likelihood(&kernel, NOISE, &data, &fit)?))?;
    let (outcome, found) = Outcome::new((n, DIM), measured);
    let outcome = outcome.work(Work::gram_values(n, DIM).flops((n as f64).powi(3)));
    Ok(judge(outcome, &found, &reference))
}

/// The relative errors of the value, and of the gradient as a whole.
fn judge(outcome: Outcome, found: &LogLikelihood, reference: &[f64]) -> Outcome {
    let gradient = found.gradient.iter().copied().chain([found.noise]);
    let pairs = gradient.zip(&reference[1..]);
    let error = pairs.map(|(found, known)| (found - known).powi(2)).sum::<f64>().sqrt();
    let size = reference[1..].iter().map(|known| known * known).sum::<f64>().sqrt();
    outcome
        .figure("value", found.value)
        .figure("value_error", (found.value / reference[0] - 1.0).abs())
        .figure("gradient_error", error / size)
}

/// The likelihood, and its derivatives in the logarithms of the variance, of each γ and of the noise, by the formulas of a
/// textbook: an explicit inverse, and a sum over all pairs of points for each parameter.
fn textbook(kernel: &ArdRbf, x: &Samples<f64>, y: &[f64]) -> Result<Vec<f64>> {
    let (n, gamma) = (x.len(), kernel.gamma());
    let pair = |i, j| Kernel::<Samples<f64>>::eval(kernel, x.item(i), x.item(j));
    let values: Mat<f64> = Mat::from_fn(n, n, |i, j| VARIANCE * pair(i, j));
    let mut covariance = values.clone();
    (0..n).for_each(|i| covariance[(i, i)] += NOISE);
    let factor = covariance.llt(Side::Lower).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let inverse: Mat<f64> = factor.solve(Mat::<f64>::identity(n, n));
    let alpha: Mat<f64> = factor.solve(Mat::from_fn(n, 1, |i, _| y[i]));
    let energy: f64 = y.iter().zip(alpha.col(0).iter()).map(|(y, alpha)| y * alpha).sum();
    let logarithms: f64 = factor.L().diagonal().column_vector().iter().map(|l| l.ln()).sum();
    let value = -0.5 * energy - logarithms - 0.5 * n as f64 * TAU.ln();
    let mut found = vec![0.0_f64; gamma.len() + 3];
    found[0] = value;
    for j in 0..n {
        for i in 0..n {
            let adjoint = 0.5 * (alpha[(i, 0)] * alpha[(j, 0)] - inverse[(i, j)]);
            let term = adjoint * values[(i, j)];
            found[1] += term;
            for (k, (a, b)) in x.item(i).iter().zip(x.item(j)).enumerate() {
                found[2 + k] -= term * gamma[k] * (a - b).powi(2);
            }
        }
        let noise = gamma.len() + 2;
        found[noise] += 0.5 * NOISE * (alpha[(j, 0)].powi(2) - inverse[(j, j)]);
    }
    Ok(found)
}
