//! The fits of ridge regression on features.

use super::certificate::{certify_points, certify_sums};
use super::solution::{Problem, Solution};
use crate::model::{FeatureExpansion, MultiRegressor};
use crate::ridge::Ridge;
use crate::ridge::fit::{RidgeSpace, Task};
use crate::space::OnFeatures;
use crate::{Error, Report, Run};
use faer::Mat;
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes};

/// Numbers of a point beside its features and targets: its weight, and what a pass keeps of it.
const NUMBERS: usize = 3;

impl<P: Points, M: FeatureMap<P> + Clone> RidgeSpace<P> for OnFeatures<M> {
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(FeatureExpansion<M, P::Scalar>, Report), Error> {
        let Task { settings, lambda, points, targets: y, weights } = *task;
        let problem = Problem { lambda, intercept: settings.intercept };
        let mut observed = Observed::new(y);
        if let Some(weights) = weights {
            observed = observed.weights(weights);
        }
        observed.check_fit(points.len())?;
        let (map, dim, outputs, budget) = (&self.map, self.map.dim(), y.ncols(), run.budget());
        let needed = NormalEquations::streaming_bytes::<P::Scalar>(dim, outputs, points.len());
        budget.require("normal equations and a panel of features", needed, "use fewer features")?;
        let own = NormalEquations::bytes(dim, outputs);
        let beside = matrix_bytes::<f64>(points.len(), outputs.saturating_add(NUMBERS));
        let rest = (budget.as_bytes() - own).saturating_sub(beside).max(needed - own);
        let rest = MemoryBudget::bytes(rest);
        let solution = {
            let mut sums = NormalEquations::new(dim, outputs, Fingerprint::new(0), &budget)?;
            sums.absorb(map, points, &observed, &rest)?;
            Solution::new(&mut sums, problem)?
        };
        let function = solution.into_model(map.clone())?;
        let report = certify_points(&function, points, &observed, (problem, &rest))?;
        Ok((function, report))
    }
}

impl<M: Clone> Ridge<OnFeatures<M>> {
    /// Learns from sums that were gathered before, with the feature map of this fingerprint. The
    /// certificate is computed from the sums, too.
    ///
    /// # Errors
    /// [`Error::Fingerprint`] if they were gathered with another map; [`Error::Empty`] and
    /// [`Error::NoWeight`] for sums of nothing; [`Error::Core`] for λ ≤ 0; [`Error::Gram`] if another
    /// D² numbers exceed the memory; [`Error::NotPositiveDefinite`].
    pub fn solve<T: Scalar>(
        &self,
        sums: &NormalEquations,
        fingerprint: Fingerprint,
        run: &Run<'_>,
    ) -> Result<MultiRegressor<FeatureExpansion<M, T>>, Error> {
        let lambda = self.settings.checked()?;
        sums.check_fingerprint(fingerprint)?;
        let (solution, report) = solved(sums, (lambda, self.settings.intercept), &run.budget())?;
        Ok(MultiRegressor::new(solution.into_model(self.space.map.clone())?, report))
    }
}

/// w and b of each output, and the evidence for them.
pub(crate) type Solved = (Mat<f64>, Vec<f64>, Report);

/// The solution of sums, whatever their feature map.
pub(crate) fn solve_sums(
    sums: &NormalEquations,
    problem: (f64, bool),
    memory: &MemoryBudget,
) -> Result<Solved, Error> {
    let (solution, report) = solved(sums, problem, memory)?;
    Ok((solution.weights, solution.intercepts, report))
}

fn solved(
    sums: &NormalEquations,
    (lambda, intercept): (f64, bool),
    memory: &MemoryBudget,
) -> Result<(Solution, Report), Error> {
    if sums.count() == 0 {
        return Err(Error::Empty);
    }
    let points = usize::try_from(sums.count()).unwrap_or(usize::MAX);
    if sums.weight() <= 0.0 {
        return Err(Error::NoWeight { points });
    }
    let bytes = NormalEquations::bytes(sums.dim(), sums.outputs());
    memory.require("the factor of normal equations", bytes, "use fewer features")?;
    let problem = Problem { lambda, intercept };
    let solution = Solution::new(&mut sums.clone(), problem)?;
    let report = certify_sums(sums, problem, &solution);
    report.check()?;
    Ok((solution, report))
}
