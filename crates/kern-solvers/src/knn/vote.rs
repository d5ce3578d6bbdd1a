//! The answers of neighbours: votes and means.

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
    let mean: f64 = weights.iter().zip(values).map(|(w, v)| w / total * v).sum();
    // Rounding may have left shares of more than 1 in all.
    mean.clamp(f64::MIN, f64::MAX)
}
