//! Stacking of rounds: the weighted mean of their functions with the smallest squared residuals.

use super::recursion::{MetricProblem, Trace};
use faer::{ColRef, Mat, MatRef};
use kern_core::Scalar;

/// The duality gap of the weights of stacked functions, relative to the square of the best one's error.
const STACKED_GAP: f64 = 1e-9;

/// The least weight of a stacked function that is kept, relative to the greatest one.
const STACKED_WEIGHT: f64 = 0.01;

/// Maximum number of steps of the solver, whatever the gap is.
const PASSES: usize = 10_000;

impl<T: Scalar, K> MetricProblem<'_, T, K> {
    /// The weight of each round in the learned function: 1 for the best round, unless rounds are
    /// stacked.
    pub(super) fn weights_of(&self, trace: &Trace<'_, '_, T>, best: usize) -> Vec<f64> {
        let mut all = vec![0.0; trace.rounds.len()];
        // Rounds that could not be repeated have infinite residuals.
        let is_judged = |&place: &usize| trace.rounds[place].validation_error.is_finite();
        let places: Vec<usize> = (0..all.len()).filter(is_judged).collect();
        if !self.settings.stacked || trace.is_stopped || places.is_empty() {
            all[best] = 1.0;
            return all;
        }
        let residuals = |k: usize| &trace.entries[places[k]].residuals;
        let q = Mat::from_fn(places.len(), places.len(), |k, l| {
            self.inner_product(residuals(k), residuals(l))
        });
        for (&place, weight) in places.iter().zip(weights(q.as_ref())) {
            all[place] = weight;
        }
        all
    }

    /// Σ βᵢaᵢbᵢ, summed over outputs.
    fn inner_product(&self, a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        let of_output = |(a, b): (ColRef<'_, f64>, ColRef<'_, f64>)| -> f64 {
            let pairs = a.iter().zip(b.iter()).enumerate();
            pairs.map(|(i, (a, b))| self.weights.map_or(1.0, |weights| weights[i]) * a * b).sum()
        };
        a.col_iter().zip(b.col_iter()).map(of_output).sum()
    }
}

/// The weights of the [optimum], without those below a hundredth of the largest.
fn weights(q: MatRef<'_, f64>) -> Vec<f64> {
    let mut w = optimum(q);
    let smallest = STACKED_WEIGHT * w.iter().copied().fold(0.0, f64::max);
    w.iter_mut().filter(|w| **w < smallest).for_each(|w| *w = 0.0);
    let total: f64 = w.iter().sum();
    w.iter_mut().for_each(|w| *w /= total);
    w
}

/// Minimises wᵀQw over w ≥ 0, Σw = 1, where Q contains the inner products of residuals: those of
/// Σ wₖfₖ are Σ wₖrₖ.
///
/// Each step moves weight from the function with the largest slope (Qw)ₖ to that with the smallest,
/// up to the minimum along this direction; the difference of both slopes serves as the duality gap.
///
/// # References
/// Breiman (1996), *Stacked Regressions*.
fn optimum(q: MatRef<'_, f64>) -> Vec<f64> {
    let count = q.nrows();
    let smallest = (0..count).min_by(|&a, &b| q[(a, a)].total_cmp(&q[(b, b)])).unwrap_or(0);
    let mut w = vec![0.0; count];
    w[smallest] = 1.0;
    // Qw.
    let mut slopes: Vec<f64> = (0..count).map(|k| q[(k, smallest)]).collect();
    for _ in 0..PASSES {
        let of = |k: usize, l: usize| slopes[k].total_cmp(&slopes[l]);
        let to = (0..count).min_by(|&k, &l| of(k, l)).unwrap_or(0);
        let from = (0..count).filter(|&k| w[k] > 0.0).max_by(|&k, &l| of(k, l)).unwrap_or(0);
        let gain = slopes[from] - slopes[to];
        if gain <= STACKED_GAP * q[(smallest, smallest)] {
            break;
        }
        let curvature = q[(from, from)] + q[(to, to)] - 2.0 * q[(from, to)];
        let step = if curvature > 0.0 { (gain / curvature).min(w[from]) } else { w[from] };
        w[to] += step;
        // A weight that is moved completely becomes exactly 0.
        w[from] = if step < w[from] { w[from] - step } else { 0.0 };
        for (k, slope) in slopes.iter_mut().enumerate() {
            *slope += step * (q[(k, to)] - q[(k, from)]);
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use super::{optimum, weights};
    use faer::{Mat, mat};

    fn is(found: &[f64], expected: &[f64]) -> bool {
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    #[test]
    fn independent_residuals_share_by_their_variances() {
        let q = mat![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
        let found = weights(q.as_ref());
        assert!(is(&found, &[0.5, 0.25, 0.25]), "{found:?}");
    }

    #[test]
    fn a_function_that_adds_nothing_has_no_weight() {
        // The second is the first with more noise.
        let q = mat![[1.0, 1.0], [1.0, 3.0]];
        assert!(is(&weights(q.as_ref()), &[1.0, 0.0]));
        assert!(is(&weights(mat![[2.0]].as_ref()), &[1.0]));
        assert!(is(&weights(Mat::<f64>::zeros(2, 2).as_ref()), &[1.0, 0.0]));
    }

    /// At the optimum the slopes Qw are equal and smallest where the weight is positive.
    #[test]
    fn slopes_are_level_at_the_optimum() {
        let residual = |k: usize, i: usize| ((i * 7 + k * 3) as f64).sin() + 0.1 * k as f64;
        let q = Mat::from_fn(6, 6, |k, l| (0..40).map(|i| residual(k, i) * residual(l, i)).sum());
        let w = optimum(q.as_ref());
        let slope = |k: usize| -> f64 { (0..6).map(|l| q[(k, l)] * w[l]).sum() };
        let level: f64 = (0..6).map(|k| w[k] * slope(k)).sum();
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12 && w.iter().all(|&w| w >= 0.0));
        for k in 0..6 {
            assert!(slope(k) > level - 1e-6 * q[(0, 0)], "{k}: {} {level}", slope(k));
        }
    }
}
