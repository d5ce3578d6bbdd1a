//! Fitting: the best of the runs.

use super::model::FeatureKMeansModel;
use super::params::FeatureKMeans;
use super::source::Source;
use super::state::State;
use crate::Error;
use crate::kmeans::restarts::best_run;
use crate::kmeans::{KMeansReport, lloyd, seeding};
use kern_core::{FeatureMap, Points};
use kern_gram::parallel;

impl<M> FeatureKMeans<M> {
    /// Finds the clusters of the points.
    ///
    /// # Errors
    /// As [`KernelKMeans::fit`](crate::kmeans::KernelKMeans::fit); [`Error::Approx`] for a map without features;
    /// [`Error::Core`] if a feature is not finite; [`Error::Gram`] if the budget is less than some thirty times k·D
    /// doubles and blocks of features.
    pub fn fit<P: Points>(self, points: &P) -> Result<FeatureKMeansModel<M, P::Scalar>, Error>
    where
        M: FeatureMap<P>,
    {
        let n = points.len();
        self.settings.check(n)?;
        let Self { map, settings, bounds } = self;
        let budget = settings.budget.unwrap_or_default();
        let weights = settings.weights(n);
        let (mean, centres, labels, report) = parallel::in_pool(|| -> Result<_, Error> {
            let source = Source::new(&map, points, &weights, settings.k, &budget)?;
            let run = |number| -> Result<_, Error> {
                let start = seeding::start(&source, &settings, number)?;
                let mut state = State::new(&source, settings.k, start.labels, bounds)?;
                let run = lloyd::run(&mut state, settings.max_iterations)?;
                let report = KMeansReport::new(run, &state, (number, start.seeds), settings.k);
                let report = KMeansReport { distances: state.distances, ..report };
                Ok(((state.centres, state.labels), report))
            };
            let ((centres, labels), report) = best_run(settings.runs(), 1, run)?;
            Ok((source.mean.clone(), centres, labels, report))
        })?;
        FeatureKMeansModel::new(map, (mean, centres), &labels, report)
    }
}
