//! k-means through a feature map: the best of the runs.

mod means;
mod source;
mod state;

pub(super) use source::CentredFeatures;
pub(crate) use source::stored_bytes;

use super::fit::{Gathered, KMeansSpace};
use super::limit::check_time_on_features;
use super::params::Rules;
use super::restarts::best_run;
use super::soft_k_means::{self, Softness};
use super::watch::Watch;
use super::{lloyd, seeding};
use crate::model::{CentredMap, Centres, Clusters, FeatureExpansion, SoftClusters};
use crate::space::OnFeatures;
use crate::{Error, Run};
use kern_core::{FeatureMap, Points};
use state::ByFeatures;

/// The inner products with centres that are relative to the mean of the features.
pub(super) type Function<M, T> = FeatureExpansion<CentredMap<M, T>, T>;

impl<P: Points, M: FeatureMap<P> + Clone> KMeansSpace<P> for OnFeatures<M> {
    type Function = Function<M, P::Scalar>;

    fn divide(
        &self,
        given: &Gathered<'_, P>,
        rules: &Rules,
        run: &mut Run<'_>,
    ) -> Result<Clusters<Self::Function>, Error> {
        divide(self.map.clone(), given, rules, run)
    }

    fn share(
        &self,
        given: &Gathered<'_, P>,
        softness: Softness,
        run: &mut Run<'_>,
    ) -> Result<SoftClusters<Self::Function>, Error> {
        soft_k_means::on_features(self.map.clone(), given, softness, run)
    }
}

/// The clusters by the features of a map.
pub(super) fn divide<P: Points, M: FeatureMap<P>>(
    map: M,
    given: &Gathered<'_, P>,
    rules: &Rules,
    run: &mut Run<'_>,
) -> Result<Clusters<Function<M, P::Scalar>>, Error> {
    let Gathered { points, weights, runs } = given;
    let budget = run.budget();
    let needed = stored_bytes::<P::Scalar>((map.dim(), points.len()), runs.clusters);
    let stored = budget.fits(needed);
    check_time_on_features((run.predicted_limit(), &budget), (&map, *points), (runs, stored))?;
    let watch = &Watch::new(run, runs.most());
    let features = CentredFeatures::new((&map, *points), weights, runs.clusters, &budget)?;
    let run = |number| {
        let start = seeding::start(&features, runs, number)?;
        let clusters = ByFeatures::new(&features, runs.clusters, start.labels, rules.bounds)?;
        let ended = lloyd::run(clusters, (number, start.seeds), runs.max_iterations, watch)?;
        Ok(ended.map(|clusters| (clusters.centres, clusters.labels)))
    };
    let ((centres, labels), report) = best_run((runs.count(), 1), watch, run)?.reported();
    let mean = features.mean;
    let decision = FeatureExpansion::new(CentredMap::new(map, mean), centres.values);
    let centres = Centres { decision, masses: centres.masses, norms: centres.norms };
    let labels = labels.into_iter().map(|label| label as usize).collect();
    Ok(Clusters::new(centres, labels, report))
}
