//! Ridge regression on features, in one round with the sums Σβzzᵀ, Σβz and Σβzyᵀ.

use super::fit_in_rounds::{Functions, Next, Outcome};
use super::query::{Query, Sums};
use crate::Error;
use crate::ridge::{lambda_of_sums, solve_sums};
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// State of ridge regression in rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RidgeRounds {
    dim: usize,
    outputs: usize,
    lambda: Option<f64>,
    intercept: bool,
}

impl RidgeRounds {
    pub(super) fn new(dim: usize, outputs: usize, lambda: Option<f64>, intercept: bool) -> Self {
        Self { dim, outputs, lambda, intercept }
    }

    pub(super) fn query(&self) -> Query {
        Query::Moments { dim: self.dim, outputs: self.outputs, classes: false }
    }

    pub(super) fn next(self, sums: Sums, memory: &MemoryBudget) -> Result<Next<Self>, Error> {
        let Sums::Moments(sums) = sums else { return Err(Error::OtherQuery) };
        let (lambda, left) = match self.lambda {
            Some(lambda) => (lambda, None),
            None => {
                let (lambda, left) = lambda_of_sums(&sums, self.intercept, memory)?;
                (lambda, Some(left))
            }
        };
        let (weights, intercepts, report) = solve_sums(&sums, lambda, self.intercept, memory)?;
        let functions = Functions { weights, intercepts, left, report };
        Ok(Next::Done(Box::new(Outcome::Functions(functions))))
    }
}
