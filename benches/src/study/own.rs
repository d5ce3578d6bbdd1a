//! The ways of the library.

use super::sets::Draw;
use anyhow::{Result, bail};
use kern_core::gradient::PointGradient;
use kern_core::kernels::{ArdRbf, Exponential, Laplacian, Matern32, Matern52, Rbf};
use kern_core::{Mercer, Samples};
use kern_solvers::Details;
use kern_solvers::feature_machine::{FeatureMachine, FeatureMetric, MetricExpansion};
use kern_solvers::gaussian_process::GaussianProcess;
use kern_solvers::model::Regressor;
use kern_solvers::search::Tune;
use kern_solvers::svm::Svr;
use kern_solvers::validation::R2;
use std::fmt::Display;

/// Predictions, and what was chosen.
pub type Answer = (Vec<f64>, String);

/// The way of which the others are judged beside.
pub const MACHINE: &str = "feature machine";

/// Ridge regression on kernels that stay as they are, but for their scale.
pub const FIXED: [&str; 5] =
    ["ridge, Gaussian", "ridge, Matérn 5/2", "ridge, Matérn 3/2", "ridge, exponential", "ridge, Laplacian"];

/// The names of all.
#[must_use]
pub fn names() -> Vec<&'static str> {
    [MACHINE, "Gaussian process, ARD", "SVR"].into_iter().chain(FIXED).collect()
}

/// What a way, one of [`names`], makes of a draw.
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

type Machine<K> = Regressor<MetricExpansion<f64, K>>;

/// The machine with the least error of cross-validation, among kernels of the distance and one of each feature by itself.
fn machine(draw: &Draw) -> Result<Answer> {
    let rate = 1.0 / (2.0 * draw.x.dim() as f64).sqrt();
    let found = [
        learned(Laplacian::new(0.5 * rate)?, draw)?,
        learned(Exponential::new(rate)?, draw)?,
        learned(Matern52::new(1.0 / rate)?, draw)?,
    ];
    let [first, second, third] = found;
    let least = |a: (f64, Answer), b: (f64, Answer)| if b.0 < a.0 { b } else { a };
    Ok(least(least(first, second), third).1)
}

/// The error by which the machine on one kernel judges itself, and its answer.
fn learned<K>(kernel: K, draw: &Draw) -> Result<(f64, Answer)>
where
    K: Mercer<Samples<f64>> + PointGradient<f64> + Clone + Display,
{
    let machine = FeatureMachine::on_kernel(kernel).metric(FeatureMetric::Either);
    let model: Machine<K> = machine.fit(&draw.x, &draw.y)?;
    let (error, chosen) = round(&model)?;
    Ok((error, (model.predict(&draw.x_test)?, chosen)))
}

/// λ and the scale of the least leave-one-out error.
fn ridge<K>(kernel: K, draw: &Draw) -> Result<Answer>
where
    K: Mercer<Samples<f64>> + PointGradient<f64> + Clone + Display,
{
    let model = FeatureMachine::on_kernel(kernel).rounds(0).fit(&draw.x, &draw.y)?;
    Ok((model.predict(&draw.x_test)?, round(&model)?.1))
}

fn round<K: Mercer<Samples<f64>> + Display>(model: &Machine<K>) -> Result<(f64, String)> {
    let Details::FeatureMachine(details) = &model.report().details else {
        bail!("the report is of something else");
    };
    let leaf = &details.leaves[0];
    let round = &leaf.rounds[leaf.chosen];
    let kind = match (round.diagonal, leaf.chosen) {
        (_, 0) => "no metric",
        (true, _) => "diagonal",
        (false, _) => "full",
    };
    let number = leaf.chosen;
    let kernel = model.decision().expansion(0).map(|f| f.kernel().to_string()).unwrap_or_default();
    let (lambda, spread) = (round.lambda, round.spread);
    let said = format!("{kernel}, {kind}, round {number}, lambda {lambda:.1e}, spread {spread}");
    Ok((round.judged, said))
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
