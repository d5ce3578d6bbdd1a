//! The ways of the library.

use super::sets::Draw;
use anyhow::{Result, bail};
use kern_core::gradient::{MetricKernel, PointGradient};
use kern_core::kernels::{ArdRbf, Exponential, Laplacian, Matern32, Matern52, Rbf};
use kern_core::parameters::Parameters;
use kern_core::{Mercer, Samples};
use kern_solvers::feature_machine::FeatureMachine;
use kern_solvers::gaussian_process::GaussianProcess;
use kern_solvers::search::Tune;
use kern_solvers::svm::Svr;
use kern_solvers::validation::R2;
use kern_solvers::{Details, FeatureRound, Report};
use std::fmt::Display;

/// Predictions, and what was chosen.
pub type Answer = (Vec<f64>, String);

/// The way of which the others are judged beside.
pub const MACHINE: &str = "feature machine";

/// Ridge regression on kernels that stay as they are, but for their scale.
pub const FIXED: [&str; 5] = [
    "ridge, Gaussian",
    "ridge, Matérn 5/2",
    "ridge, Matérn 3/2",
    "ridge, exponential",
    "ridge, Laplacian",
];

/// The names of all.
#[must_use]
pub fn names() -> Vec<&'static str> {
    [MACHINE, "Gaussian process, ARD", "SVR"].into_iter().chain(FIXED).collect()
}

/// The predictions of a way, one of [`names`], for a draw.
///
/// # Errors
/// If it fails, or there is no such way.
pub fn answer(way: &str, draw: &Draw) -> Result<Answer> {
    // Points have mean square distance 2d: a start from which the scale is chosen.
    let rate = 1.0 / (2.0 * draw.x.dim() as f64).sqrt();
    let length = 1.0 / rate;
    let sum = 0.5 * rate;
    match way {
        MACHINE => machine(draw),
        "Gaussian process, ARD" => process(draw),
        "SVR" => vectors(draw),
        "ridge, Gaussian" => ridge(Rbf::new(0.5 * rate * rate)?, draw),
        "ridge, Matérn 5/2" => ridge(Matern52::new(length)?, draw),
        "ridge, Matérn 3/2" => ridge(Matern32::new(length)?, draw),
        "ridge, exponential" => ridge(Exponential::new(rate)?, draw),
        "ridge, Laplacian" => ridge(Laplacian::new(sum)?, draw),
        _ => bail!("there is no way `{way}`"),
    }
}

/// On kernels of the distance and one of each feature by itself, stacked.
fn machine(draw: &Draw) -> Result<Answer> {
    let rate = 1.0 / (2.0 * draw.x.dim() as f64).sqrt();
    let kernels: Vec<MetricKernel> = vec![
        Laplacian::new(0.5 * rate)?.into(),
        Exponential::new(rate)?.into(),
        Matern52::new(1.0 / rate)?.into(),
    ];
    let machine = FeatureMachine::on_kernels(kernels).stacked(true);
    let model = machine.fit(&draw.x, &draw.y)?;
    let chosen = weighted(model.report())?;
    Ok((model.predict(&draw.x_test)?, chosen))
}

/// The rounds that have weight.
fn weighted(report: &Report) -> Result<String> {
    let Details::FeatureMachine(details) = &report.details else {
        bail!("the report is of something else");
    };
    let rounds = details.leaves[0].rounds.iter().filter(|round| round.weight > 0.0);
    let said = rounds.map(|round| {
        let kernel = ["Laplacian", "exponential", "Matérn 5/2"][round.kernel];
        let kind = if round.diagonal { "diagonal" } else { "full" };
        format!("{:.2} {kernel} {kind} {:.4}", round.weight, round.validation_error)
    });
    Ok(said.collect::<Vec<_>>().join(", "))
}

/// λ and the scale of the least leave-one-out error.
fn ridge<K>(kernel: K, draw: &Draw) -> Result<Answer>
where
    K: Mercer<Samples<f64>> + PointGradient<f64> + Parameters + Clone + Display,
{
    let chosen = kernel.to_string();
    let model = FeatureMachine::on_kernel(kernel).rounds(0).fit(&draw.x, &draw.y)?;
    let Details::FeatureMachine(details) = &model.report().details else {
        bail!("the report is of something else");
    };
    let FeatureRound { lambda, spread, .. } = details.leaves[0].rounds[0];
    Ok((model.predict(&draw.x_test)?, format!("{chosen}, lambda {lambda:.1e}, spread {spread}")))
}

/// A width for each feature, the variance and the noise of the greatest marginal likelihood.
fn process(draw: &Draw) -> Result<Answer> {
    let dim = draw.x.dim();
    let kernel = 1.0 * ArdRbf::new(&vec![0.5 / dim as f64; dim])?;
    let model = GaussianProcess::on_kernel(kernel).noise(0.1).fit(&draw.x, &draw.y)?;
    let said = format!("noise {:.3}", model.decision().noise());
    Ok((model.predict(&draw.x_test)?, said))
}

/// A grid by five folds.
fn vectors(draw: &Draw) -> Result<Answer> {
    let scaled = [0.03, 0.1, 0.3, 1.0, 3.0].map(|gamma| gamma / draw.x.dim() as f64);
    let svr = Svr::on_kernel(Rbf::new(1.0)?).violation(1e-3);
    let tune = Tune::new(svr, R2)
        .over("kernel.gamma", scaled)
        .over("c", [0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0])
        .over("epsilon", [0.02, 0.1, 0.3]);
    let model = tune.fit(&draw.x, &draw.y)?;
    Ok((model.predict(&draw.x_test)?, "a grid of 5 × 7 × 3".to_owned()))
}
