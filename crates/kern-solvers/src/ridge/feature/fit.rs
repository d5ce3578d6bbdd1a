//! The fits of ridge regression on features.

use super::FeatureRidge;
use super::certificate::{certify_points, certify_sums};
use super::solution::{Problem, Solution};
use crate::labels::Encoded;
use crate::model::{Classifier, FeatureModel, MultiRegressor, Regressor};
use crate::statistics::{Fingerprint, NormalEquations, Observed};
use crate::{Error, Label, Report};
use faer::MatRef;
use kern_core::{FeatureMap, Points, Positive, Scalar};
use kern_gram::MemoryBudget;

impl<M> FeatureRidge<M> {
    /// Learns a function with one output.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets;
    /// [`Error::Weight`] and [`Error::NoWeight`] for the weights; [`Error::Core`] for λ ≤ 0, points that the map
    /// refuses or features that are not finite; [`Error::Count`] for a map without features; [`Error::Gram`] if D²
    /// numbers and a panel of 512·D features exceed the budget; [`Error::NotPositiveDefinite`].
    pub fn fit<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<Regressor<FeatureModel<M, P::Scalar>>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        let y = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let (model, report) = self.solve(points, y)?;
        Ok(Regressor::new(model, report))
    }

    /// Learns a function with several outputs, from one factorisation. `targets` is
    /// points × outputs.
    ///
    /// # Errors
    /// As [`FeatureRidge::fit`].
    pub fn fit_outputs<P>(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<MultiRegressor<FeatureModel<M, P::Scalar>>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        let (model, report) = self.solve(points, targets)?;
        Ok(MultiRegressor::new(model, report))
    }

    /// Learns a classifier: ±1 targets, each class against the rest, from one factorisation.
    ///
    /// # Errors
    /// As [`FeatureRidge::fit`], and [`Error::OneClass`].
    pub fn fit_classifier<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<Classifier<FeatureModel<M, P::Scalar>, L>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
        L: Label,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let signs = labels.signs(&self.budget.unwrap_or_default())?;
        let (model, report) = self.solve(points, signs.as_ref())?;
        Ok(Classifier::new(model, labels.classes, report))
    }

    /// Learns from sums that were gathered before, with the feature map of this fingerprint. The
    /// certificate is computed from the sums, too.
    ///
    /// # Errors
    /// [`Error::Fingerprint`] if they were gathered with another map; [`Error::Empty`] and
    /// [`Error::NoWeight`] for sums of nothing; [`Error::Core`] for λ ≤ 0; [`Error::Gram`] if another
    /// D² numbers exceed the budget; [`Error::NotPositiveDefinite`].
    pub fn fit_statistics<T: Scalar>(
        self,
        sums: &NormalEquations,
        fingerprint: Fingerprint,
    ) -> Result<MultiRegressor<FeatureModel<M, T>>, Error> {
        let lambda = Positive::new("lambda", self.lambda)?.get();
        sums.check_fingerprint(fingerprint)?;
        if sums.count() == 0 {
            return Err(Error::Empty);
        }
        let points = usize::try_from(sums.count()).unwrap_or(usize::MAX);
        if sums.weight() <= 0.0 {
            return Err(Error::NoWeight { points });
        }
        let bytes = NormalEquations::bytes(sums.dim(), sums.outputs());
        let budget = self.budget.unwrap_or_default();
        budget.require("the factor of normal equations", bytes, "use fewer features")?;
        let problem = Problem { lambda, intercept: self.intercept };
        let solution = Solution::new(&mut sums.clone(), problem)?;
        let report = certify_sums(sums, problem, &solution);
        Ok(MultiRegressor::new(solution.into_model(self.map)?, report))
    }

    fn solve<P>(
        self,
        points: &P,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<(FeatureModel<M, P::Scalar>, Report), Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        let Self { map, lambda, intercept, weights, budget } = self;
        let lambda = Positive::new("lambda", lambda)?.get();
        let problem = Problem { lambda, intercept };
        let mut observed = Observed::new(y);
        if let Some(weights) = &weights {
            observed = observed.weights(weights);
        }
        observed.check_fit(points.len())?;
        let (dim, outputs, budget) = (map.dim(), y.ncols(), budget.unwrap_or_default());
        let needed = NormalEquations::streaming_bytes::<P::Scalar>(dim, outputs, points.len());
        budget.require("normal equations and a panel of features", needed, "use fewer features")?;
        let rest = budget.as_bytes() - NormalEquations::bytes(dim, outputs);
        let rest = MemoryBudget::bytes(rest);
        let solution = {
            let mut sums = NormalEquations::new(dim, outputs, Fingerprint::new(0), &budget)?;
            sums.absorb(&map, points, &observed, &rest)?;
            Solution::new(&mut sums, problem)?
        };
        let model = solution.into_model(map)?;
        let report = certify_points(&model, points, &observed, (problem, &rest))?;
        Ok((model, report))
    }
}
