//! Tests by permutations: what they found, and their settings.

use crate::{Error, tolerance};

/// The outcome of a test by permutations.
///
/// # Definition
/// p = (1 + #{b : T_b ≥ T})/(1 + B) for the statistic T and those of B permutations, T_b. If the hypothesis holds, all have the same
/// distribution and may be exchanged, so that p ≤ a with a probability of at most a. Statistics that differ by rounding only are equal.
///
/// # References
/// Phipson & Smyth (2010), *Permutation P-values Should Never Be Zero*.
#[derive(Clone, Debug, PartialEq)]
pub struct PermutationTest {
    statistic: f64,
    null: Vec<f64>,
    rounding: f64,
    p_value: f64,
    seed: u64,
}

impl PermutationTest {
    /// The test of the first of these statistics by the others; those that differ by less than the rounding are equal.
    pub(super) fn new(mut statistics: Vec<f64>, rounding: f64, seed: u64) -> Self {
        let null = statistics.split_off(1);
        let statistic = statistics[0];
        let reached = null.iter().filter(|&&other| other >= statistic - rounding).count();
        let p_value = (reached + 1) as f64 / (null.len() + 1) as f64;
        Self { statistic, null, rounding, p_value, seed }
    }

    /// The statistic of the data.
    #[must_use]
    pub const fn statistic(&self) -> f64 {
        self.statistic
    }

    /// The share of statistics that are at least that of the data, itself among them.
    #[must_use]
    pub const fn p_value(&self) -> f64 {
        self.p_value
    }

    /// The statistics of the permutations, in the order in which they were drawn.
    #[must_use]
    pub fn null(&self) -> &[f64] {
        &self.null
    }

    /// The difference up to which statistics are equal.
    pub(super) const fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The number of permutations, B.
    #[must_use]
    pub fn permutations(&self) -> usize {
        self.null.len()
    }

    /// The seed of the permutations.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }
}

/// The permutations of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) permutations: usize,
    pub(super) seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { permutations: tolerance::PERMUTATIONS, seed: 0 }
    }
}

impl Settings {
    /// Refuses a test that never rejects.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.permutations {
            0 => Err(Error::Count { name: "permutations", given: 0, allowed: "at least 1" }),
            _ => Ok(()),
        }
    }
}

/// Refuses samples that are too small.
pub(super) fn check_size(given: usize, least: usize, allowed: &'static str) -> Result<(), Error> {
    match given >= least {
        true => Ok(()),
        false => Err(Error::Count { name: "the number of points of a sample", given, allowed }),
    }
}
