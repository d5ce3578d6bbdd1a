//! Ridge regression in whichever space is planned.

use super::conjugate_gradients::Prepared;
use super::excess::excess;
use super::fit::{RidgeSpace, Task};
use super::means::Means;
use super::{RidgeTask, conjugate_gradients, kernel};
use crate::design::Design;
use crate::model::{EitherFunction, KernelExpansion};
use crate::plan::{Machine, Open, Terms, Way};
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
        let means = Means::new(task.settings, run);
        let run = &mut run.chosen();
        let lenient = Means { limit: run.predicted_limit(), ..means };
        let (mut planned, exact) = self.plan_and_solve(task, &means, (&lenient, run))?;
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

/// A function on the kernel, if that was planned.
type Exact<P, K> = Option<(KernelExpansion<P, K>, Report)>;

impl<K, M> Auto<K, M> {
    /// The plan by `means`, and what it leads to on the kernel itself, unless that is refused by `lenient`.
    fn plan_and_solve<P>(
        &self,
        task: &Task<'_, P>,
        means: &Means<'_>,
        (lenient, run): (&Means<'_>, &mut Run<'_>),
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
            if Way::RIDGE.contains(&planned.way) {
                lenient.check(&design, &sizes, &[planned.way])?;
            }
            let stored = planned.way == Way::StoredGradients;
            let learned = match (planned.way, prepared) {
                (Way::StoredGradients | Way::RecomputedGradients, Some(prepared)) => {
                    Some(prepared.learn(&design, y, (lenient, stored), run)?)
                }
                _ => None,
            };
            (planned, learned)
        };
        let exact = match (planned.way, learned) {
            (_, Some(found)) => {
                Some((design.into_model(found.alpha.as_ref(), found.intercepts)?, found.report))
            }
            (Way::Cholesky, None) => Some(kernel::factorise(design, task.lambda, y, lenient)?),
            (_, None) => None,
        };
        Ok((planned, exact))
    }

    /// The factor for a preconditioner, if conjugate gradients come into question.
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
        let wanted = match self.way {
            Some(way) => matches!(way, Way::StoredGradients | Way::RecomputedGradients),
            None => {
                let sizes = self.without_factor(design, task, means);
                let seconds = sizes.nominal_seconds(&means.budget);
                let bearable = means.limit.is_none_or(|limit| seconds <= limit.as_secs_f64());
                bearable && !is_few(design, task, means)
            }
        };
        let prepare = || conjugate_gradients::planned(design, task.lambda, outputs, means);
        wanted.then(prepare).transpose()
    }

    /// The sizes of the problem where no factor is made: of few points because they are factorised, of too many because
    /// even one iteration takes too long.
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
        let sizes = conjugate_gradients::task(design, task.targets.ncols());
        if is_few(design, task, means) { sizes } else { sizes.gradients(0, 1.0) }
    }

    /// The way to take, of those of a task and of landmarks and features beside them.
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
        Planned::of(&plan, self.way, Way::Landmarks, landmarks)
    }
}

/// Tells whether there are so few points that they are factorised whatever a plan would say.
fn is_few<P: Points, K: Mercer<P>>(
    design: &Design<'_, P, K>,
    task: &Task<'_, P>,
    means: &Means<'_>,
) -> bool {
    let direct = conjugate_gradients::is_direct(design, task.targets.ncols(), &means.budget);
    direct && conjugate_gradients::is_small(design)
}
