//! Ridge regression in the space that the planner chooses.

use super::gradients_or_factor::Prepared;
use super::ridge_duality_gap::excess;
use super::ridge_regression::{RidgeSpace, Task};
use super::ridge_task::{Means, sizes_of};
use super::{RidgeTask, gradients_or_factor, kernel_ridge};
use crate::design::Design;
use crate::model::{EitherFunction, KernelExpansion};
use crate::plan::{Algorithm, Machine, Open, Terms};
use crate::space::{Auto, Features, OnFeatures, OnLandmarks};
use crate::{Details, Error, Planned, Report, Run};
use kern_approx::{Nystrom, Selection};
use kern_core::{FeatureMap, Mercer, Points};

impl<P, K, M> RidgeSpace<P> for Auto<K, M>
where
    P: Points,
    K: Mercer<P> + Clone,
    M: FeatureMap<P> + Clone,
{
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(EitherFunction<P, K, M>, Report), Error> {
        let limit = Some(run.planned_time());
        let means = Means { limit, ..Means::new(task.settings, run) };
        let run = &mut run.chosen();
        let lenient = Means { limit: run.predicted_limit(), ..means };
        let (mut planned, exact) = self.plan_and_solve(task, &means, &lenient, run)?;
        let (function, report) = match (exact, planned.landmarks, &self.features) {
            (Some((function, report)), ..) => (EitherFunction::Kernel(function), report),
            (None, None, Some(features)) => {
                let space = OnFeatures::new(features.map().clone());
                let (function, report) = space.regress(task, run)?;
                (EitherFunction::Features(function), report)
            }
            (None, landmarks, _) => {
                let landmarks = landmarks.unwrap_or(1);
                let nystrom = Nystrom::new(self.kernel.clone()).landmarks(landmarks);
                let nystrom = nystrom.selection(Selection::RandomPivots).seed(task.settings.seed);
                let (function, report) = OnLandmarks::new(nystrom).regress(task, run)?;
                planned.excess = Some(excess(&function, task, landmarks)?);
                (EitherFunction::Kernel(function), report)
            }
        };
        Ok((function, report.with_details(Details::Planned(planned))))
    }
}

/// The function on the kernel and its report, if an algorithm on the kernel is planned.
type Exact<P, K> = Option<(KernelExpansion<P, K>, Report)>;

impl<K, M> Auto<K, M> {
    /// Plans under `means`. If an algorithm on the kernel itself is planned, checks it against the
    /// limits of `lenient` and solves the problem.
    fn plan_and_solve<P>(
        &self,
        task: &Task<'_, P>,
        means: &Means<'_>,
        lenient: &Means<'_>,
        run: &mut Run<'_>,
    ) -> Result<(Planned, Exact<P, K>), Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
        M: FeatureMap<P>,
    {
        let (design, y) = (task.design(self.kernel.clone())?, task.targets);
        let (planned, learned) = {
            let prepared = self.prepared(&design, task, means)?;
            let sizes = match &prepared {
                Some(prepared) => prepared.task,
                None => self.without_factor(&design, task, means),
            };
            let planned = self.planned::<P>(sizes, means)?;
            if Algorithm::RIDGE.contains(&planned.algorithm) {
                lenient.check(&design, &sizes, &[planned.algorithm])?;
            }
            let stored = planned.algorithm == Algorithm::StoredGradients;
            let learned = match (planned.algorithm, prepared) {
                (Algorithm::StoredGradients | Algorithm::RecomputedGradients, Some(prepared)) => {
                    Some(prepared.learn(&design, y, lenient, stored, run)?)
                }
                _ => None,
            };
            (planned, learned)
        };
        let exact = match (planned.algorithm, learned) {
            (_, Some(found)) => {
                Some((design.into_model(found.alpha.as_ref(), found.intercepts)?, found.report))
            }
            (Algorithm::Cholesky, None) => {
                Some(kernel_ridge::factorise(design, task.lambda, y, lenient, run)?)
            }
            (_, None) => None,
        };
        Ok((planned, exact))
    }

    /// The factor for a preconditioner, if conjugate gradients are a candidate.
    fn prepared<'a, P>(
        &self,
        design: &'a Design<'_, P, K>,
        task: &Task<'_, P>,
        means: &Means<'_>,
    ) -> Result<Option<Prepared<'a, P>>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let outputs = task.targets.ncols();
        let wanted = match self.algorithm {
            Some(algorithm) => {
                matches!(algorithm, Algorithm::StoredGradients | Algorithm::RecomputedGradients)
            }
            None => {
                let sizes = self.without_factor(design, task, means);
                let seconds = sizes.nominal_seconds(&means.budget);
                let bearable = means.limit.is_none_or(|limit| seconds <= limit.as_secs_f64());
                bearable && !is_few(design, task, means)
            }
        };
        let prepare = || gradients_or_factor::planned(design, task.lambda, outputs, means);
        wanted.then(prepare).transpose()
    }

    /// The sizes of a problem without a preconditioner: with few points the matrix is factorised,
    /// with too many even one iteration takes too long.
    fn without_factor<P>(
        &self,
        design: &Design<'_, P, K>,
        task: &Task<'_, P>,
        means: &Means<'_>,
    ) -> RidgeTask
    where
        P: Points,
        K: Mercer<P>,
    {
        let sizes = sizes_of(design, task.targets.ncols());
        if is_few(design, task, means) { sizes } else { sizes.gradients(0, 1.0) }
    }

    /// Chooses among the exact algorithms of a task, landmarks and features.
    fn planned<P>(&self, sizes: RidgeTask, means: &Means<'_>) -> Result<Planned, Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        let limit = means.limit.map(|limit| limit.as_secs_f64());
        let terms = Terms { budget: &means.budget, limit, open: Open::Resort };
        let landmarks = self.count(sizes.points(), |count| sizes.landmarks_fit(count, &terms));
        let sizes = match &self.features {
            Some(Features::Exact(map)) => sizes.exact_features(map.dim().max(1)),
            Some(Features::Approximate(map)) => sizes.approximate_features(map.dim().max(1)),
            None => sizes,
        };
        let plan = sizes.landmarks(landmarks).plan_within(&terms, &Machine::NOMINAL)?;
        Planned::of(&plan, self.algorithm, Algorithm::Landmarks, landmarks)
    }
}

/// True if there are so few points that the kernel matrix is factorised without a plan.
fn is_few<P: Points, K: Mercer<P>>(
    design: &Design<'_, P, K>,
    task: &Task<'_, P>,
    means: &Means<'_>,
) -> bool {
    let direct = gradients_or_factor::is_direct(design, task.targets.ncols(), &means.budget);
    direct && gradients_or_factor::is_small(design)
}
