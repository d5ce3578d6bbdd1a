//! The averaged perceptron: the coefficients of an expansion, and their mean over all steps.
//!
//! Freund & Schapire average the functions after each visit. One sum per coefficient suffices: a
//! change δ in step t enters T − t + 1 of the T functions, so the mean of a coefficient a is a − Σ
//! (t − 1)δ/T.

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

/// The functions f_k = Σₚ aₚₖβₚK(·, xₚ) over places p, whose points have the weights βₚ.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    outputs: usize,
    /// The point at each place, as an index into the points of the operator.
    pub(super) rows: Vec<usize>,
    /// The coefficients, place by place, with an entry per output.
    pub(super) coefficients: Vec<f64>,
    /// Σ (t − 1)δ over the changes δ of each coefficient in steps t, if the model is the mean.
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

    /// Appends a place for a point, with coefficients 0.
    pub(super) fn push(&mut self, row: usize) {
        self.rows.push(row);
        let length = self.rows.len() * self.outputs;
        self.coefficients.resize(length, 0.0);
        if let Some(sums) = &mut self.sums {
            sums.resize(length, 0.0);
        }
    }

    /// Gives the place to another point, with coefficients 0.
    pub(super) fn replace(&mut self, place: usize, row: usize) {
        self.rows[place] = row;
        self.coefficients[place * self.outputs..][..self.outputs].fill(0.0);
    }

    /// Adds `delta` to a coefficient, in a step that follows `steps` earlier ones.
    pub(super) fn add(&mut self, (place, output): (usize, usize), delta: f64, steps: usize) {
        let index = place * self.outputs + output;
        self.coefficients[index] += delta;
        if let Some(sums) = &mut self.sums {
            sums[index] += steps as f64 * delta;
        }
    }

    /// The coefficients of the model after `steps` steps: the last ones, or their mean.
    fn into_answer(self, steps: usize) -> Vec<f64> {
        let Self { mut coefficients, sums, .. } = self;
        let steps = steps as f64;
        let pairs = coefficients.iter_mut().zip(sums.iter().flatten());
        pairs.for_each(|(a, sum)| *a = (steps * *a - sum) / steps);
        coefficients
    }
}

/// Support vectors, and the state of training.
#[derive(Clone, Debug)]
pub(super) struct TrainedPerceptron<P> {
    /// The points at the places of the expansion.
    pub(super) points: P,
    /// The weights of these points.
    pub(super) weights: Vec<f64>,
    /// The positions of these points among all points seen.
    pub(super) origins: Vec<usize>,
    /// The number of points seen.
    pub(super) seen: usize,
    pub(super) state: State,
    ended: Ended,
}

impl<P: Points> TrainedPerceptron<P> {
    /// Selects the support vectors among `points`, with their weights and their positions among the
    /// `seen` points.
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

    /// The last functions, or their mean; `offset` was added to kernel values for the intercept.
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

/// Counts of a run, and the norms that its steps maintain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) steps: usize,
    pub(super) mistakes: usize,
    pub(super) projected: usize,
    pub(super) removed: usize,
    pub(super) squared_norm: f64,
    pub(super) squared_radius: f64,
}

/// The state that the next step depends on.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) expansion: Expansion,
    pub(super) tally: Tally,
    pub(super) projection: Projection,
    pub(super) forgetron: Forgetron,
    /// The place of the oldest support vector, once the budget is full.
    pub(super) oldest: usize,
    pub(super) rng: ChaCha8Rng,
}

impl State {
    pub(super) fn new(outputs: usize, options: &PerceptronOptions) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        // Shuffles use the other stream.
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
