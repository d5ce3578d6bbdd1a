//! Fits of recursive feature machines.

use super::rounds::Problem;
use super::{FeatureMachine, MetricExpansion, tree};
use crate::labels::Encoded;
use crate::model::{Classifier, Regression, Vote, learned};
use crate::space::OnKernel;
use crate::{Data, Error, Label, Labels, Learner, Report, Run, Targets};
use faer::{Mat, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::zeros;

impl<K> FeatureMachine<OnKernel<K>> {
    fn regress<T, Y>(
        &self,
        data: &Data<'_, Samples<T>, Y>,
        (targets, weights): (MatRef<'_, T>, Option<&[f64]>),
        run: &mut Run<'_>,
    ) -> Result<(MetricExpansion<T, K>, Report), Error>
    where
        T: Scalar,
        Y: Targets,
        K: Mercer<Samples<T>> + PointGradient<T> + Clone,
    {
        self.settings.check()?;
        self.space.kernel.check(data.points())?;
        let (kernel, settings, points) = (&self.space.kernel, &self.settings, data.points());
        let n = points.len();
        let used: Vec<usize> = match weights {
            Some(weights) => (0..n).filter(|&i| weights[i] > 0.0).collect(),
            None => Vec::new(),
        };
        if weights.is_none() || used.len() == n {
            let problem = Problem { kernel, settings, points, targets, weights, share: 1.0 };
            return tree::learn(&problem, run);
        }
        let part = points.select(&used)?;
        let mut known: Mat<T> = zeros(used.len(), targets.ncols())?;
        known.row_iter_mut().zip(&used).for_each(|(mut to, &i)| to.copy_from(targets.row(i)));
        let weights: Option<Vec<f64>> =
            weights.map(|weights| used.iter().map(|&i| weights[i]).collect());
        let share = n as f64 / used.len() as f64;
        let (points, targets, weights) = (&part, known.as_ref(), weights.as_deref());
        tree::learn(&Problem { kernel, settings, points, targets, weights, share }, run)
    }
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain; [`Error::Gram`] beyond the memory of the run;
/// [`Error::NotPositiveDefinite`] if no λ leaves a positive definite matrix; [`Error::NothingLeft`] for one point with an
/// intercept; [`Error::Range`] for numbers so large that distances or gradients are none.
impl<T, K, Y> Learner<Samples<T>, Y> for FeatureMachine<OnKernel<K>>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
    Y: Regression<Scalar = T>,
{
    type Model = Y::Model<MetricExpansion<T, K>>;

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

impl<T, K, L> Learner<Samples<T>, Labels<L>> for FeatureMachine<OnKernel<K>>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
    L: Label,
{
    type Model = Classifier<MetricExpansion<T, K>, L>;

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
