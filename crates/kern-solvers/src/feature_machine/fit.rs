//! Fits of recursive feature machines.

use super::problem::Problem;
use super::{FeatureMachine, Kernels, MetricExpansion, tree};
use crate::labels::Encoded;
use crate::model::{Classifier, Regression, Vote, learned};
use crate::space::NamedSpace;
use crate::{Data, Error, Label, Labels, Learner, Report, Run, Targets};
use faer::MatRef;
use kern_core::gradient::PointGradient;
use kern_core::{Kernel, Mercer, Points, Samples, Scalar};

impl<S: Kernels> FeatureMachine<S> {
    fn regress<T, Y>(
        &self,
        data: &Data<'_, Samples<T>, Y>,
        (targets, weights): (MatRef<'_, T>, Option<&[f64]>),
        run: &mut Run<'_>,
    ) -> Result<(MetricExpansion<T, S::Kernel>, Report), Error>
    where
        T: Scalar,
        Y: Targets,
        S::Kernel: Mercer<Samples<T>> + PointGradient<T> + Clone,
    {
        self.settings.check()?;
        let (kernels, settings, points) = (self.space.kernels(), &self.settings, data.points());
        let Some(kernel) = kernels.first() else {
            let allowed = "at least 1";
            return Err(Error::Count { name: "the number of kernels", given: 0, allowed });
        };
        kernels.iter().try_for_each(|kernel| kernel.check(points))?;
        let problem = Problem { kernels, kernel, settings, points, targets, weights, share: 1.0 };
        let is_used = |&i: &usize| weights.is_none_or(|weights| weights[i] > 0.0);
        let used: Vec<usize> = (0..points.len()).filter(is_used).collect();
        if used.len() == points.len() {
            return tree::learn(&problem, run);
        }
        let part = problem.part(&used)?;
        let share = points.len() as f64 / used.len() as f64;
        tree::learn(&Problem { share, ..problem.on(&part) }, run)
    }
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain; [`Error::Gram`] beyond the memory of the run;
/// [`Error::NotPositiveDefinite`] if no λ leaves a positive definite matrix; [`Error::NothingLeft`] for one point with an
/// intercept; [`Error::Range`] for numbers so large that distances or gradients are none.
impl<T, S, Y> Learner<Samples<T>, Y> for FeatureMachine<S>
where
    T: Scalar,
    S: NamedSpace + Kernels + Clone + Send + Sync,
    S::Kernel: Mercer<Samples<T>> + PointGradient<T> + Clone,
    Y: Regression<Scalar = T>,
{
    type Model = Y::Model<MetricExpansion<T, S::Kernel>>;

    fn learn(
        &self,
        data: &Data<'_, Samples<T>, Y>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let known = (data.targets().matrix(), data.sample_weights());
        let (function, report) = learned(self.regress(data, known, run)?)?;
        Ok(Y::model(function, report))
    }
}

impl<T, S, L> Learner<Samples<T>, Labels<L>> for FeatureMachine<S>
where
    T: Scalar,
    S: NamedSpace + Kernels + Clone + Send + Sync,
    S::Kernel: Mercer<Samples<T>> + PointGradient<T> + Clone,
    L: Label,
{
    type Model = Classifier<MetricExpansion<T, S::Kernel>, L>;

    fn learn(
        &self,
        data: &Data<'_, Samples<T>, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let labels = Encoded::new(data.targets())?;
        let weights = self.settings.class_weights.combine(&labels, data.sample_weights())?;
        let signs = labels.signs(&run.budget())?;
        let known = (signs.as_ref(), weights.as_deref());
        let (function, report) = learned(self.regress(data, known, run)?)?;
        Ok(Classifier::new(function, (labels.classes, Vote::Greatest), report))
    }
}
