//! The fits of logistic regression on landmarks.

use super::FalkonLogistic;
use super::problem::{OnLandmarks, Shared};
use crate::labels::Encoded;
use crate::landmarks::passes::Passes;
use crate::landmarks::preconditioner::sample;
use crate::landmarks::whitening::Whitening;
use crate::logistic::primal::{Newton, one_by_one};
use crate::model::{Classifier, KernelModel, ProbabilisticClassifier};
use crate::statistics::NormalEquations;
use crate::tolerance::FIRST_LAMBDA;
use crate::{Error, Label, Observer, Progress};
use faer::MatRef;
use kern_approx::NystromMap;
use kern_core::{FeatureMap, Kernel, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};
use std::ops::ControlFlow;

/// Sampled points per feature.
const SAMPLED: usize = 4;

impl<P: Points, K: Kernel<P> + Clone> FalkonLogistic<P, K> {
    /// Learns the classes and their probabilities.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`]; [`Error::Weight`], [`Error::NoWeight`],
    /// [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights; [`Error::Core`] for
    /// λ ≤ 0, a tolerance < 0, or points that the kernel refuses; [`Error::Count`] for no sampled points;
    /// [`Error::Gram`] if a few m × m matrices and 512·m features exceed the budget; [`Error::NotPositiveDefinite`].
    pub fn fit<L: Label>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<ProbabilisticClassifier<KernelModel<P, K>, L>, Error> {
        self.fit_observed(points, labels, &mut |_: &Progress| ControlFlow::Continue(()))
    }

    /// [`fit`](FalkonLogistic::fit), watched by an observer before each Newton step: its loss is J with the penalty of
    /// the step, which falls to λ, so it rises by no more than rounding while one problem is solved.
    ///
    /// # Errors
    /// As [`fit`](FalkonLogistic::fit).
    pub fn fit_observed<L: Label>(
        self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<ProbabilisticClassifier<KernelModel<P, K>, L>, Error> {
        let Self { map, settings, intercept, weights, class_weights, budget, sampled, seed } = self;
        settings.check()?;
        if sampled == Some(0) {
            let (name, allowed) = ("the number of sampled points", "at least 1");
            return Err(Error::Count { name, given: 0, allowed });
        }
        let labels = Encoded::new(points.len(), labels)?;
        let weights = class_weights.combine(&labels, weights)?;
        if let Some(weights) = &weights {
            crate::weights::check_weights(points.len(), weights)?;
        }
        map.check(points)?;
        let (n, dim, budget) = (points.len(), map.dim(), budget.unwrap_or_default());
        let size = sampled.unwrap_or_else(|| dim.saturating_mul(SAMPLED)).min(n);
        let (outputs, link) = labels.binary_problems();
        let (lasting, passing) = bytes(&map, outputs, (n, size));
        let needed = lasting.saturating_add(passing);
        budget.require("logistic regression on landmarks", needed, "use fewer landmarks")?;
        let for_passes = MemoryBudget::bytes(budget.as_bytes() - needed);
        let shared = Shared {
            map: &map,
            points,
            passes: Passes::new(map.kernel(), (map.landmarks(), points), &for_passes)?,
            whitening: Whitening::of(&map)?,
            weights: weights.as_deref(),
            sampled: sample(n, size, seed),
            intercept,
            // Their sums are not part of what gathers them.
            budget: MemoryBudget::bytes(passing - NormalEquations::bytes(dim, 1)),
        };
        let (places, report) = one_by_one(
            |output| {
                let problem = OnLandmarks { shared: &shared, signs: labels.signs_of(output)? };
                let first_lambda = FIRST_LAMBDA;
                Newton { problem: &problem, settings, first_lambda }.minimise(dim, observer)
            },
            outputs,
        )?;
        let mut coefficients = zeros(map.landmarks().len(), outputs)?;
        for (k, place) in places.iter().enumerate() {
            let w = MatRef::from_column_major_slice(&place.w, dim, 1);
            let column = shared.whitening.coefficients::<P::Scalar>(w)?;
            coefficients.col_mut(k).copy_from(column.col(0));
        }
        let model = KernelModel::new(map.kernel().clone(), map.landmarks(), coefficients.as_ref())?;
        let intercepts = places.iter().map(|place| P::Scalar::from_f64(place.b)).collect();
        let decision = model.with_intercepts(intercepts);
        Ok(ProbabilisticClassifier::new(Classifier::new(decision, labels.classes, report), link))
    }
}

/// The memory that lasts as long as the iteration, and what a preconditioner takes while it is made and used.
fn bytes<P: Points, K: Kernel<P>>(
    map: &NystromMap<P, K>,
    outputs: usize,
    (n, size): (usize, usize),
) -> (u64, u64) {
    let (m, dim) = (map.landmarks().len(), map.dim());
    // Those of a group of points in every pass, and of the iteration.
    let vectors = matrix_bytes::<f64>(m, outputs.saturating_add(200));
    let of_points = matrix_bytes::<f64>(n, 6);
    let root = matrix_bytes::<f64>(m, dim);
    let passing = NormalEquations::streaming_bytes::<P::Scalar>(dim, 1, size)
        .saturating_add(NormalEquations::bytes(dim, 1));
    (root.saturating_add(vectors).saturating_add(of_points), passing)
}
