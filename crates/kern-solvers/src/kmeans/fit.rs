//! Fits of k-means: the same in every space.

use super::KMeans;
use super::params::{Rules, Runs};
use super::soft_k_means::Softness;
use crate::estimator::check;
use crate::model::{Clusters, Geometry, SoftClusters};
use crate::{Data, Error, Learner, Run};
use kern_core::Points;

/// A space in which points are clustered. Sealed: its methods take types that cannot be named outside.
pub trait KMeansSpace<P: Points>: Clone + Send + Sync {
    /// The inner products with the centres.
    type Function: Geometry<P>;

    #[doc(hidden)]
    fn divide(
        &self,
        given: &Gathered<'_, P>,
        rules: &Rules,
        run: &mut Run<'_>,
    ) -> Result<Clusters<Self::Function>, Error>;

    #[doc(hidden)]
    fn share(
        &self,
        given: &Gathered<'_, P>,
        softness: Softness,
        run: &mut Run<'_>,
    ) -> Result<SoftClusters<Self::Function>, Error>;
}

/// Points that are to be clustered, and how often.
#[derive(Debug)]
pub struct Gathered<'g, P> {
    pub(super) points: &'g P,
    pub(super) weights: Vec<f64>,
    pub(super) runs: &'g Runs,
}

impl<'g, P: Points> Gathered<'g, P> {
    pub(super) fn new(data: &'g Data<'_, P>, runs: &'g Runs) -> Result<Self, Error> {
        runs.check(data.len())?;
        let weights = (0..data.len()).map(|i| data.weight(i)).collect();
        Ok(Self { points: data.points(), weights, runs })
    }
}

/// # Errors
/// [`Error::Count`] for k = 0 or k > n, no restarts, and batches, patience or truncation of 0; [`Error::Core`] for a seed or a
/// label out of bounds, a progress below 0, or points that the kernel or the map refuses; [`Error::Length`] for labels;
/// [`Error::Gram`] if a kernel value is not finite, or the memory of the run is less than n·k doubles and a column on a kernel,
/// k·τ points and a batch by batches, some thirty times k·D doubles and blocks of features on features; [`Error::Approx`]
/// for a map without features.
impl<P: Points, S: KMeansSpace<P>> Learner<P> for KMeans<S> {
    type Model = Clusters<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.rules)?;
        let model = self.space.divide(&Gathered::new(data, &self.runs)?, &self.rules, run)?;
        model.report().check()?;
        Ok(model)
    }
}
