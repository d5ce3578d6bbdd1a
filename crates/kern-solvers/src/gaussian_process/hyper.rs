//! The parameters that are learned, as a vector of logarithms.

use super::LogLikelihood;
use super::params::{Fixed, Settings};
use crate::Error;
use kern_core::gradient::{FreeParameter, free_parameters, set_free_parameters};
use kern_core::parameters::Parameters;
use rand::{Rng, RngExt};

/// A kernel and a variance of the noise, and which of their parameters are learned.
pub(super) struct Hyper<'s, K> {
    kernel: &'s K,
    noise: f64,
    free: Vec<FreeParameter>,
    /// The indices of those that are learned; the noise has the one after the last of the kernel.
    learned: Vec<usize>,
    /// The bounds of their logarithms.
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
}

impl<'s, K: Parameters + Clone> Hyper<'s, K> {
    pub(super) fn new(kernel: &'s K, settings: &Settings) -> Self {
        let (noise, free) = (settings.noise, free_parameters(kernel));
        let (of_kernel, of_noise) = match settings.fixed {
            Fixed::Nothing => (free.len(), true),
            Fixed::Noise => (free.len(), false),
            Fixed::Kernel => (0, true),
            Fixed::All => (0, false),
        };
        let mut learned: Vec<usize> = (0..of_kernel).filter(|&k| free[k].value > 0.0).collect();
        learned.extend(of_noise.then_some(free.len()));
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for &k in &learned {
            let (start, greatest) =
                free.get(k).map_or((noise, f64::MAX), |free| (free.value, free.greatest));
            lower.push(settings.lower.min(start).ln());
            upper.push(settings.upper.max(start).min(greatest).ln());
        }
        Self { kernel, noise, free, learned, lower, upper }
    }

    /// Tells whether there is anything to learn.
    pub(super) fn is_free(&self) -> bool {
        !self.learned.is_empty()
    }

    /// The logarithms of the values that were given.
    pub(super) fn start(&self) -> Vec<f64> {
        let value = |&k: &usize| self.free.get(k).map_or(self.noise, |free| free.value);
        self.learned.iter().map(|k| value(k).ln()).collect()
    }

    /// Logarithms that are uniform around those that were given, up to this distance and within the bounds.
    pub(super) fn draw(&self, distance: f64, rng: &mut impl Rng) -> Vec<f64> {
        let bounds = self.lower.iter().zip(&self.upper);
        let draw = |(start, (&lower, &upper)): (f64, (&f64, &f64))| {
            let (from, to) = (lower.max(start - distance), upper.min(start + distance));
            from + (to - from) * rng.random::<f64>()
        };
        self.start().into_iter().zip(bounds).map(draw).collect()
    }

    /// The kernel and the variance of the noise at these logarithms.
    pub(super) fn at(&self, logarithms: &[f64]) -> Result<(K, f64), Error> {
        let mut values: Vec<f64> = self.free.iter().map(|free| free.value).collect();
        let (mut kernel, mut noise) = (self.kernel.clone(), self.noise);
        for (&k, logarithm) in self.learned.iter().zip(logarithms) {
            match self.free.get(k) {
                // Rounding must not leave the domain.
                Some(free) => values[k] = logarithm.exp().min(free.greatest),
                None => noise = logarithm.exp(),
            }
        }
        set_free_parameters(&mut kernel, &values)?;
        Ok((kernel, noise))
    }

    /// The derivatives in the logarithms that are learned.
    pub(super) fn gradient(&self, found: &LogLikelihood) -> Vec<f64> {
        let slope = |&k: &usize| found.gradient.get(k).copied().unwrap_or(found.noise);
        self.learned.iter().map(slope).collect()
    }
}
