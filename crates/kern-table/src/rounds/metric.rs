//! Metric learning: ridge regression alternates with the average outer product of its gradients.

use super::design::Design;
use crate::Error;
use crate::map::{InMetric, OnNumbers, TableMap};
use kern_approx::Nystrom;
use kern_core::gradient::MetricKernel;
use kern_core::{KernelSpec, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::rounds::{Functions, MetricQuery, OuterSums};
use serde::{Deserialize, Serialize};

/// The state of a fit with a learned metric.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Learning {
    /// The formula of the kernel.
    formula: String,
    /// The landmarks in input space, not transformed by the metric.
    landmarks: Samples<f64>,
    /// Points whose scale the metric preserves.
    sample: Samples<f64>,
    /// The number of remaining rounds.
    pub(super) left: usize,
}

impl Learning {
    /// The state for a design whose landmarks are not transformed by a metric yet.
    pub(super) fn new(design: &Design, sample: Samples<f64>, rounds: usize) -> Option<Self> {
        let TableMap::Learned(OnNumbers(InMetric { map, .. })) = &design.map else { return None };
        let (formula, landmarks) = (design.kernel.clone(), map.landmarks().clone());
        Some(Self { formula, landmarks, sample, left: rounds })
    }

    fn spec(&self) -> Result<KernelSpec, Error> {
        Ok(self.formula.parse()?)
    }

    /// The query for the gradients of these functions.
    pub(super) fn query(
        &self,
        design: &Design,
        functions: &Functions,
    ) -> Result<MetricQuery, Error> {
        let TableMap::Learned(OnNumbers(InMetric { metric, map })) = &design.map else {
            return Err(Error::OtherRound);
        };
        let family = self.formula.split('(').next().unwrap_or_default();
        let kernel = MetricKernel::of_family(family, &self.spec()?)?;
        let kernel = kernel.ok_or(kern_solvers::Error::Unsupported {
            what: "a learned metric of this kernel",
            instead: "take rbf, exponential, matern32, matern52, rational_quadratic or laplacian",
        })?;
        Ok(MetricQuery::new(kernel, metric.clone(), map, functions.weights.as_ref())?)
    }

    /// The design in the next metric; if the function is constant, the present design, and no round
    /// remains.
    pub(super) fn next(
        &mut self,
        design: &Design,
        query: &MetricQuery,
        sums: &OuterSums,
        memory: &MemoryBudget,
    ) -> Result<Design, Error> {
        let Some(metric) = query.next(sums, &self.sample)? else {
            self.left = 0;
            return Ok(design.clone());
        };
        let images = metric.images(&self.landmarks)?;
        let count = kern_core::Points::len(&images);
        let map =
            Nystrom::new(self.spec()?.build_mercer()?).landmarks(count).fit(&images, memory)?;
        self.left -= 1;
        Ok(design.with_map(TableMap::Learned(OnNumbers(InMetric { metric, map }))))
    }
}
