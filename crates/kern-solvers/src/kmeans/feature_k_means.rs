//! k-means on the features of a map, Nyström features included: the best of the runs.

use super::centred_features::{CentredFeatures, stored_bytes};
use super::hamerly::ByFeatures;
use super::k_means::{Gathered, KMeansSpace, Rules};
use super::lloyd::{self, ITERATIONS};
use super::plus_plus;
use super::restarts::{Runs, Watch, best_run};
use super::soft_k_means::{self, Softness};
use crate::model::{CentredMap, Centres, Clusters, FeatureExpansion, SoftClusters};
use crate::plan::{Algorithm, Limits};
use crate::sgd::check_features;
use crate::space::{OnFeatures, OnLandmarks};
use crate::{Error, Run};
use kern_approx::NystromMap;
use kern_core::{FeatureMap, Mercer, Points};
use kern_gram::{MemoryBudget, matrix_bytes};

/// Inner products with centres, which are relative to the mean of the features.
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

impl<P: Points, K: Mercer<P> + Clone> KMeansSpace<P> for OnLandmarks<K> {
    type Function = Function<NystromMap<P, K>, P::Scalar>;

    fn divide(
        &self,
        given: &Gathered<'_, P>,
        rules: &Rules,
        run: &mut Run<'_>,
    ) -> Result<Clusters<Self::Function>, Error> {
        let (map, left) = self.map(given, run)?;
        divide(map, given, rules, &mut run.part(left))
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
    /// The Nyström map with landmarks among the given points, and the memory that is left.
    fn map<P: Points>(
        &self,
        given: &Gathered<'_, P>,
        run: &Run<'_>,
    ) -> Result<(NystromMap<P, K>, MemoryBudget), Error>
    where
        K: Mercer<P> + Clone,
    {
        let map = self.features(given.points, Some(&given.weights), run)?;
        let root = matrix_bytes::<P::Scalar>(map.landmarks().len(), map.rank());
        let kept = root.saturating_add(map.landmarks().bytes());
        Ok((map, MemoryBudget::bytes(run.budget().as_bytes().saturating_sub(kept))))
    }
}

/// Clusters the points by the features of a map.
fn divide<P: Points, M: FeatureMap<P>>(
    map: M,
    given: &Gathered<'_, P>,
    rules: &Rules,
    run: &mut Run<'_>,
) -> Result<Clusters<Function<M, P::Scalar>>, Error> {
    let Gathered { points, weights, runs } = given;
    let budget = run.budget();
    let needed = stored_bytes::<P::Scalar>(map.dim(), points.len(), runs.clusters);
    let stored = budget.fits(needed);
    check_time_on_features((run.predicted_limit(), &budget), &map, *points, runs, stored)?;
    let watch = &Watch::new(run, runs.most());
    let features = CentredFeatures::new(&map, *points, weights, runs.clusters, &budget)?;
    let run = |number| {
        let start = plus_plus::start(&features, runs, number)?;
        let clusters = ByFeatures::new(&features, runs.clusters, start.labels, rules.bounds)?;
        let ended = lloyd::run(clusters, number, start.seeds, runs.max_iterations, watch)?;
        Ok(ended.map(|clusters| (clusters.centres, clusters.labels)))
    };
    let ((centres, labels), report) = best_run(runs.count(), 1, watch, run)?.reported();
    let mean = features.mean;
    let decision = FeatureExpansion::new(CentredMap::new(map, mean), centres.values);
    let centres = Centres { decision, masses: centres.masses, norms: centres.norms };
    let labels = labels.into_iter().map(|label| label as usize).collect();
    Ok(Clusters::new(centres, labels, report))
}

/// An error if the runs are predicted to exceed the time limit. With `stored` the features are in
/// memory, otherwise they are recomputed in every pass.
pub(super) fn check_time_on_features<P: Points, M: FeatureMap<P>>(
    limits: Limits<'_>,
    map: &M,
    points: &P,
    runs: &Runs,
    stored: bool,
) -> Result<(), Error> {
    let passes = (ITERATIONS as usize).min(runs.max_iterations.saturating_add(1));
    let samples = points.len().saturating_mul(runs.count()).saturating_mul(passes);
    let algorithm = if stored { Algorithm::FeaturesCached } else { Algorithm::FeaturesOnTheFly };
    check_features(map, points, samples, runs.clusters, algorithm, limits)
}
