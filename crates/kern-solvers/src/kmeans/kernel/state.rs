//! Clusters by the sums of kernel values.

use super::gram::WeightedGram;
use super::partition::Partition;
use super::sums::Sums;
use crate::Error;
use crate::kmeans::lloyd::{Division, Move, fill_empty, finite};
use crate::tolerance::KMEANS_RENEWAL;
use kern_core::Scalar;

/// The clusters of a run, with their sums.
pub(super) struct BySums<'a, T: Scalar> {
    gram: &'a WeightedGram<'a, T>,
    trace: f64,
    sums: Sums,
    pub(super) partition: Partition,
    objective: f64,
    /// Iterations since the sums were computed afresh.
    age: usize,
    distances: u64,
}

impl<'a, T: Scalar> BySums<'a, T> {
    pub(super) fn new(gram: &'a WeightedGram<'a, T>, labels: Vec<u32>) -> Result<Self, Error> {
        let (n, k) = (gram.size(), gram.k);
        let partition = Partition { labels: Vec::new(), masses: Vec::new(), norms: Vec::new() };
        let (sums, trace) = (Sums::zeros(n, k)?, gram.trace());
        let objective = 0.0;
        let mut state = Self { gram, trace, sums, partition, objective, age: 0, distances: 0 };
        state.renew(labels)?;
        Ok(state)
    }

    fn settle(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        let (partition, explained) = Partition::new(labels, self.gram.weights, &self.sums);
        self.partition = partition;
        self.objective = finite(self.trace - explained)?;
        Ok(())
    }
}

impl<T: Scalar> Division for BySums<'_, T> {
    fn weights(&self) -> &[f64] {
        self.gram.weights
    }

    fn labels(&self) -> &[u32] {
        &self.partition.labels
    }

    fn count(&self) -> usize {
        self.gram.k
    }

    fn distances(&self) -> u64 {
        self.distances
    }

    fn objective(&self) -> f64 {
        self.objective
    }

    fn is_fresh(&self) -> bool {
        self.age == 0
    }

    fn renew(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        self.sums.renew(self.gram.columns, &labels, self.gram.weights)?;
        self.age = 0;
        self.settle(labels)
    }

    fn go_to(&mut self, labels: Vec<u32>, moves: &[Move]) -> Result<(), Error> {
        if 2 * moves.len() >= labels.len() || self.age + 1 >= KMEANS_RENEWAL {
            return self.renew(labels);
        }
        self.sums.update(self.gram.columns, moves, self.gram.weights)?;
        self.age += 1;
        self.settle(labels)
    }

    fn assign(&mut self) -> Result<(Vec<u32>, usize), Error> {
        let gram = self.gram;
        let (mut labels, near) = self.partition.nearest(&self.sums);
        self.distances += (labels.len() as u64).saturating_mul(gram.k as u64);
        let squared = |i: usize| gram.distance(i, gram.diagonal[i] + near[i]);
        let filled = fill_empty(&mut labels, gram.weights, gram.k, squared);
        Ok((labels, filled))
    }

    fn follow(&mut self, labels: Vec<u32>) {
        self.partition.labels = labels;
    }
}
