//! A metric that is learned: ridge regression and the outer products of its gradients, in turn.

use super::design::Design;
use crate::Error;
use crate::map::{InMetric, OnNumbers, TableMap};
use kern_approx::Nystrom;
use kern_core::gradient::MetricKernel;
use kern_core::{KernelSpec, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::rounds::{Functions, MetricQuery, OuterSums};
use serde::{Deserialize, Serialize};

/// The memory that a fit has of its metric.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Learning {
    /// The formula of the kernel.
    formula: String,
    /// The landmarks, not their images.
    landmarks: Samples<f64>,
    /// Points whose scale the metric keeps.
    sample: Samples<f64>,
    /// The rounds that are still wanted.
    pub(super) left: usize,
}

impl Learning {
    /// Of a design with landmarks that are their own images.
    pub(super) fn new(design: &Design, sample: Samples<f64>, rounds: usize) -> Option<Self> {
        let TableMap::Learned(OnNumbers(InMetric { map, .. })) = &design.map else { return None };
        let (formula, landmarks) = (design.kernel.clone(), map.landmarks().clone());
        Some(Self { formula, landmarks, sample, left: rounds })
    }

    fn spec(&self) -> Result<KernelSpec, Error> {
        Ok(self.formula.parse()?)
    }

    /// The question for the gradients of these functions.
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

    /// The design in the next metric; the present one, for the last time, if the function is constant.
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
