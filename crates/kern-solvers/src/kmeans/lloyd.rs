//! Lloyd's algorithm, on whatever keeps clusters.

use super::sums::Move;
use crate::{Error, Status};

/// Clusters as they stand, and what is known about them.
pub(super) trait Clusters {
    /// The weights of the points.
    fn weights(&self) -> &[f64];

    /// The cluster of each point.
    fn labels(&self) -> &[u32];

    /// The objective of these clusters with centres of their own.
    fn objective(&self) -> f64;

    /// Whether the sums behind the centres were computed afresh, not brought up to date.
    fn is_fresh(&self) -> bool;

    /// These clusters, with sums that are computed afresh.
    fn renew(&mut self, labels: Vec<u32>) -> Result<(), Error>;

    /// These clusters, which differ from the present ones by these moves.
    fn go_to(&mut self, labels: Vec<u32>, moves: &[Move]) -> Result<(), Error>;

    /// The nearest centre of each point, and how many empty clusters were given the farthest point.
    fn assign(&mut self) -> Result<(Vec<u32>, usize), Error>;

    /// Lets points of weight 0, which the centres do not feel, follow to these clusters.
    fn follow(&mut self, labels: Vec<u32>);
}

/// What a run has come to.
pub(super) struct Run {
    pub(super) status: Status,
    pub(super) objectives: Vec<f64>,
    pub(super) moved: Vec<usize>,
    pub(super) reseeded: usize,
}

/// Runs Lloyd's algorithm from the clusters as they stand, to clusters with fresh sums.
pub(super) fn run(clusters: &mut impl Clusters, max_iterations: usize) -> Result<Run, Error> {
    let (mut objectives, mut moved, mut reseeded) = (vec![clusters.objective()], Vec::new(), 0);
    let status = loop {
        let (next, filled) = clusters.assign()?;
        let moves = moves(clusters, &next);
        if moves.is_empty() {
            clusters.follow(next);
            if clusters.is_fresh() {
                break Status::Converged;
            }
            clusters.renew(clusters.labels().to_vec())?;
            continue;
        }
        if moved.len() >= max_iterations {
            break Status::IterationsDone;
        }
        let (before, objective) = (clusters.labels().to_vec(), clusters.objective());
        clusters.go_to(next, &moves)?;
        if clusters.objective() > objective {
            clusters.renew(before)?;
            break Status::Stalled;
        }
        objectives.push(clusters.objective());
        moved.push(moves.len());
        reseeded += filled;
    };
    if !clusters.is_fresh() {
        clusters.renew(clusters.labels().to_vec())?;
    }
    Ok(Run { status, objectives, moved, reseeded })
}

/// The points of positive weight that change their cluster.
fn moves(clusters: &impl Clusters, next: &[u32]) -> Vec<Move> {
    let weights = clusters.weights();
    let pairs = clusters.labels().iter().zip(next).enumerate();
    let weighted = pairs.filter(|&(i, (from, to))| from != to && weights[i] > 0.0);
    weighted.map(|(point, (&from, &to))| Move { point, from, to }).collect()
}

/// Gives each empty cluster the farthest point, one that is not alone and not at distance 0, the first of equals; says
/// how many there were. `squared` is the squared distance of a point from its centre.
pub(super) fn fill_empty(
    labels: &mut [u32],
    weights: &[f64],
    k: usize,
    squared: impl Fn(usize) -> f64,
) -> usize {
    let mut members = vec![0_usize; k];
    let points: Vec<usize> = (0..labels.len()).filter(|&i| weights[i] > 0.0).collect();
    points.iter().for_each(|&i| members[labels[i] as usize] += 1);
    let mut filled = 0;
    for cluster in 0..k {
        if members[cluster] > 0 {
            continue;
        }
        let distance = |i: usize| if members[labels[i] as usize] > 1 { squared(i) } else { 0.0 };
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
    filled
}

/// Whether a cluster has no point of positive weight.
pub(super) fn any_empty(labels: &[u32], weights: &[f64], k: usize) -> bool {
    let mut seen = vec![false; k];
    let pairs = labels.iter().zip(weights).filter(|&(_, &weight)| weight > 0.0);
    pairs.for_each(|(&label, _)| seen[label as usize] = true);
    !seen.into_iter().all(|seen| seen)
}

/// An objective that is a number; otherwise sums have overflowed.
pub(super) fn finite(objective: f64) -> Result<f64, Error> {
    if objective.is_finite() {
        return Ok(objective);
    }
    Err(kern_gram::Error::ProductNotFinite { row: 0, col: 0, given: objective }.into())
}
