//! Fits of canonical correlations.

use super::covariances::{Correlated, Directions, correlate};
use super::params::Settings;
use super::{CanonicalCorrelations, KernelCca, SecondView, Views};
use crate::estimator::check;
use crate::model::{FeatureExpansion, KernelExpansion};
use crate::space::{OnFeatures, OnLandmarks};
use crate::{Data, Error, Learner, Progress, Report, Run, Status};
use kern_approx::NystromMap;
use kern_core::memory::converted;
use kern_core::{FeatureMap, Mercer, Points};
use kern_gram::{MemoryBudget, matrix_bytes};

/// Correlations with functions on landmarks.
type OfLandmarks<P, K, Q, L> = CanonicalCorrelations<KernelExpansion<P, K>, KernelExpansion<Q, L>>;
/// Correlations with functions of features.
type OfFeatures<P, M, Q, N> = CanonicalCorrelations<
    FeatureExpansion<M, <P as Points>::Scalar>,
    FeatureExpansion<N, <Q as Points>::Scalar>,
>;

/// # Errors
/// [`Error::Length`] unless there are as many y as x; [`Error::Count`] for more functions than landmarks; [`Error::Core`] for a
/// hyper-parameter outside of its domain, or if a kernel refuses its points; [`Error::Gram`] beyond the memory, or for values that
/// are not finite; [`Error::Approx`] as the landmarks; [`Error::Unsupported`] for a view that does not vary.
impl<P, Q, K, L> Learner<P, SecondView<'_, Q>> for KernelCca<Views<OnLandmarks<K>, OnLandmarks<L>>>
where
    P: Points,
    Q: Points + Clone,
    K: Mercer<P> + Clone,
    L: Mercer<Q> + Clone,
{
    type Model = OfLandmarks<P, K, Q, L>;

    fn learn(
        &self,
        data: &Data<'_, P, SecondView<'_, Q>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (x, y, budget) = (data.points(), data.targets().points(), run.budget());
        let weights = data.sample_weights();
        let first = self.space.first.features((x, weights), run)?;
        let second = self.space.second.features((y, weights), run)?;
        let kept = [FeatureMap::<P>::dim(&first), FeatureMap::<Q>::dim(&second)];
        let roots = kept.map(|dim| matrix_bytes::<f64>(dim, dim));
        let rest = budget.as_bytes().saturating_sub(roots[0].saturating_add(roots[1]));
        let rest = MemoryBudget::bytes(rest);
        let (found, report) = self.correlate((&first, &second), (x, y), weights, (&rest, run))?;
        let (correlations, of_first, of_second) = found;
        let functions = (expansion(&first, &of_first)?, expansion(&second, &of_second)?);
        Ok(CanonicalCorrelations::new(correlations, functions, report))
    }
}

/// # Errors
/// [`Error::Length`] unless there are as many y as x; [`Error::Count`] for more functions than features; [`Error::Core`] for a
/// hyper-parameter outside of its domain, if a map refuses its points, or for features that are not finite; [`Error::Gram`] beyond
/// the memory; [`Error::Unsupported`] for a view that does not vary.
impl<P, Q, M, N> Learner<P, SecondView<'_, Q>> for KernelCca<Views<OnFeatures<M>, OnFeatures<N>>>
where
    P: Points,
    Q: Points + Clone,
    M: FeatureMap<P> + Clone,
    N: FeatureMap<Q> + Clone,
{
    type Model = OfFeatures<P, M, Q, N>;

    fn learn(
        &self,
        data: &Data<'_, P, SecondView<'_, Q>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (x, y, budget) = (data.points(), data.targets().points(), run.budget());
        let (first, second) = (&self.space.first.map, &self.space.second.map);
        let weights = data.sample_weights();
        let (found, report) = self.correlate((first, second), (x, y), weights, (&budget, run))?;
        let (correlations, of_first, of_second) = found;
        let functions = (
            FeatureExpansion::new(first.clone(), converted(of_first.weights.as_ref())?)
                .with_intercepts(of_first.intercepts()),
            FeatureExpansion::new(second.clone(), converted(of_second.weights.as_ref())?)
                .with_intercepts(of_second.intercepts()),
        );
        Ok(CanonicalCorrelations::new(correlations, functions, report))
    }
}

impl<S> KernelCca<S> {
    /// The correlations with their directions, and a report whose objective is their sum.
    fn correlate<P, Q, M, N>(
        &self,
        (first, second): (&M, &N),
        (x, y): (&P, &Q),
        weights: Option<&[f64]>,
        (budget, run): (&MemoryBudget, &mut Run<'_>),
    ) -> Result<(Correlated, Report), Error>
    where
        P: Points,
        Q: Points,
        M: FeatureMap<P>,
        N: FeatureMap<Q>,
    {
        let Settings { components, penalty } = self.settings;
        let most = first.dim().min(second.dim());
        Error::check_most("the number of functions", components, most)?;
        let settings = (components, penalty);
        let found = correlate((first, x), (second, y), weights, settings, budget)?;
        let loss = found.0.iter().sum();
        let report = Report::new(Status::Converged, 1, loss, None);
        // There is nothing left to stop.
        let _ = run.observe(&Progress { iteration: 1, total: 1, loss });
        Ok((found, report))
    }
}

/// Functions of the features of landmarks, in kernel values.
fn expansion<P: Points, K: Mercer<P> + Clone>(
    map: &NystromMap<P, K>,
    directions: &Directions,
) -> Result<KernelExpansion<P, K>, Error> {
    let function = KernelExpansion::of_landmarks(map, directions.weights.as_ref())?;
    Ok(function.with_intercepts(directions.intercepts()))
}
