//! Fits of mixtures.

use super::params::Settings;
use super::{RegressorMixture, RidgeMixture};
use crate::space::Space;
use crate::{Data, Error, Learner, Run, Values};
use kern_core::Points;

/// A space in which mixtures of ridge regressors are found. Sealed: its method takes types that cannot be named outside.
pub trait RidgeMixtureSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn mix(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<RegressorMixture<Self::Function>, Error>;
}

/// Points, what is known of them, and how they are to be mixed.
#[derive(Clone, Copy, Debug)]
pub struct Task<'t, P: Points> {
    pub(super) settings: &'t Settings,
    pub(super) points: &'t P,
    pub(super) targets: &'t [P::Scalar],
    /// w, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, points that the kernel refuses, or a component that is not there
/// to start in; [`Error::Count`] for no components or more than points; [`Error::Length`] for another number of components to start
/// in than points; [`Error::Empty`]; [`Error::Range`] for targets whose squares overflow; [`Error::Gram`] beyond the memory of the
/// run, for values that are not finite or a kernel matrix that is not positive semi-definite; [`Error::TooLong`].
impl<P, S> Learner<P, Values<P::Scalar>> for RidgeMixture<S>
where
    P: Points,
    S: RidgeMixtureSpace<P>,
{
    type Model = RegressorMixture<S::Function>;

    fn learn(
        &self,
        data: &Data<'_, P, Values<P::Scalar>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let (points, targets) = (data.points(), data.targets().as_slice());
        let (settings, weights) = (&self.settings, data.sample_weights());
        settings.check(points.len())?;
        let model = self.space.mix(&Task { settings, points, targets, weights }, run)?;
        model.report().check()?;
        Ok(model)
    }
}
