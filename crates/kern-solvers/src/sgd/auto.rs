//! SGD in whichever space is planned.

use super::descent::Descent;
use super::fit::SgdSpace;
use super::params::Storage;
use super::{Sgd, SgdTask};
use crate::model::EitherFunction;
use crate::plan::{Machine, Open, Plan, Precision, Terms, Way};
use crate::space::{Auto, Features, OnFeatures, OnKernel, OnLandmarks};
use crate::{Data, Details, Error, Planned, Report, Run, Targets};
use kern_approx::{Nystrom, Selection};
use kern_core::{FeatureMap, Mercer, Points, Scalar};

impl<K, M> Sgd<Auto<K, M>> {
    /// The plan that a fit on these points with so many outputs follows: counted work on
    /// [`Machine::NOMINAL`]. [`SgdTask::plan`] says what it takes on this machine.
    ///
    /// # Errors
    /// For a bad parameter.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Explicit, Samples, kernels::Polynomial};
    /// use kern_solvers::{Data, Details, Run, plan::Way, sgd::Sgd, space::{Auto, Features}};
    /// let rows: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i % 8), f64::from(i % 5)]).collect();
    /// let (x, y) = (Samples::from_rows(&rows)?, rows.iter().map(|x| x[0] > x[1]).collect::<Vec<_>>());
    /// let kernel = Polynomial::new(0.1, 1.0, 2)?;
    /// let space = Auto::new(kernel).features(Features::Exact(kernel.feature_map(&x)?));
    /// let sgd = Sgd::on(space.clone());
    /// let plan = sgd.plan(&Data::unlabelled(&x)?, 1, &Run::new())?;
    /// println!("{plan}"); // seconds and bytes of each way, and the reason
    /// let model = sgd.fit(&x, &y)?;
    /// let Details::Planned(planned) = &model.report().details else { unreachable!() };
    /// assert_eq!(Some(planned.way), plan.recommended());
    /// let other = Sgd::on(space.way(Way::GramCached)).fit(&x, &y)?;
    /// let difference = model.decision_values(&x)? - other.decision_values(&x)?;
    /// assert!(difference.norm_max() < 1e-8); // exact ways give one model
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn plan<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        outputs: usize,
        run: &Run<'_>,
    ) -> Result<Plan, Error>
    where
        P: Points,
        Y: Targets,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        self.rules.check()?;
        let samples = self.rules.steps(data.len()).saturating_mul(self.rules.batch);
        let task = SgdTask::new(data.len(), 1, samples).outputs(outputs);
        Ok(self.space.plan::<P>(task.precision(Precision::of::<P::Scalar>()), run)?.0)
    }
}

impl<K, M> Auto<K, M> {
    /// The plan, and the number of landmarks in it.
    fn plan<P>(&self, task: SgdTask, run: &Run<'_>) -> Result<(Plan, usize), Error>
    where
        P: Points,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        let task = match &self.features {
            Some(Features::Exact(map)) => task.exact_features(map.dim().max(1)),
            Some(Features::Approximate(map)) => task.approximate_features(map.dim().max(1)),
            None => task,
        };
        let (budget, limit) = (run.budget(), run.predicted_limit());
        let limit = limit.map(|limit| limit.as_secs_f64());
        let terms = Terms { budget: &budget, limit, open: Open::Resort };
        let within = |count| task.landmarks(count).fits(Way::Landmarks, &terms);
        let landmarks = self.count(task.points(), within);
        let plan = task.landmarks(landmarks).plan_within(&terms, &Machine::NOMINAL)?;
        Ok((plan, landmarks))
    }

    /// The way to take, with what is to be told of it. Where nothing is within the limits it is that without storage,
    /// which needs least.
    fn choose<P>(&self, descent: &Descent<'_, P::Scalar>, run: &Run<'_>) -> Result<Planned, Error>
    where
        P: Points,
        K: Mercer<P>,
        M: FeatureMap<P>,
    {
        if self.way.is_none() && descent.schedule.is_adaptive() {
            return Err(Error::AdaptiveKernel);
        }
        let (plan, landmarks) = self.plan::<P>(descent.task(), run)?;
        Planned::of(&plan, self.way, Way::KernelOnTheFly, landmarks)
    }
}

impl<T, P, K, M> SgdSpace<P> for Auto<K, M>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Mercer<P> + Clone,
    M: FeatureMap<P> + Clone,
{
    fn descend(
        &self,
        points: &P,
        descent: &Descent<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(EitherFunction<P, K, M>, Report), Error> {
        let planned = self.choose::<P>(descent, run)?;
        let on_the_fly = [Way::FeaturesOnTheFly, Way::KernelOnTheFly, Way::ApproximateOnTheFly];
        let storage =
            if on_the_fly.contains(&planned.way) { Storage::OnTheFly } else { Storage::Cached };
        let descent = descent.stored(storage);
        let run = &mut run.chosen();
        let (function, report) = match (planned.landmarks, planned.way, &self.features) {
            (Some(landmarks), ..) => {
                let nystrom = Nystrom::new(self.kernel.clone()).landmarks(landmarks);
                let nystrom = nystrom.selection(Selection::RandomPivots).seed(descent.seed);
                let space = OnLandmarks::new(nystrom);
                let (function, report) = space.descend(points, &descent, run)?;
                (EitherFunction::Kernel(function), report)
            }
            (None, Way::KernelOnTheFly | Way::GramCached, _) | (None, _, None) => {
                let space = OnKernel::new(self.kernel.clone());
                let (function, report) = space.descend(points, &descent, run)?;
                (EitherFunction::Kernel(function), report)
            }
            (None, _, Some(features)) => {
                let space = OnFeatures::new(features.map().clone());
                let (function, report) = space.descend(points, &descent, run)?;
                (EitherFunction::Features(function), report)
            }
        };
        Ok((function, report.with_details(Details::Planned(planned))))
    }
}
