//! Clusters by the sums of kernel values.

use super::lloyd::{Clusters, fill_empty, finite};
use super::partition::Partition;
use super::problem::Problem;
use super::sums::{Move, Sums};
use crate::Error;
use crate::tolerance::KMEANS_RENEWAL;
use kern_core::Scalar;

/// The clusters of a run, with their sums.
pub(super) struct State<'a, T: Scalar> {
    problem: &'a Problem<'a, T>,
    trace: f64,
    sums: Sums,
    pub(super) partition: Partition,
    objective: f64,
    /// Iterations since the sums were computed afresh.
    age: usize,
    /// Distances that were computed.
    pub(super) distances: u64,
}

impl<'a, T: Scalar> State<'a, T> {
    pub(super) fn new(problem: &'a Problem<'a, T>, labels: Vec<u32>) -> Result<Self, Error> {
        let (n, k) = (problem.size(), problem.k);
        let partition = Partition { labels: Vec::new(), masses: Vec::new(), norms: Vec::new() };
        let (sums, trace) = (Sums::zeros(n, k)?, problem.trace());
        let objective = 0.0;
        let mut state = Self { problem, trace, sums, partition, objective, age: 0, distances: 0 };
        state.renew(labels)?;
        Ok(state)
    }

    fn settle(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        let (partition, explained) = Partition::new(labels, self.problem.weights, &self.sums);
        self.partition = partition;
        self.objective = finite(self.trace - explained)?;
        Ok(())
    }
}

impl<T: Scalar> Clusters for State<'_, T> {
    fn weights(&self) -> &[f64] {
        self.problem.weights
    }

    fn labels(&self) -> &[u32] {
        &self.partition.labels
    }

    fn objective(&self) -> f64 {
        self.objective
    }

    fn is_fresh(&self) -> bool {
        self.age == 0
    }

    fn renew(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        self.sums.renew(self.problem.columns, &labels, self.problem.weights)?;
        self.age = 0;
        self.settle(labels)
    }

    fn go_to(&mut self, labels: Vec<u32>, moves: &[Move]) -> Result<(), Error> {
        if 2 * moves.len() >= labels.len() || self.age + 1 >= KMEANS_RENEWAL {
            return self.renew(labels);
        }
        self.sums.update(self.problem.columns, moves, self.problem.weights)?;
        self.age += 1;
        self.settle(labels)
    }

    fn assign(&mut self) -> Result<(Vec<u32>, usize), Error> {
        let problem = self.problem;
        let (mut labels, near) = self.partition.nearest(&self.sums);
        self.distances += (labels.len() as u64).saturating_mul(problem.k as u64);
        let squared = |i: usize| problem.distance(i, problem.diagonal[i] + near[i]);
        let filled = fill_empty(&mut labels, problem.weights, problem.k, squared);
        Ok((labels, filled))
    }

    fn follow(&mut self, labels: Vec<u32>) {
        self.partition.labels = labels;
    }
}
