//! Support vectors that were learned from points, and the function that they stand for.

use super::engine::Ended;
use super::expansion::State;
use super::fit::report;
use crate::model::KernelExpansion;
use crate::{Error, Report};
use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::zeros;

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
        (weights, origin, seen): (Option<&[f64]>, &dyn Fn(usize) -> usize, usize),
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
