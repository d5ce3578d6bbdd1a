//! What a state answers with: coefficients, intercepts, and its evidence.

use super::PerceptronReport;
use super::expansion::State;
use super::fit::Ended;
use crate::Error;
use faer::Mat;
use kern_core::Scalar;
use kern_gram::zeros;

/// The functions of a state.
pub(super) struct Answer<T: Scalar> {
    /// Places × functions.
    pub(super) coefficients: Mat<T>,
    pub(super) intercepts: Vec<T>,
    /// The places whose coefficients are not all zero.
    pub(super) used: Vec<usize>,
    pub(super) report: PerceptronReport,
}

impl<T: Scalar> Answer<T> {
    /// The last functions, or their mean, where `offset` was added to kernel values.
    pub(super) fn new(state: &State, offset: f64, ended: Ended) -> Result<Self, Error> {
        let State { expansion, tally, .. } = state;
        let (places, outputs) = (expansion.len(), expansion.outputs);
        let mut coefficients: Mat<T> = zeros(places, outputs)?;
        let mut sums = vec![0.0; outputs];
        let answer = expansion.answer(tally.steps);
        for (place, answer) in answer.chunks_exact(outputs).enumerate() {
            for (k, &a) in answer.iter().enumerate() {
                coefficients[(place, k)] = T::from_f64(a);
                sums[k] += offset * a;
            }
        }
        let some = |&p: &usize| coefficients.row(p).iter().any(|&a| a != T::ZERO);
        let used: Vec<usize> = (0..places).filter(some).collect();
        let (status, mistakes_per_pass) = ended;
        let report = PerceptronReport {
            status,
            mistakes_per_pass,
            steps: tally.steps,
            mistakes: tally.mistakes,
            projected: tally.projected,
            removed: tally.removed,
            support_vectors: used.len(),
            squared_norm: tally.squared_norm.clamp(0.0, f64::INFINITY),
            squared_radius: tally.squared_radius,
        };
        let intercepts = sums.into_iter().map(T::from_f64).collect();
        Ok(Self { coefficients, intercepts, used, report })
    }
}
