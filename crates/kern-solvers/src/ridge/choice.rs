//! Choosing λ.

use crate::Error;

/// The criterion that is minimised when λ is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The mean of the squared leave-one-out residuals, weighted by the sample weights.
    LeaveOneOut,
    /// Generalised cross-validation, [`FactoredRidge::gcv`](super::FactoredRidge::gcv).
    Gcv,
}

/// A chosen λ, and how the others did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The λ of least score.
    pub lambda: f64,
    /// Its index in the grid.
    pub index: usize,
    /// The scores of the whole grid.
    pub scores: Vec<f64>,
}

impl Choice {
    pub(super) fn new(lambdas: &[f64], scores: Vec<f64>) -> Result<Self, Error> {
        let order = |&a: &usize, &b: &usize| {
            scores[a].total_cmp(&scores[b]).then(lambdas[b].total_cmp(&lambdas[a]))
        };
        let Some(index) = (0..lambdas.len()).min_by(order) else {
            let allowed = "at least 1";
            return Err(Error::Count { name: "the number of lambdas", given: 0, allowed });
        };
        Ok(Self { lambda: lambdas[index], index, scores })
    }
}
