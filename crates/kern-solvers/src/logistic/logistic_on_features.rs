//! Logistic regression on the features of a map, in the primal.
//!
//! # Definition
//! f(x) = b + wᵀψ(x) minimises J = (1/n) Σᵢ βᵢ ln(1 + exp(−yᵢf(xᵢ))) + (λ/2)‖w‖². For features that
//! reproduce a kernel this is the problem on the kernel with the same λ. More than two classes are
//! learned each against the rest, one after the other.
//!
//! # Method and certificate
//! With gᵢ = −βᵢyᵢσ(−yᵢfᵢ), hᵢ = βᵢσ(fᵢ)σ(−fᵢ), ρ = Σg, s = Σh and r̃ = Zg − (ρ/s)Zh + nλw,
//! Newton's step is
//!
//! (Z diag(h) Zᵀ − (Zh)(Zh)ᵀ/s + nλI) d = −r̃, δ = −(ρ + (Zh)ᵀd)/s.
//!
//! Without an intercept, the terms in s are dropped and δ = 0. J exceeds its minimum by at most
//!
//! ρ²/(ns) + ‖r̃‖²/(2n²λ) if |ρ| ≤ s, and by at most J,
//!
//! the bound on the duality gap of [`logistic`](super). All of this is computed from
//! [`LogisticStatistics`], with one pass over the points for each step.

use super::logistic_regression::{Labelled, LogisticSpace, one_by_one};
use super::primal_newton::{Place, Primal, PrimalNewton};
use crate::model::FeatureExpansion;
use crate::space::OnFeatures;
use crate::{Error, Report, Run};
use faer::Mat;
use kern_approx::statistics::{Fingerprint, LogisticStatistics, Moments, Observed};
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

/// Values per point besides its features: its sign, weight, value and derivatives.
const NUMBERS: usize = 8;

impl<P: Points, M: FeatureMap<P> + Clone> LogisticSpace<P> for OnFeatures<M> {
    fn classify(
        &self,
        labelled: &Labelled<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(FeatureExpansion<M, P::Scalar>, Report), Error> {
        let Labelled { goal, points, .. } = *labelled;
        self.map.check(points)?;
        let (dim, outputs, budget) = (self.map.dim(), labelled.outputs(), run.budget());
        let bytes = LogisticStatistics::streaming_bytes::<P::Scalar>(dim, points.len());
        budget.require("a Hessian matrix and a panel of features", bytes, "use fewer features")?;
        let (places, report) = one_by_one(outputs, goal, run, |output, goal, run| {
            let (map, budget) = (&self.map, &budget);
            let streamed = Streamed { map, labelled, signs: labelled.signs(output)?, budget };
            PrimalNewton { problem: &streamed, goal, first_lambda: goal.lambda }.minimise(dim, run)
        })?;
        let mut w = zeros(dim, outputs)?;
        for (k, place) in places.iter().enumerate() {
            let pairs = w.col_as_slice_mut(k).iter_mut().zip(&place.w);
            pairs.for_each(|(to, &from)| *to = P::Scalar::from_f64(from));
        }
        let intercepts = places.iter().map(|place| P::Scalar::from_f64(place.b)).collect();
        Ok((FeatureExpansion::new(self.map.clone(), w).with_intercepts(intercepts), report))
    }
}

/// A class against the rest, its features computed in every pass.
struct Streamed<'s, P: Points, M> {
    map: &'s M,
    labelled: &'s Labelled<'s, P>,
    signs: Mat<P::Scalar>,
    budget: &'s MemoryBudget,
}

impl<P: Points, M: FeatureMap<P>> Primal for Streamed<'_, P, M> {
    type Sums = LogisticStatistics;

    fn round(&self, at: &mut Place) {
        at.w.iter_mut().chain([&mut at.b]).for_each(|v| *v = P::Scalar::from_f64(*v).to_f64());
    }

    fn evaluate(&self, at: &Place) -> Result<LogisticStatistics, Error> {
        let observed = Observed::weighted(self.signs.as_ref(), self.labelled.weights);
        let n = self.labelled.points.len();
        let own = LogisticStatistics::bytes(at.w.len());
        let smallest = LogisticStatistics::streaming_bytes::<P::Scalar>(at.w.len(), n) - own;
        let rest = self.budget.as_bytes() - own;
        let rest = rest.saturating_sub(matrix_bytes::<f64>(n, NUMBERS)).max(smallest);
        let mut sums = LogisticStatistics::new(&at.w, at.b, Fingerprint::new(0), self.budget)?;
        sums.absorb(self.map, self.labelled.points, &observed, &MemoryBudget::bytes(rest))?;
        Ok(sums)
    }

    fn moments<'s>(&self, sums: &'s LogisticStatistics) -> Moments<'s> {
        sums.summary(self.labelled.options.intercept)
    }

    fn step(
        &self,
        at: &Place,
        sums: &mut LogisticStatistics,
        lambda: f64,
        _: f64,
    ) -> Result<Place, Error> {
        let hessian = sums.take_hessian()?;
        let (w, b) = self.moments(sums).newton_step(hessian, &at.w, lambda)?;
        Ok(Place { w, b })
    }
}
