//! What neighbours say: weights, votes and means.

use super::{Nearness, Neighbor};
use kern_core::Scalar;
use serde::{Deserialize, Serialize};

/// What each of the k neighbours counts.
///
/// # Definition
/// Weights matter up to a common factor. [`Weighting::Weighted`] is
///
/// - by similarity: w = max(K(x, xᵢ), 0); if no neighbour has a positive one, all count the same;
/// - by distance: w = 1/d(x, xᵢ); if some neighbours have distance 0, they alone count, and all of
///   them the same.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Weighting};
/// let x = Samples::from_rows(&[[0.0], [4.0]])?;
/// let query = Samples::from_rows(&[[1.0]])?; // at distances 1 and 3
/// let params = KNearest::by_distance(Linear).neighbors(2);
/// assert_eq!(params.fit(&x, &[0.0, 8.0])?.predict(&query)?, [4.0]);
/// let params = params.weighting(Weighting::Weighted);
/// assert_eq!(params.fit(&x, &[0.0, 8.0])?.predict(&query)?, [2.0]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Weighting {
    /// All the same.
    #[default]
    Uniform,
    /// Near neighbours more than far ones.
    Weighted,
}

/// The weight of each neighbour, at most 1; the nearest has weight 1.
///
/// Relative to the nearest, so that no sum of weights overflows. `row` is sorted, nearest first.
pub(super) fn weights<T: Scalar>(
    row: &[Neighbor<T>],
    nearness: Nearness,
    weighting: Weighting,
) -> Vec<f64> {
    let scores = row.iter().map(|neighbor| neighbor.score.to_f64());
    let nearest = row.first().map_or(0.0, |neighbor| neighbor.score.to_f64());
    match (weighting, nearness) {
        (Weighting::Weighted, Nearness::Similarity) if nearest > 0.0 => {
            scores.map(|similarity| similarity.max(0.0) / nearest).collect()
        }
        (Weighting::Weighted, Nearness::Distance) if nearest > 0.0 => {
            scores.map(|distance| nearest / distance).collect()
        }
        (Weighting::Weighted, Nearness::Distance) => {
            scores.map(|distance| f64::from(distance <= 0.0)).collect()
        }
        _ => vec![1.0; row.len()],
    }
}

/// The sum of weights for each class, given the class of each neighbour.
pub(super) fn votes(
    weights: &[f64],
    classes: usize,
    class: impl Iterator<Item = usize>,
) -> Vec<f64> {
    let mut votes = vec![0.0; classes];
    for (class, weight) in class.zip(weights) {
        votes[class] += weight;
    }
    votes
}

/// The class of the most votes; of equals the first.
pub(super) fn winner(votes: &[f64]) -> usize {
    let mut best = 0;
    for (class, vote) in votes.iter().enumerate() {
        if *vote > votes[best] {
            best = class;
        }
    }
    best
}

/// Σ wᵢvᵢ / Σ wᵢ.
pub(super) fn mean(weights: &[f64], values: impl Iterator<Item = f64> + Clone) -> f64 {
    let total: f64 = weights.iter().sum();
    let sum: f64 = weights.iter().zip(values.clone()).map(|(w, v)| w * v).sum();
    if sum.is_finite() {
        return sum / total;
    }
    // Values near the end of the range: the sum overflows, the mean does not.
    weights.iter().zip(values).map(|(w, v)| w / total * v).sum()
}
