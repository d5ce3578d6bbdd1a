//! The knowledge of a perceptron: coefficients of support vectors, and what it has to remember to go on.

use super::forgetron::Forgetron;
use super::params::PerceptronOptions;
use super::projection::Projection;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// f_k = Σₚ aₚₖβₚK(·, xₚ) over places p, whose points weigh βₚ.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    pub(super) outputs: usize,
    /// The point at each place: an index among those that are at hand.
    pub(super) rows: Vec<usize>,
    /// Place by place, a number per output.
    pub(super) coefficients: Vec<f64>,
    /// Σ (t − 1)δ over the changes δ of coefficients in steps t, if the mean is asked for: it is
    /// a − Σ (t − 1)δ/T after T steps, for a change in step t is part of T − t + 1 functions.
    pub(super) sums: Option<Vec<f64>>,
}

impl Expansion {
    pub(super) fn new(outputs: usize, averaged: bool) -> Self {
        let sums = averaged.then(Vec::new);
        Self { outputs, rows: Vec::new(), coefficients: Vec::new(), sums }
    }

    /// The number of places.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The coefficients at a place.
    pub(super) fn at(&self, place: usize) -> &[f64] {
        &self.coefficients[place * self.outputs..][..self.outputs]
    }

    /// A place for a point, with coefficients of zero.
    pub(super) fn push(&mut self, row: usize) {
        self.rows.push(row);
        let length = self.rows.len() * self.outputs;
        self.coefficients.resize(length, 0.0);
        if let Some(sums) = &mut self.sums {
            sums.resize(length, 0.0);
        }
    }

    /// The place becomes that of another point.
    pub(super) fn replace(&mut self, place: usize, row: usize) {
        self.rows[place] = row;
        self.coefficients[place * self.outputs..][..self.outputs].fill(0.0);
    }

    /// A coefficient changes by δ, in a step before which there were `steps`.
    pub(super) fn add(&mut self, (place, output): (usize, usize), delta: f64, steps: usize) {
        let index = place * self.outputs + output;
        self.coefficients[index] += delta;
        if let Some(sums) = &mut self.sums {
            sums[index] += steps as f64 * delta;
        }
    }

    /// The coefficients of the answer after so many steps: the last ones, or their mean.
    pub(super) fn into_answer(self, steps: usize) -> Vec<f64> {
        let Self { mut coefficients, sums, .. } = self;
        let steps = steps as f64;
        let pairs = coefficients.iter_mut().zip(sums.iter().flatten());
        pairs.for_each(|(a, sum)| *a = (steps * *a - sum) / steps);
        coefficients
    }
}

/// Counts of a run, and what steps carry along.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) steps: usize,
    pub(super) mistakes: usize,
    pub(super) projected: usize,
    pub(super) removed: usize,
    pub(super) squared_norm: f64,
    pub(super) squared_radius: f64,
}

/// All that the next step depends on.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) expansion: Expansion,
    pub(super) tally: Tally,
    pub(super) projection: Projection,
    pub(super) forgetron: Forgetron,
    /// The place of the oldest support vector, once there are as many as may be.
    pub(super) oldest: usize,
    pub(super) rng: ChaCha8Rng,
}

impl State {
    pub(super) fn new(outputs: usize, options: &PerceptronOptions) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        // Shuffles have the other one.
        rng.set_stream(1);
        Self {
            expansion: Expansion::new(outputs, options.averaged),
            tally: Tally::default(),
            projection: Projection::default(),
            forgetron: Forgetron::default(),
            oldest: 0,
            rng,
        }
    }
}
