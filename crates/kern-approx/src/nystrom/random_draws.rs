//! Random draws of indices: uniform, and with given probabilities.

use kern_core::rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// `count` of the indices 0..n, uniformly without replacement: the beginning of a shuffle (Fisher &
/// Yates), so that a smaller draw is a prefix of a larger one.
pub(crate) fn uniform(n: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..n).collect();
    for i in 0..count {
        indices.swap(i, rng.random_range(i..n));
    }
    indices.truncate(count);
    indices
}

/// `count` independent indices, with probabilities proportional to the weights; empty if no weight
/// is positive.
///
/// Weights must be finite and non-negative; an index of weight zero is never drawn. O(n + count·log
/// n).
pub(super) fn independent(weights: &[f64], count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let Some(last) = weights.iter().rposition(|&w| w > 0.0) else {
        return Vec::new();
    };
    // Relative to the largest one, so that the sum cannot overflow.
    let mut total = 0.0;
    let sums: Vec<f64> = weights
        .iter()
        .map(|w| {
            total += w / largest;
            total
        })
        .collect();
    let draw = |_| {
        let target = rng.random::<f64>() * total;
        sums.partition_point(|&sum| sum <= target).min(last)
    };
    (0..count).map(draw).collect()
}

/// `count` different indices, drawn one after the other with probabilities proportional to the
/// weights of the remaining ones; fewer if fewer weights are positive.
///
/// Exponential clocks (Efraimidis & Spirakis 2006): an index of weight w is assigned an exponential
/// time of rate w, and those with the smallest times are drawn.
pub(super) fn without_replacement(
    weights: &[f64],
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<usize> {
    let mut times: Vec<(f64, usize)> = Vec::new();
    for (i, &weight) in weights.iter().enumerate() {
        let uniform = 1.0 - rng.random::<f64>();
        if weight > 0.0 {
            times.push((-uniform.ln() / weight, i));
        }
    }
    times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    times.into_iter().take(count).map(|(_, i)| i).collect()
}
