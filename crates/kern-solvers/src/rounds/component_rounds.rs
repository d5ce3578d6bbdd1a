//! Principal components of features, in one round with the sums Σβzzᵀ and Σβz.

use super::fit_in_rounds::{Next, Outcome};
use super::query::{Query, Sums};
use crate::Error;
use crate::components::{Axes, Components};
use crate::model::FeatureExpansion;
use kern_approx::statistics::NormalEquations;
use kern_core::symmetric_eigen_bytes;
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// State of principal components in rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ComponentRounds {
    pub(super) dim: usize,
    pub(super) count: usize,
}

impl ComponentRounds {
    pub(super) fn query(&self) -> Query {
        Query::Moments { dim: self.dim, outputs: 0, classes: false }
    }

    pub(super) fn next(self, sums: Sums, memory: &MemoryBudget) -> Result<Next<Self>, Error> {
        let Sums::Moments(sums) = sums else { return Err(Error::OtherQuery) };
        let needed =
            NormalEquations::bytes(self.dim, 1).saturating_add(symmetric_eigen_bytes(self.dim));
        memory.require("principal components of features", needed, "take fewer features")?;
        if sums.weight() <= 0.0 {
            return Err(Error::NoWeight { points: sums.count() as usize });
        }
        let axes = Axes::of_sums(sums, self.count, f64::EPSILON / 2.0)?;
        Ok(Next::Done(Box::new(Outcome::Components(PrincipalAxes(axes)))))
    }
}

/// Principal axes of features.
#[derive(Debug)]
pub struct PrincipalAxes(Axes);

impl PrincipalAxes {
    /// The principal components on the features of this map.
    pub fn components<M>(self, map: M) -> Components<FeatureExpansion<M, f64>> {
        self.0.components(map)
    }
}
