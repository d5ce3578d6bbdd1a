//! The fits of logistic regression on features.

use super::FeatureLogistic;
use crate::labels::Encoded;
use crate::logistic::primal::{Moments, Newton, Place, Primal, one_by_one};
use crate::model::{Classifier, FeatureModel, ProbabilisticClassifier};
use crate::statistics::{Fingerprint, LogisticStatistics, Observed};
use crate::{Error, Label, Observer, Progress};
use faer::Mat;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, zeros};
use std::ops::ControlFlow;

impl<M> FeatureLogistic<M> {
    /// Learns the classes and their probabilities.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`]; [`Error::Weight`], [`Error::NoWeight`],
    /// [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights; [`Error::Core`] for
    /// λ ≤ 0, a tolerance < 0, points that the map refuses or features that are not finite; [`Error::Count`] for a map
    /// without features; [`Error::Gram`] if D² numbers and a panel of 512·D features exceed the budget;
    /// [`Error::NotPositiveDefinite`].
    pub fn fit<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<ProbabilisticClassifier<FeatureModel<M, P::Scalar>, L>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
        L: Label,
    {
        self.fit_observed(points, labels, &mut |_: &Progress| ControlFlow::Continue(()))
    }

    /// [`fit`](FeatureLogistic::fit), watched by an observer before each Newton step: its loss is J, which rises by
    /// no more than rounding while one problem is solved.
    ///
    /// # Errors
    /// As [`fit`](FeatureLogistic::fit).
    pub fn fit_observed<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<ProbabilisticClassifier<FeatureModel<M, P::Scalar>, L>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
        L: Label,
    {
        let Self { map, settings, intercept, weights, class_weights, budget } = self;
        settings.check()?;
        let labels = Encoded::new(points.len(), labels)?;
        let weights = class_weights.combine(&labels, weights)?;
        if let Some(weights) = &weights {
            crate::weights::check_weights(points.len(), weights)?;
        }
        map.check(points)?;
        let (dim, budget) = (map.dim(), budget.unwrap_or_default());
        let bytes = LogisticStatistics::streaming_bytes::<P::Scalar>(dim, points.len());
        budget.require("a Hessian matrix and a panel of features", bytes, "use fewer features")?;
        let (outputs, link) = labels.binary_problems();
        let (places, report) = one_by_one(
            |output| {
                let signs: Mat<P::Scalar> = labels.signs_of(output)?;
                let problem = Streamed {
                    map: &map,
                    points,
                    signs,
                    weights: weights.as_deref(),
                    intercept,
                    budget: &budget,
                };
                let newton = Newton { problem: &problem, settings, first_lambda: settings.lambda };
                newton.minimise(dim, observer)
            },
            outputs,
        )?;
        let mut w = zeros(dim, outputs)?;
        for (k, place) in places.iter().enumerate() {
            let pairs = w.col_as_slice_mut(k).iter_mut().zip(&place.w);
            pairs.for_each(|(to, &from)| *to = P::Scalar::from_f64(from));
        }
        let intercepts = places.iter().map(|place| P::Scalar::from_f64(place.b)).collect();
        let decision = FeatureModel::new(map, w).with_intercepts(intercepts);
        Ok(ProbabilisticClassifier::new(Classifier::new(decision, labels.classes, report), link))
    }
}

/// A class against the rest, its features computed in every pass.
struct Streamed<'s, P: Points, M> {
    map: &'s M,
    points: &'s P,
    signs: Mat<P::Scalar>,
    weights: Option<&'s [f64]>,
    intercept: bool,
    budget: &'s MemoryBudget,
}

impl<P: Points, M: FeatureMap<P>> Primal for Streamed<'_, P, M> {
    type Sums = LogisticStatistics;

    fn round(&self, at: &mut Place) {
        at.w.iter_mut().chain([&mut at.b]).for_each(|v| *v = P::Scalar::from_f64(*v).to_f64());
    }

    fn evaluate(&self, at: &Place) -> Result<LogisticStatistics, Error> {
        let mut observed = Observed::new(self.signs.as_ref());
        if let Some(weights) = self.weights {
            observed = observed.weights(weights);
        }
        let rest = self.budget.as_bytes() - LogisticStatistics::bytes(at.w.len());
        let mut sums = LogisticStatistics::new(&at.w, at.b, Fingerprint::new(0), self.budget)?;
        sums.absorb(self.map, self.points, &observed, &MemoryBudget::bytes(rest))?;
        Ok(sums)
    }

    fn moments<'s>(&self, sums: &'s LogisticStatistics) -> Moments<'s> {
        sums.summary(self.intercept)
    }

    fn step(
        &self,
        at: &Place,
        sums: &mut LogisticStatistics,
        (lambda, _): (f64, f64),
    ) -> Result<Place, Error> {
        let hessian = sums.take_hessian()?;
        let (w, b) = self.moments(sums).newton_step(hessian, &at.w, lambda)?;
        Ok(Place { w, b })
    }
}
