//! Fits of spectral clusters: the same in every space.

use super::params::Settings;
use super::{SpectralClustering, SpectralClusters};
use crate::estimator::check;
use crate::space::Space;
use crate::{Data, Error, Learner, Run};
use kern_core::Points;

/// A space in which spectral clusters are found. Sealed: its methods take types that cannot be named outside.
pub trait SpectralSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn cut(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<SpectralClusters<Self::Function>, Error>;
}

/// Weighted points, and how many clusters are looked for.
#[derive(Debug)]
pub struct Task<'t, P> {
    pub(super) settings: &'t Settings,
    pub(super) points: &'t P,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, or points that the kernel or the map refuses;
/// [`Error::Count`] for more clusters than points or features; [`Error::Empty`]; [`Error::Gram`] beyond the memory of the run or for
/// values that are not finite; [`Error::TooLong`]; [`Error::Isolated`];
/// [`Error::NoEigenvalues`].
impl<P: Points, S: SpectralSpace<P>> Learner<P> for SpectralClustering<S> {
    type Model = SpectralClusters<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (settings, weights) = (&self.settings, data.sample_weights());
        let model = self.space.cut(&Task { settings, points: data.points(), weights }, run)?;
        model.report().check()?;
        Ok(model)
    }
}

/// Refuses degrees that have no root to divide by; each comes with its point.
pub(super) fn check_degrees(degrees: impl Iterator<Item = (usize, f64)>) -> Result<(), Error> {
    let mut isolated = degrees.filter(|&(_, degree)| degree.is_nan() || degree <= 0.0);
    match isolated.next() {
        None => Ok(()),
        Some((point, _)) => Err(Error::Isolated { point, others: isolated.count() }),
    }
}

/// The number of eigenvalues, the greatest first, that can be divided by.
///
/// # Errors
/// [`Error::Unsupported`] if none can.
pub(super) fn usable(values: &[f64], rounding: f64) -> Result<usize, Error> {
    match values.iter().take_while(|&&value| value > rounding).count() {
        0 => Err(Error::Unsupported {
            what: "spectral clustering with a kernel whose values between points are zero",
            instead: "take a wider kernel",
        }),
        count => Ok(count),
    }
}
