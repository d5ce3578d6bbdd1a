//! Fits of principal components: the same in every space.

use super::params::Settings;
use super::{Components, KernelPca};
use crate::estimator::check;
use crate::space::Space;
use crate::{Data, Error, Learner, Run, Targets};
use kern_core::Points;

/// A space in which principal components are found. Sealed: its methods take types that cannot be named outside.
pub trait ComponentSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<Self::Function>, Error>;
}

/// Weighted points, and how many components are looked for.
#[derive(Debug)]
pub struct Task<'t, P> {
    pub(super) settings: &'t Settings,
    pub(super) points: &'t P,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// Targets are not looked at.
///
/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, points that the kernel or the map refuses, or a kernel matrix with
/// negative eigenvalues that rounding does not explain;
/// [`Error::Count`] for more components than points or features; [`Error::Empty`]; [`Error::Gram`] beyond the memory of the run or for
/// values that are not finite; [`Error::Unsupported`] for points of which all have the same image; [`Error::NoEigenvalues`].
impl<P: Points, Y: Targets, S: ComponentSpace<P>> Learner<P, Y> for KernelPca<S> {
    type Model = Components<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (settings, weights) = (&self.settings, data.sample_weights());
        let model =
            self.space.components(&Task { settings, points: data.points(), weights }, run)?;
        model.report().check()?;
        Ok(model)
    }
}

/// The number of eigenvalues that are more than rounding.
///
/// # Errors
/// [`Error::Unsupported`] if none is.
pub(super) fn significant(values: &[f64], rounding: f64) -> Result<usize, Error> {
    let greatest = values.first().copied().unwrap_or(0.0);
    let count = values.iter().take_while(|&&v| v > 0.0 && v > rounding * greatest).count();
    match count {
        0 => Err(Error::Unsupported {
            what: "principal components of points that all have the same image",
            instead: "give points that differ",
        }),
        count => Ok(count),
    }
}
