//! Fits of ridge regression: the same in every space.

use super::Ridge;
use super::params::Settings;
use crate::labels::Encoded;
use crate::model::{Classifier, Regression, Vote, learned};
use crate::space::Space;
use crate::{Data, Error, Label, Labels, Learner, Progress, Report, Run, Targets};
use faer::MatRef;
use kern_core::Points;

/// A space in which ridge regression is solved. Sealed: its method takes types that cannot be named outside.
pub trait RidgeSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;
}

/// A regression: points, what is known of them, and how.
#[derive(Debug)]
pub struct Task<'t, P: Points> {
    pub(super) settings: &'t Settings,
    pub(super) lambda: f64,
    pub(super) points: &'t P,
    /// Points × outputs.
    pub(super) targets: MatRef<'t, P::Scalar>,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

impl<S> Ridge<S> {
    fn regress<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        (targets, weights): (MatRef<'_, P::Scalar>, Option<&[f64]>),
        run: &mut Run<'_>,
    ) -> Result<(S::Function, Report), Error>
    where
        P: Points,
        Y: Targets,
        S: RidgeSpace<P>,
    {
        let lambda = self.settings.checked()?;
        let points = data.points();
        let task = Task { settings: &self.settings, lambda, points, targets, weights };
        let (function, report) = self.space.regress(&task, run)?;
        // Direct solvers have nothing to show before, and nothing is left to be stopped.
        let Report { iterations, objective, .. } = report;
        let progress = Progress { iteration: iterations, total: iterations, loss: objective };
        let _ = run.observe(&progress);
        Ok((function, report))
    }
}

/// # Errors
/// [`Error::Core`] for λ ≤ 0, a tolerance ≤ 0 or points that the kernel or the map refuses; [`Error::Count`] for no
/// iterations; [`Error::Gram`] beyond the memory of the run; [`Error::NotPositiveDefinite`] or [`Error::Approx`] for a
/// matrix that is not positive semi-definite.
impl<P, Y, S> Learner<P, Y> for Ridge<S>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    S: RidgeSpace<P>,
{
    type Model = Y::Model<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let known = (data.targets().matrix(), data.sample_weights());
        let (function, report) = learned(self.regress(data, known, run)?)?;
        Ok(Y::model(function, report))
    }
}

impl<P: Points, L: Label, S: RidgeSpace<P>> Learner<P, Labels<L>> for Ridge<S> {
    type Model = Classifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
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
