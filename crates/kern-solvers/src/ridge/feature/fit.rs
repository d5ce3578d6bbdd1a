//! The fits of ridge regression on features.

use super::certificate::{certify_points, certify_sums};
use super::dual;
use super::iterate::{Learned, SAMPLED, Setting};
use super::solution::{Problem, Solution};
use crate::model::{FeatureExpansion, MultiRegressor};
use crate::ridge::Ridge;
use crate::ridge::fit::{RidgeSpace, Task};
use crate::space::OnFeatures;
use crate::tolerance::{MOST_CG_ITERATIONS, feature_gap};
use crate::{Error, Report, Run, Status};
use faer::Mat;
use kern_approx::landmarks::passes::Passes;
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed, panel_bytes};
use kern_core::feature_map::Folded;
use kern_core::memory::converted;
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
        let mut observed = Observed::new(y);
        if let Some(weights) = weights {
            observed = observed.weights(weights);
        }
        observed.check_fit(points.len())?;
        self.map.check(points)?;
        let setting = Setting {
            map: &self.map,
            points,
            observed,
            problem: Problem { lambda, intercept: settings.intercept },
            sampled: (self.map.dim().saturating_mul(SAMPLED).min(points.len()), settings.seed),
        };
        let gap = settings.tolerance.unwrap_or_else(feature_gap::<P::Scalar>);
        let most = settings.max_iterations.unwrap_or(MOST_CG_ITERATIONS);
        let iterated = match setting.is_iterated(&run.budget()) {
            true => setting.iterated((gap, most), run)?,
            false => None,
        };
        let Found { function, status, iterations, report } = match iterated {
            Some(found) => found,
            None => setting.solved(&run.budget())?,
        };
        let memory = setting.for_panels(&run.budget());
        let certify = || certify_points(&function, points, &observed, (setting.problem, &memory));
        let report = report.map_or_else(certify, Ok)?;
        let status = if status == Status::Stopped { status } else { report.status };
        Ok((function, Report { status, iterations, ..report }))
    }
}

/// A function, and how it was found.
pub(super) struct Found<P: Points, M> {
    pub(super) function: FeatureExpansion<M, P::Scalar>,
    pub(super) status: Status,
    pub(super) iterations: usize,
    /// The certificate, if there is one of features computed afresh.
    pub(super) report: Option<Report>,
}

impl<P: Points, M> Found<P, M> {
    /// A function that was solved for.
    fn at_once(function: FeatureExpansion<M, P::Scalar>) -> Self {
        Self { function, status: Status::Converged, iterations: 1, report: None }
    }
}

impl<P: Points, M: FeatureMap<P> + Clone> Setting<'_, '_, P, M> {
    /// The memory for panels, beside the sums and what is kept of points.
    fn for_panels(&self, budget: &MemoryBudget) -> MemoryBudget {
        let (n, dim, outputs) = (self.points.len(), self.map.dim(), self.observed.outputs());
        let own = NormalEquations::bytes(dim, outputs);
        let beside = matrix_bytes::<f64>(n, outputs.saturating_add(NUMBERS));
        let smallest = panel_bytes::<P::Scalar>(dim.max(self.rows()), n);
        let rest = budget.as_bytes().saturating_sub(own.saturating_add(beside));
        MemoryBudget::bytes(rest.max(smallest))
    }

    /// Tells whether an iteration takes less time than normal equations, and has the memory.
    fn is_iterated(&self, budget: &MemoryBudget) -> bool {
        let (lasting, passing) = self.bytes();
        let sizes = (self.points.len(), self.map.dim(), self.observed.outputs());
        budget.fits(lasting.saturating_add(passing))
            && is_iterated(sizes, self.map.folded().is_some())
    }

    /// The function that an iteration finds; none if it does not reach the gap.
    pub(super) fn iterated(
        &self,
        (gap, most): (f64, usize),
        run: &mut Run<'_>,
    ) -> Result<Option<Found<P, M>>, Error> {
        let (map, Folded { inner, .. }) = (self.map, Folded::of(self.map));
        let passes = (Passes::of_map(&*inner, self.points), inner.is_dear());
        let (lasting, _) = self.bytes();
        let rest = MemoryBudget::bytes(run.budget().as_bytes().saturating_sub(lasting));
        let learned = self.iteration(passes, &rest)?.learn(gap, most, run)?;
        let Learned { weights, intercepts, report, certified, .. } = learned;
        let Report { status, iterations, .. } = report;
        if !matches!(status, Status::Converged | Status::Stopped) {
            return Ok(None);
        }
        let function = FeatureExpansion::new(map.clone(), converted(weights.as_ref())?);
        let function = function.with_intercepts(intercepts);
        let report = certified.then_some(report);
        Ok(Some(Found { function, status, iterations, report }))
    }

    /// The function of all points at once: in the dual if they are fewer than features, else by normal equations.
    pub(super) fn solved(&self, budget: &MemoryBudget) -> Result<Found<P, M>, Error> {
        let Self { map, points, observed, problem, .. } = *self;
        let sizes = (points.len(), map.dim(), observed.outputs());
        if sizes.0 < sizes.1 && budget.fits(dual::bytes::<P::Scalar>(sizes)) {
            let solution = dual::solve(map, (points, &observed), problem, budget)?;
            return Ok(Found::at_once(solution.into_model(map.clone())?));
        }
        self.by_normal_equations(budget)
    }

    /// The function of the normal equations of all points.
    pub(super) fn by_normal_equations(&self, budget: &MemoryBudget) -> Result<Found<P, M>, Error> {
        let Self { map, points, observed, problem, .. } = *self;
        let (n, dim, outputs) = (points.len(), map.dim(), observed.outputs());
        let rows = self.rows();
        let panel = panel_bytes::<P::Scalar>(dim.max(rows), n);
        let needed = NormalEquations::bytes(dim, outputs).saturating_add(panel);
        let needed = needed.max(matrix_bytes::<f64>(rows, dim));
        budget.require("normal equations and a panel of features", needed, "use fewer features")?;
        let mut sums = NormalEquations::new(dim, outputs, Fingerprint::new(0), budget)?;
        sums.absorb(map, points, &observed, &self.for_panels(budget))?;
        let function = Solution::new(&mut sums, problem)?.into_model(map.clone())?;
        Ok(Found::at_once(function))
    }
}

/// Flops, at the speed of matrix products, in the time that a feature takes in all passes of an iteration, and those beside for
/// each output.
const PASSES: f64 = 600.0;
const PASSES_OF_OUTPUT: f64 = 200.0;

/// Tells whether an iteration takes less time than normal equations, which take D flops for each feature, and as many again
/// if features are folded.
pub(in crate::ridge) fn is_iterated(
    (n, dim, outputs): (usize, usize, usize),
    folded: bool,
) -> bool {
    let (n, d) = (n as f64, dim as f64);
    let of_feature = if folded { 2.0 * d } else { d };
    let sampled = SAMPLED as f64 * d;
    let iterated = sampled * of_feature + n * (PASSES + PASSES_OF_OUTPUT * outputs as f64);
    sampled < n && iterated < n * of_feature
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
