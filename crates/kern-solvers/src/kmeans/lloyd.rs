//! Lloyd's algorithm, independent of how clusters are represented ([`Division`]), and the
//! re-seeding of empty clusters.

use super::restarts::{Ended, Watch};
use crate::{Error, KMeansDetails, Status, tolerance};

/// Passes of a run over the whole matrix, as predictions of time count them: most iterations read
/// only the columns of points that move.
pub(super) const ITERATIONS: f64 = 4.0;

/// A point that changes its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) point: usize,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// The current clusters of a run, and what is derived from them.
pub(super) trait Division {
    /// The weights of the points.
    fn weights(&self) -> &[f64];

    /// The cluster of each point.
    fn labels(&self) -> &[u32];

    /// The number k of clusters.
    fn count(&self) -> usize;

    /// The number of distances computed so far.
    fn distances(&self) -> u64;

    /// The objective of these clusters, with the centres that they define.
    fn objective(&self) -> f64;

    /// True if the sums behind the centres were recomputed, not updated.
    fn is_fresh(&self) -> bool;

    /// Sets these clusters, and recomputes the sums.
    fn renew(&mut self, labels: Vec<u32>) -> Result<(), Error>;

    /// Sets these clusters, which differ from the current ones by these moves, and updates the
    /// sums.
    fn go_to(&mut self, labels: Vec<u32>, moves: &[Move]) -> Result<(), Error>;

    /// The nearest centre of each point, and the number of empty clusters that were re-seeded.
    fn assign(&mut self) -> Result<(Vec<u32>, usize), Error>;

    /// Sets these clusters, which differ from the current ones only by points of weight 0: the
    /// centres stay the same.
    fn follow(&mut self, labels: Vec<u32>);
}

/// Runs Lloyd's algorithm from the current clusters. It ends with recomputed sums.
pub(super) fn run<D: Division>(
    mut clusters: D,
    number: usize,
    seeds: Vec<usize>,
    max_iterations: usize,
    watch: &Watch<'_>,
) -> Result<Ended<D>, Error> {
    let mut details = KMeansDetails { seeds, run: number, ..KMeansDetails::default() };
    details.objectives.push(clusters.objective());
    let mut flow = watch.begin(clusters.objective());
    let status = loop {
        if flow.is_break() {
            break Status::Stopped;
        }
        let (next, filled) = clusters.assign()?;
        let moves = moves(&clusters, &next);
        if moves.is_empty() {
            clusters.follow(next);
            if clusters.is_fresh() {
                break Status::Converged;
            }
            clusters.renew(clusters.labels().to_vec())?;
            continue;
        }
        if details.reassigned.len() >= max_iterations {
            break Status::IterationsDone;
        }
        let (before, objective) = (clusters.labels().to_vec(), clusters.objective());
        clusters.go_to(next, &moves)?;
        if clusters.objective() > objective {
            clusters.renew(before)?;
            break Status::Stalled;
        }
        details.objectives.push(clusters.objective());
        details.reassigned.push(moves.len());
        details.reseeded += filled;
        flow = watch.step(clusters.objective());
    };
    if !clusters.is_fresh() {
        clusters.renew(clusters.labels().to_vec())?;
    }
    let (objective, iterations) = (clusters.objective(), details.reassigned.len());
    let labels = clusters.labels().iter().map(|&label| label as usize);
    details.empty = empty(labels, clusters.weights(), clusters.count());
    details.distances = clusters.distances();
    Ok(Ended { clusters, status, iterations, objective, details })
}

/// The points of positive weight that change their cluster.
fn moves(clusters: &impl Division, next: &[u32]) -> Vec<Move> {
    let weights = clusters.weights();
    let pairs = clusters.labels().iter().zip(next).enumerate();
    let weighted = pairs.filter(|&(i, (from, to))| from != to && weights[i] > 0.0);
    weighted.map(|(point, (&from, &to))| Move { point, from, to }).collect()
}

/// Re-seeds each empty cluster with the point farthest from its centre, and returns the number of
/// clusters re-seeded. The point must not be alone in its cluster, nor at distance 0. Of points at
/// distances that are equal up to rounding, such as the two points of a cluster, the first is
/// taken. `squared` is the squared distance of a point from its centre.
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
            if distance > best.0 * (1.0 + tolerance::EQUAL) { (distance, i) } else { best }
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

/// True if a cluster has no point of positive weight.
pub(super) fn any_empty(labels: &[u32], weights: &[f64], k: usize) -> bool {
    empty(labels.iter().map(|&label| label as usize), weights, k) > 0
}

/// The number of clusters without a point of positive weight.
pub(super) fn empty(labels: impl Iterator<Item = usize>, weights: &[f64], k: usize) -> usize {
    let mut filled = vec![false; k];
    let weighted = labels.zip(weights).filter(|&(_, &weight)| weight > 0.0);
    weighted.for_each(|(label, _)| filled[label] = true);
    filled.iter().filter(|&&filled| !filled).count()
}

/// The objective if it is finite; an error if sums have overflowed.
pub(super) fn finite(objective: f64) -> Result<f64, Error> {
    if objective.is_finite() {
        return Ok(objective);
    }
    Err(kern_gram::Error::ProductNotFinite { row: 0, col: 0, given: objective }.into())
}
