//! The weights of points that count.

/// The indices of the points whose weight is greater than zero, in order, unless all are.
pub(crate) fn weighty(weights: &[f64]) -> Option<Vec<usize>> {
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    (used.len() < weights.len()).then_some(used)
}

/// The weights that are greater than zero, and the indices of their points, in order, unless all are.
pub(crate) fn positive(weights: Vec<f64>) -> (Vec<f64>, Option<Vec<usize>>) {
    match weighty(&weights) {
        None => (weights, None),
        Some(used) => (used.iter().map(|&i| weights[i]).collect(), Some(used)),
    }
}
