//! Coefficients that are moved the least until they sum to what they must.

/// Rounds of equal moves after which the rest is moved one coefficient after the other.
const MOST_ROUNDS: usize = 64;

/// Moves β within its bounds until Σβ = `sum`: those strictly within their bounds and not zero first, all by the
/// same amount as far as they can, then the others. Coefficients outside are first brought to their bounds.
pub(super) fn balance(beta: &mut [f64], lower: &[f64], upper: &[f64], sum: f64) {
    for ((b, &l), &u) in beta.iter_mut().zip(lower).zip(upper) {
        *b = b.clamp(l, u);
    }
    let free = |&v: &usize| beta[v] != 0.0 && beta[v] > lower[v] && beta[v] < upper[v];
    let (free, bound): (Vec<usize>, Vec<usize>) = (0..beta.len()).partition(free);
    spread(beta, lower, upper, (free, sum));
    // What rounding leaves is no reason to make support vectors.
    let left = sum - beta.iter().sum::<f64>();
    let size: f64 = beta.iter().map(|b| b.abs()).sum::<f64>() + sum.abs();
    if left.abs() > beta.len() as f64 * f64::EPSILON * size {
        spread(beta, lower, upper, (bound, sum));
    }
}

/// Moves the coefficients of a group by equal amounts, and what takes too many rounds one after the other.
fn spread(beta: &mut [f64], lower: &[f64], upper: &[f64], (mut group, sum): (Vec<usize>, f64)) {
    let mut last = f64::INFINITY;
    for round in 0..=MOST_ROUNDS {
        let mut left = sum - beta.iter().sum::<f64>();
        let bound = if left > 0.0 { upper } else { lower };
        group.retain(|&v| bound[v] - beta[v] != 0.0);
        // What rounding leaves does not shrink for ever.
        if left == 0.0 || group.is_empty() || left.abs() >= last {
            return;
        }
        last = left.abs();
        let equal = left / group.len() as f64;
        for &v in &group {
            let before = beta[v];
            let share = if round < MOST_ROUNDS { equal } else { left };
            let reaches = (bound[v] - before).abs() <= share.abs();
            beta[v] = if reaches { bound[v] } else { before + share };
            left -= beta[v] - before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::balance;

    fn equal(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15)
    }

    #[test]
    fn free_coefficients_move_first_and_none_leaves_its_bounds() {
        let (lower, upper) = ([0.0, 0.0, -1.0, -1.0], [1.0, 1.0, 0.0, 0.0]);
        let mut beta = [0.5, 1.0, -0.25, 0.0];
        balance(&mut beta, &lower, &upper, 1.0);
        assert!(equal(&beta, &[0.375, 1.0, -0.375, 0.0]), "{beta:?}");
        balance(&mut beta, &lower, &upper, -1.5);
        assert!((beta.iter().sum::<f64>() + 1.5).abs() < 1e-15, "{beta:?}");
        assert!(beta.iter().zip(lower.iter().zip(&upper)).all(|(b, (l, u))| l <= b && b <= u));
        let mut outside = [7.0, 0.0, -9.0, 0.0];
        balance(&mut outside, &lower, &upper, 2.0);
        assert!(equal(&outside, &[1.0, 1.0, 0.0, 0.0]), "{outside:?}");
    }
}
