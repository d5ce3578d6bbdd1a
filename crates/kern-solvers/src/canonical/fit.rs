//! Fits of canonical correlations.

use super::views::{Directions, correlate};
use super::{CanonicalCorrelations, KernelCca};
use crate::model::{FeatureExpansion, KernelExpansion};
use crate::space::{OnFeatures, OnLandmarks};
use crate::{Error, Run};
use kern_approx::NystromMap;
use kern_core::{FeatureMap, Mercer, Points, Positive};
use kern_gram::MemoryBudget;
use kern_gram::numerics::arithmetic::converted;

/// Correlations with functions on landmarks.
type OfLandmarks<P, K, Q, L> = CanonicalCorrelations<KernelExpansion<P, K>, KernelExpansion<Q, L>>;
/// Correlations with functions of features.
type OfFeatures<P, M, Q, N> = CanonicalCorrelations<
    FeatureExpansion<M, <P as Points>::Scalar>,
    FeatureExpansion<N, <Q as Points>::Scalar>,
>;

impl<S, R> KernelCca<S, R> {
    fn check(&self, n: usize, given: usize) -> Result<(), Error> {
        Positive::new("penalty", self.penalty)?;
        if self.count == 0 {
            return Err(Error::Count { name: "functions", given: 0, allowed: "at least 1" });
        }
        match (n, given) {
            (0, 0) => Err(Error::Empty),
            _ if n == given => Ok(()),
            _ => Err(Error::Length { what: "points of the second view", expected: n, given }),
        }
    }

    fn check_dims(&self, dims: [usize; 2]) -> Result<(), Error> {
        let most = dims[0].min(dims[1]);
        match self.count <= most {
            true => Ok(()),
            false => {
                let allowed = "at most the number of features of either view";
                Err(Error::Count { name: "functions", given: self.count, allowed })
            }
        }
    }
}

impl<K, L> KernelCca<OnLandmarks<K>, OnLandmarks<L>> {
    /// The correlations of pairs, in a run of defaults.
    ///
    /// # Errors
    /// As [`learn`](KernelCca::learn).
    pub fn fit<P: Points, Q: Points>(&self, x: &P, y: &Q) -> Result<OfLandmarks<P, K, Q, L>, Error>
    where
        K: Mercer<P> + Clone,
        L: Mercer<Q> + Clone,
    {
        self.learn((x, y), None, &Run::new())
    }

    /// The correlations of pairs with weights, unless all are 1, within the memory of a run.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::Length`] unless there are as many y as x, and weights; [`Error::Weight`]; [`Error::Count`] for more
    /// functions than landmarks, or none; [`Error::Core`] for a penalty that is not positive, or if a kernel refuses its points;
    /// [`Error::Gram`] beyond the memory, or for values that are not finite; [`Error::Approx`] as the landmarks;
    /// [`Error::Unsupported`] for a view that does not vary.
    pub fn learn<P: Points, Q: Points>(
        &self,
        (x, y): (&P, &Q),
        weights: Option<&[f64]>,
        run: &Run<'_>,
    ) -> Result<OfLandmarks<P, K, Q, L>, Error>
    where
        K: Mercer<P> + Clone,
        L: Mercer<Q> + Clone,
    {
        self.check(x.len(), y.len())?;
        let budget = run.budget();
        let first = self.spaces.0.features(x, &budget)?;
        let second = self.spaces.1.features(y, &budget)?;
        let kept = [FeatureMap::<P>::dim(&first), FeatureMap::<Q>::dim(&second)];
        self.check_dims(kept)?;
        let roots = kept.map(|dim| kern_gram::matrix_bytes::<f64>(dim, dim));
        let rest = budget.as_bytes().saturating_sub(roots[0].saturating_add(roots[1]));
        let settings = (self.count, self.penalty);
        let rest = MemoryBudget::bytes(rest);
        let found = correlate((&first, x), (&second, y), weights, settings, &rest)?;
        let (correlations, of_first, of_second) = found;
        let functions = (expansion(&first, &of_first)?, expansion(&second, &of_second)?);
        Ok(CanonicalCorrelations::new(correlations, functions))
    }
}

impl<M, N> KernelCca<OnFeatures<M>, OnFeatures<N>> {
    /// The correlations of pairs, in a run of defaults.
    ///
    /// # Errors
    /// As [`learn`](KernelCca::learn).
    pub fn fit<P: Points, Q: Points>(&self, x: &P, y: &Q) -> Result<OfFeatures<P, M, Q, N>, Error>
    where
        M: FeatureMap<P> + Clone,
        N: FeatureMap<Q> + Clone,
    {
        self.learn((x, y), None, &Run::new())
    }

    /// The correlations of pairs with weights, unless all are 1, within the memory of a run.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::Length`] unless there are as many y as x, and weights; [`Error::Weight`]; [`Error::Count`] for more
    /// functions than features, or none; [`Error::Core`] for a penalty that is not positive, if a map refuses its points, or for features
    /// that are not finite; [`Error::Gram`] beyond the memory; [`Error::Unsupported`] for a view that does not vary.
    pub fn learn<P: Points, Q: Points>(
        &self,
        (x, y): (&P, &Q),
        weights: Option<&[f64]>,
        run: &Run<'_>,
    ) -> Result<OfFeatures<P, M, Q, N>, Error>
    where
        M: FeatureMap<P> + Clone,
        N: FeatureMap<Q> + Clone,
    {
        self.check(x.len(), y.len())?;
        let (first, second) = (&self.spaces.0.map, &self.spaces.1.map);
        self.check_dims([first.dim(), second.dim()])?;
        let settings = (self.count, self.penalty);
        let found = correlate((first, x), (second, y), weights, settings, &run.budget())?;
        let (correlations, of_first, of_second) = found;
        let functions = (
            FeatureExpansion::new(first.clone(), converted(of_first.weights.as_ref())?)
                .with_intercepts(of_first.intercepts()),
            FeatureExpansion::new(second.clone(), converted(of_second.weights.as_ref())?)
                .with_intercepts(of_second.intercepts()),
        );
        Ok(CanonicalCorrelations::new(correlations, functions))
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
