//! k-means on landmarks: by their features.

use super::feature;
use super::fit::{Gathered, KMeansSpace};
use super::params::Rules;
use super::soft_k_means::{self, Softness};
use crate::model::{Clusters, SoftClusters};
use crate::space::OnLandmarks;
use crate::{Error, Run};
use kern_approx::NystromMap;
use kern_core::{Mercer, Points};
use kern_gram::{MemoryBudget, matrix_bytes};

impl<P: Points, K: Mercer<P> + Clone> KMeansSpace<P> for OnLandmarks<K> {
    type Function = feature::Function<NystromMap<P, K>, P::Scalar>;

    fn divide(
        &self,
        given: &Gathered<'_, P>,
        rules: &Rules,
        run: &mut Run<'_>,
    ) -> Result<Clusters<Self::Function>, Error> {
        let (map, left) = self.map(given, run)?;
        feature::divide(map, given, rules, &mut run.part(left))
    }

    fn share(
        &self,
        given: &Gathered<'_, P>,
        softness: Softness,
        run: &mut Run<'_>,
    ) -> Result<SoftClusters<Self::Function>, Error> {
        let (map, left) = self.map(given, run)?;
        soft_k_means::on_features(map, given, softness, &mut run.part(left))
    }
}

impl<K> OnLandmarks<K> {
    /// The features of landmarks among the given points, and the memory that they leave.
    fn map<P: Points>(
        &self,
        given: &Gathered<'_, P>,
        run: &Run<'_>,
    ) -> Result<(NystromMap<P, K>, MemoryBudget), Error>
    where
        K: Mercer<P> + Clone,
    {
        let map = self.features((given.points, Some(&given.weights)), run)?;
        let root = matrix_bytes::<P::Scalar>(map.landmarks().len(), map.rank());
        let kept = root.saturating_add(map.landmarks().bytes());
        Ok((map, MemoryBudget::bytes(run.budget().as_bytes().saturating_sub(kept))))
    }
}
