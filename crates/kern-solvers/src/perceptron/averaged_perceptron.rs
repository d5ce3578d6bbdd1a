//! The expansion that a perceptron learns: its last coefficients, or their average over all steps.
//!
//! The average of Freund & Schapire is that of the functions after each visit. It is kept by one sum for
//! each coefficient: a change δ in step t is part of T − t + 1 of T functions, so that the mean is
//! a − Σ (t − 1)δ/T.

use super::forgetron::Forgetron;
use super::mistakes::Ended;
use super::projectron::Projection;
use super::rosenblatt_perceptron::{PerceptronOptions, report};
use crate::model::KernelExpansion;
use crate::{Error, Report};
use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::zeros;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// f_k = Σₚ aₚₖβₚK(·, xₚ) over places p, whose points weigh βₚ.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    outputs: usize,
    /// The point at each place: an index among those that are at hand.
    pub(super) rows: Vec<usize>,
    /// Place by place, a number per output.
    pub(super) coefficients: Vec<f64>,
    /// Σ (t − 1)δ over the changes δ of coefficients in steps t, if the mean is asked for: it is
    /// a − Σ (t − 1)δ/T after T steps, for a change in step t is part of T − t + 1 functions.
    pub(super) sums: Option<Vec<f64>>,
}

impl Expansion {
    fn new(outputs: usize, averaged: bool) -> Self {
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
    fn into_answer(self, steps: usize) -> Vec<f64> {
        let Self { mut coefficients, sums, .. } = self;
        let steps = steps as f64;
        let pairs = coefficients.iter_mut().zip(sums.iter().flatten());
        pairs.for_each(|(a, sum)| *a = (steps * *a - sum) / steps);
        coefficients
    }
}

/// Support vectors that were learned from points.
#[derive(Clone, Debug)]
pub(super) struct Learned<P> {
    /// The points at the places of the expansion.
    pub(super) points: P,
    /// Their weights.
    pub(super) weights: Vec<f64>,
    /// The times at which they were seen.
    pub(super) origins: Vec<usize>,
    /// The number of points that were seen.
    pub(super) seen: usize,
    pub(super) state: State,
    ended: Ended,
}

impl<P: Points> Learned<P> {
    /// From these points, with their weights, when they were seen, and how many there were then.
    pub(super) fn new(
        points: &P,
        weights: Option<&[f64]>,
        origin: &dyn Fn(usize) -> usize,
        seen: usize,
        mut state: State,
        ended: Ended,
    ) -> Result<Self, Error> {
        let rows = std::mem::take(&mut state.expansion.rows);
        state.expansion.rows = (0..rows.len()).collect();
        let weight = |&i: &usize| weights.map_or(1.0, |weights| weights[i]);
        let weights = rows.iter().map(weight).collect();
        let origins = rows.iter().map(|&i| origin(i)).collect();
        Ok(Self { points: points.select(&rows)?, weights, origins, seen, state, ended })
    }

    /// The last functions, or their mean, where `offset` was added to kernel values.
    pub(super) fn into_function<K: Kernel<P>>(
        self,
        kernel: K,
        offset: f64,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let Self { state, points, weights, origins, ended, .. } = self;
        let State { expansion, tally, .. } = state;
        let (places, outputs) = (expansion.len(), expansion.outputs);
        let mut coefficients: Mat<P::Scalar> = zeros(places, outputs)?;
        let mut sums = vec![0.0; outputs];
        let answer = expansion.into_answer(tally.steps);
        for (place, answer) in answer.chunks_exact(outputs).enumerate() {
            for (k, &a) in answer.iter().enumerate() {
                let a = weights[place] * a;
                coefficients[(place, k)] = P::Scalar::from_f64(a);
                sums[k] += offset * a;
            }
        }
        drop(answer);
        let used = |&p: &usize| coefficients.row(p).iter().any(|&a| a != P::Scalar::ZERO);
        let support = (0..places).filter(used).map(|place| origins[place]).collect();
        let intercepts = sums.into_iter().map(P::Scalar::from_f64).collect();
        let function = KernelExpansion::new(kernel, &points, coefficients.as_ref())?;
        Ok((function.with_intercepts(intercepts), report(ended, &tally, support)))
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
