//! The kernel as an expectation: draws of 2·cos(ωᵀx + b)·cos(ωᵀy + b), their means, and how far these are from
//! the kernel's value.

use anyhow::{Result, ensure};
use kern::kernels::Rbf;
use kern::{Kernel, Samples, Spectral};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;

/// Two points and a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Estimator {
    kernel: Rbf,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// The means of equally many draws each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Means {
    /// D, the number of draws of a mean.
    pub(crate) features: usize,
    /// The means.
    pub(crate) values: Vec<f64>,
}

/// The statistics of the draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// The mean of all draws.
    pub(crate) estimate: f64,
    /// Its standard error, by the draws.
    pub(crate) standard_error: f64,
    /// The numbers of draws in intervals of equal length from −2 to 2.
    pub(crate) single: Vec<usize>,
    /// Means of different numbers of draws.
    pub(crate) means: Vec<Means>,
}

impl Estimator {
    /// Points that are uniform in the unit cube of so many dimensions.
    ///
    /// # Errors
    /// Unless γ > 0 is finite, and there is a dimension.
    pub(crate) fn new(gamma: f64, dim: usize, seed: u64) -> Result<Self> {
        ensure!(dim > 0, "the points must have at least one dimension");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut point = || (0..dim).map(|_| rng.random()).collect();
        Ok(Self { kernel: Rbf::new(gamma)?, x: point(), y: point() })
    }

    /// K(x, y).
    #[must_use]
    pub(crate) fn value(&self) -> f64 {
        Kernel::<Samples<f64>>::eval(&self.kernel, &self.x, &self.y)
    }

    /// The variance of a draw, 1 + κ(2δ)/2 − κ(δ)², exactly.
    #[must_use]
    pub(crate) fn variance(&self) -> f64 {
        let value = self.value();
        // exp(−4γ‖δ‖²) is the fourth power.
        1.0 + 0.5 * value.powi(4) - value * value
    }

    /// So many draws, and their means over each of the numbers of features.
    ///
    /// # Errors
    /// Unless every mean has at least one draw, and there are draws for it.
    pub(crate) fn run(&self, draws: usize, features: &[usize], seed: u64) -> Result<Outcome> {
        for &d in features {
            ensure!(d >= 1 && d <= draws, "a mean over {d} of {draws} draws");
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut omega = vec![0.0; self.x.len()];
        let (mut sum, mut squares, mut single) = (0.0, 0.0, vec![0; INTERVALS]);
        let mut open = vec![0.0; features.len()];
        let mut means: Vec<_> =
            features.iter().map(|&features| Means { features, values: Vec::new() }).collect();
        for k in 1..=draws {
            omega.fill(0.0);
            self.kernel.add_frequency(&mut rng, &mut omega);
            let b = TAU * rng.random::<f64>();
            let draw = 2.0 * (dot(&omega, &self.x) + b).cos() * (dot(&omega, &self.y) + b).cos();
            sum += draw;
            squares += draw * draw;
            single[interval(draw)] += 1;
            for (open, means) in open.iter_mut().zip(&mut means) {
                *open += draw;
                if k.is_multiple_of(means.features) {
                    means.values.push(*open / means.features as f64);
                    *open = 0.0;
                }
            }
        }
        let n = draws as f64;
        let estimate = sum / n;
        let standard_error = ((squares / n - estimate * estimate).max(0.0) / n).sqrt();
        Ok(Outcome { estimate, standard_error, single, means })
    }
}

/// The number of intervals of [−2, 2].
pub(crate) const INTERVALS: usize = 160;

fn interval(draw: f64) -> usize {
    let place = (draw + 2.0) / 4.0 * INTERVALS as f64;
    (place.max(0.0) as usize).min(INTERVALS - 1)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Means {
    /// The share of means that are off by `error` or more.
    #[must_use]
    pub(crate) fn share(&self, value: f64, error: f64) -> f64 {
        let off = self.values.iter().filter(|&mean| (mean - value).abs() >= error).count();
        off as f64 / self.values.len() as f64
    }
}

/// Hoeffding's bound on the probability of such an error: 2·exp(−Da²/8).
#[must_use]
pub(crate) fn hoeffding(features: usize, error: f64) -> f64 {
    (2.0 * (-(features as f64) * error * error / 8.0).exp()).min(1.0)
}

/// The error to which Hoeffding's inequality gives this probability.
#[must_use]
pub(crate) fn hoeffding_error(features: usize, probability: f64) -> f64 {
    (8.0 * (2.0 / probability).ln() / features as f64).sqrt()
}
