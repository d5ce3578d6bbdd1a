//! The weights of points that count.

/// The weights that are greater than zero, and the indices of their points, in order, unless all are.
pub(crate) fn positive(weights: Vec<f64>) -> (Vec<f64>, Option<Vec<usize>>) {
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    if used.len() == weights.len() {
        return (weights, None);
    }
    (used.iter().map(|&i| weights[i]).collect(), Some(used))
}
