//! A Gaussian process on a function of one number: the prior, and posteriors with parameters that are given and learned.

use anyhow::Result;
use kern::Samples;
use kern::closure::Scaled;
use kern::faer::Mat;
use kern::gram::MemoryBudget;
use kern::kernels::Rbf;
use kern::solvers::gaussian_process::{Draws, Fixed, Noise, sample_prior};
use kern::solvers::{GaussianProcess, Posterior, Regressor};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The end of the part of the axis that is drawn, from 0.
pub(crate) const END: f64 = 10.0;
/// The places of a curve.
pub(crate) const PLACES: usize = 201;
/// Functions of each sample.
pub(crate) const FUNCTIONS: usize = 5;
/// The standard deviation of the noise of the targets.
pub(crate) const NOISE: f64 = 0.15;
/// The half width of an interval of 95 % in standard deviations.
pub(crate) const WIDTH: f64 = 1.96;

/// The model of a process on numbers.
pub(crate) type Model = Regressor<Posterior<Samples<f64>, Scaled<Rbf>>>;

/// The function that is looked for.
#[must_use]
pub(crate) fn truth(x: f64) -> f64 {
    (1.3 * x).sin() + 0.15 * x
}

/// Points with noisy values of the function, none of which lies in the gap from 5 to 7.5.
///
/// # Errors
/// None that can occur with some points.
pub(crate) fn observe(count: usize, seed: u64) -> Result<(Samples<f64>, Vec<f64>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let place = |u: f64| if u < 0.7 { 5.0 * u / 0.7 } else { 7.5 + 2.0 * (u - 0.7) / 0.3 };
    let x: Vec<f64> = (0..count).map(|_| place(rng.random())).collect();
    let mut noisy = |x: &f64| {
        let noise: f64 = StandardNormal.sample(&mut rng);
        truth(*x) + NOISE * noise
    };
    let y = x.iter().map(&mut noisy).collect();
    Ok((Samples::from_row_major(1, x)?, y))
}

/// The places of curves.
///
/// # Errors
/// None.
pub(crate) fn places() -> Result<Samples<f64>> {
    let step = END / (PLACES - 1) as f64;
    Ok(Samples::from_row_major(1, (0..PLACES).map(|i| i as f64 * step).collect())?)
}

/// A distribution over functions at the [places], as it is drawn.
#[derive(Debug)]
pub(crate) struct Curves {
    /// The mean.
    pub(crate) mean: Vec<f64>,
    /// The standard deviation of the function.
    pub(crate) deviation: Vec<f64>,
    /// Samples, places × functions.
    pub(crate) samples: Mat<f64>,
}

/// The prior of a kernel.
///
/// # Errors
/// If there is no memory.
pub(crate) fn prior(kernel: &Scaled<Rbf>, seed: u64) -> Result<Curves> {
    let samples = sample_prior(kernel, &places()?, FUNCTIONS, seed, &MemoryBudget::available())?;
    let deviation = vec![kernel.weight().sqrt(); PLACES];
    Ok(Curves { mean: vec![0.0; PLACES], deviation, samples })
}

/// The posterior of a model.
///
/// # Errors
/// If there is no memory.
pub(crate) fn posterior(model: &Model, seed: u64) -> Result<Curves> {
    let (places, budget) = (places()?, MemoryBudget::available());
    let draws = Draws { noise: Noise::Without, count: FUNCTIONS, seed };
    Ok(Curves {
        mean: model.predict(&places)?,
        deviation: model.std(&places, Noise::Without)?,
        samples: model.sample(&places, draws, &budget)?,
    })
}

/// The models with the given parameters, and with those of the greatest likelihood from there.
///
/// # Errors
/// If there is no likelihood.
pub(crate) fn fit(
    kernel: Scaled<Rbf>,
    noise: f64,
    (x, y): (&Samples<f64>, &[f64]),
) -> Result<[Model; 2]> {
    let process = GaussianProcess::on_kernel(kernel).noise(noise);
    let given = process.clone().fixed(Fixed::All).fit(x, y)?;
    Ok([given, process.restarts(3).fit(x, y)?])
}

/// The share of the places where the function lies in the interval of 95 %.
#[must_use]
pub(crate) fn covered(curves: &Curves) -> f64 {
    let step = END / (PLACES - 1) as f64;
    let is_in =
        |&i: &usize| (truth(i as f64 * step) - curves.mean[i]).abs() <= WIDTH * curves.deviation[i];
    (0..PLACES).filter(is_in).count() as f64 / PLACES as f64
}
