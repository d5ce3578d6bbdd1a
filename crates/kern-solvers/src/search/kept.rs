//! Models of folds that a search keeps, for the case that it ends before its last fit.

use std::collections::BTreeMap;
use std::time::Duration;

/// The reason for which a search ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Its observer asked for it.
    Observer,
    /// Its time is over.
    Deadline,
}

/// A model of a fold.
pub(super) struct Kept<M> {
    pub(super) model: M,
    /// The number of points that it was learned from.
    pub(super) points: usize,
    /// The time of its fit and its score.
    pub(super) took: Duration,
}

/// A model of each candidate that is not yet behind another one.
pub(super) struct Shelf<M> {
    models: BTreeMap<usize, Kept<M>>,
    /// The number of all points.
    points: usize,
}

impl<M> Shelf<M> {
    pub(super) const fn new(points: usize) -> Self {
        Self { models: BTreeMap::new(), points }
    }

    /// Keeps the model of a candidate, unless there is one already. The longest time of its fits counts.
    pub(super) fn add(&mut self, place: usize, kept: Kept<M>) {
        let took = kept.took;
        let first = self.models.entry(place).or_insert(kept);
        first.took = first.took.max(took);
    }

    pub(super) fn take(&mut self, place: usize) -> Option<Kept<M>> {
        self.models.remove(&place)
    }

    /// The predicted time of a fit of this candidate on all points.
    pub(super) fn refit(&self, place: usize) -> Duration {
        self.models.get(&place).map_or(Duration::ZERO, |kept| kept.refit(self.points))
    }
}

impl<M> Kept<M> {
    /// The predicted time of the same fit on this many points: most solvers take time that grows with their square.
    pub(super) fn refit(&self, points: usize) -> Duration {
        let growth = points as f64 / self.points.max(1) as f64;
        self.took.mul_f64((growth * growth).min(1e6))
    }
}
