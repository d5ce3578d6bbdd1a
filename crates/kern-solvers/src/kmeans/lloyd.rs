//! Lloyd's algorithm on a Gram matrix.

use super::partition::Partition;
use super::problem::Problem;
use super::seeding::Start;
use super::sums::{Move, Sums};
use crate::tolerance::KMEANS_RENEWAL;
use crate::{Error, Status};
use kern_core::Scalar;

/// What a run has come to.
pub(super) struct Run {
    pub(super) partition: Partition,
    pub(super) status: Status,
    pub(super) objective: f64,
    pub(super) objectives: Vec<f64>,
    pub(super) moved: Vec<usize>,
    pub(super) reseeded: usize,
    pub(super) seeds: Vec<usize>,
}

/// The clusters of a run, with their sums.
struct State<'a, T: Scalar> {
    problem: &'a Problem<'a, T>,
    trace: f64,
    sums: Sums,
    partition: Partition,
    objective: f64,
    /// Iterations since the sums were computed afresh.
    age: usize,
}

/// Runs Lloyd's algorithm.
pub(super) fn run<T: Scalar>(
    problem: &Problem<'_, T>,
    start: Start,
    max_iterations: usize,
) -> Result<Run, Error> {
    let mut state = State::new(problem, start.labels)?;
    let (mut objectives, mut moved, mut reseeded) = (vec![state.objective], Vec::new(), 0);
    let status = loop {
        let (next, filled) = state.assign();
        let moves = state.moves(&next);
        if moves.is_empty() && state.age == 0 {
            // Points of weight 0 may have followed.
            state.partition.labels = next;
            break Status::Converged;
        }
        if moves.is_empty() {
            let labels = state.partition.labels.clone();
            state.renew(labels)?;
            continue;
        }
        if moved.len() >= max_iterations {
            break Status::IterationsDone;
        }
        let (before, objective) = (state.partition.labels.clone(), state.objective);
        state.go_to(next, &moves)?;
        if state.objective > objective {
            state.renew(before)?;
            break Status::Stalled;
        }
        objectives.push(state.objective);
        moved.push(moves.len());
        reseeded += filled;
    };
    if state.age > 0 {
        let labels = state.partition.labels.clone();
        state.renew(labels)?;
    }
    let State { partition, objective, .. } = state;
    let seeds = start.seeds;
    Ok(Run { partition, status, objective, objectives, moved, reseeded, seeds })
}

impl<'a, T: Scalar> State<'a, T> {
    fn new(problem: &'a Problem<'a, T>, labels: Vec<u32>) -> Result<Self, Error> {
        let (n, k) = (problem.size(), problem.k);
        let partition = Partition { labels: Vec::new(), masses: Vec::new(), norms: Vec::new() };
        let sums = Sums::zeros(n, k)?;
        let trace = problem.trace();
        let mut state = Self { problem, trace, sums, partition, objective: 0.0, age: 0 };
        state.renew(labels)?;
        Ok(state)
    }

    /// These clusters, with sums that are computed afresh.
    fn renew(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        self.sums.renew(self.problem.columns, &labels, self.problem.weights)?;
        self.age = 0;
        self.settle(labels)
    }

    /// These clusters, which differ from the present ones by these moves.
    fn go_to(&mut self, labels: Vec<u32>, moves: &[Move]) -> Result<(), Error> {
        if 2 * moves.len() >= labels.len() || self.age + 1 >= KMEANS_RENEWAL {
            return self.renew(labels);
        }
        self.sums.update(self.problem.columns, moves, self.problem.weights)?;
        self.age += 1;
        self.settle(labels)
    }

    fn settle(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        let (partition, explained) = Partition::new(labels, self.problem.weights, &self.sums);
        self.partition = partition;
        self.objective = self.trace - explained;
        if self.objective.is_finite() {
            return Ok(());
        }
        // Sums have overflowed; a kernel value that is not finite would have been found before.
        let given = self.objective;
        Err(kern_gram::Error::ProductNotFinite { row: 0, col: 0, given }.into())
    }

    /// The nearest centre of each point, and how many empty clusters were given the farthest point.
    fn assign(&self) -> (Vec<u32>, usize) {
        let (mut labels, near) = self.partition.nearest(&self.sums);
        let mut members = vec![0_usize; self.problem.k];
        let weighted = |i: &usize| self.problem.weights[*i] > 0.0;
        let points: Vec<usize> = (0..labels.len()).filter(weighted).collect();
        points.iter().for_each(|&i| members[labels[i] as usize] += 1);
        let mut filled = 0;
        for cluster in 0..members.len() {
            if members[cluster] > 0 {
                continue;
            }
            // A point that is alone in its cluster stays there.
            let distance = |i: usize| match members[labels[i] as usize] {
                0 | 1 => 0.0,
                _ => self.problem.distance(i, self.problem.diagonal[i] + near[i]),
            };
            let farther = |best: (f64, usize), &i: &usize| {
                let distance = distance(i);
                if distance > best.0 { (distance, i) } else { best }
            };
            let (distance, farthest) = points.iter().fold((0.0, 0), farther);
            if distance > 0.0 {
                members[labels[farthest] as usize] -= 1;
                members[cluster] = 1;
                labels[farthest] = cluster as u32;
                filled += 1;
            }
        }
        (labels, filled)
    }

    /// The points of positive weight that change their cluster.
    fn moves(&self, next: &[u32]) -> Vec<Move> {
        let pairs = self.partition.labels.iter().zip(next).enumerate();
        let weighted = pairs.filter(|&(i, (from, to))| from != to && self.problem.weights[i] > 0.0);
        weighted.map(|(point, (&from, &to))| Move { point, from, to }).collect()
    }
}
