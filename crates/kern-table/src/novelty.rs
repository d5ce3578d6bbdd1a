//! The threshold of novelty detection.

use kern_solvers::tolerance::TIED;

/// The default share of training rows that are outliers. The default of
/// [`OneClass`](kern_solvers::svm::OneClass), one half, would flag every second row as new.
pub(crate) const NU: f64 = 0.05;

/// A threshold between two rows such that the values below it have total weight ν, or less if
/// values are tied.
///
/// The offset of the SVM itself is not used: all unbounded support vectors lie exactly on it, so
/// round-off would decide on which side each of them falls.
pub(crate) fn threshold(values: &[f64], weight: impl Fn(usize) -> f64, nu: f64) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let total: f64 = order.iter().map(|&i| weight(i)).sum();
    let mut below = 0.0;
    let beyond = |&&i: &&usize| {
        below += weight(i);
        below > nu * total
    };
    let Some(&first) = order.iter().find(beyond) else { return f64::NEG_INFINITY };
    let inside = values[first];
    let gap = TIED * inside.abs().max(1.0);
    match order.iter().rev().map(|&i| values[i]).find(|&value| value < inside) {
        Some(outside) if inside - outside > gap => f64::midpoint(inside, outside),
        _ => inside - gap,
    }
}

#[cfg(test)]
mod tests {
    use super::threshold;

    #[test]
    fn a_share_of_the_weight_is_outside() {
        let values = [3.0, 1.0, 2.0, 4.0, 0.0];
        let outside = |nu: f64, weights: [f64; 5]| {
            let threshold = threshold(&values, |i| weights[i], nu);
            (0..5).filter(|&i| values[i] <= threshold).collect::<Vec<_>>()
        };
        assert_eq!(outside(0.4, [1.0; 5]), [1, 4]);
        assert_eq!(outside(0.39, [1.0; 5]), [4]);
        assert_eq!(outside(0.1, [1.0; 5]), [0; 0]);
        assert_eq!(outside(0.4, [1.0, 1.0, 1.0, 1.0, 6.0]), [0; 0]);
        let tied = threshold(&[1.0; 20], |_| 1.0, 0.5);
        assert!(tied < 1.0);
    }
}
