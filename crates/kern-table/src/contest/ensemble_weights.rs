//! The convex weights of models that predict together, chosen on predictions for held-out rows.

use super::goal::Goal;
use faer::{Mat, Scale};

/// Steps of the greedy choice: weights are multiples of one part in so many.
const STEPS: usize = 20;

/// The ensemble must be better than its best member by this share of the loss.
const GAIN: f64 = 0.003;

/// Members, at most.
const MOST: usize = 5;

/// Weights, and the nested score of their choice.
pub(super) struct Choice {
    pub(super) weights: Vec<f64>,
    pub(super) score: f64,
}

/// The weights of the models with these predictions for the rows of all folds; `None` if there are
/// none. The best alone has all the weight unless several are better.
pub(super) fn chosen(
    goal: &Goal,
    weights: Option<&[f64]>,
    matrices: &[&Mat<f64>],
    folds: &[Vec<usize>],
) -> Option<Choice> {
    let test: Vec<usize> = folds.concat();
    if matrices.is_empty() || test.is_empty() {
        return None;
    }
    let everything: Vec<usize> = (0..test.len()).collect();
    let judge = Judge { goal, weights, matrices, test: &test };
    let choice = judge.greedy(&everything);
    // Each fold is predicted with weights that the others choose.
    let mut nested = Mat::zeros(test.len(), matrices[0].ncols());
    let mut start = 0;
    for fold in folds {
        let own = start..start + fold.len();
        let others: Vec<usize> =
            everything.iter().copied().filter(|place| !own.contains(place)).collect();
        let weights = if others.is_empty() { choice.clone() } else { judge.greedy(&others) };
        let mixed = judge.mixed(&weights, &own.clone().collect::<Vec<_>>());
        nested.as_mut().subrows_mut(start, fold.len()).copy_from(&mixed);
        start = own.end;
    }
    let score = goal.score(nested.as_ref(), &test, weights);
    Some(Choice { weights: choice, score })
}

struct Judge<'j> {
    goal: &'j Goal,
    weights: Option<&'j [f64]>,
    matrices: &'j [&'j Mat<f64>],
    /// The row of each prediction.
    test: &'j [usize],
}

impl Judge<'_> {
    /// The weighted mean of the predictions at these places.
    fn mixed(&self, weights: &[f64], places: &[usize]) -> Mat<f64> {
        let width = self.matrices[0].ncols();
        Mat::from_fn(places.len(), width, |i, k| {
            let parts = weights.iter().zip(self.matrices).filter(|(weight, _)| **weight > 0.0);
            parts.map(|(weight, matrix)| weight * matrix[(places[i], k)]).sum::<f64>()
        })
    }

    fn loss(&self, predicted: &Mat<f64>, places: &[usize]) -> f64 {
        let rows: Vec<usize> = places.iter().map(|&place| self.test[place]).collect();
        self.goal.loss(predicted.as_ref(), &rows, self.weights)
    }

    /// Adds the entrant that lowers the loss most, with replacement, and returns the best mixture
    /// on the way.
    fn greedy(&self, places: &[usize]) -> Vec<f64> {
        let count = self.matrices.len();
        let alone = |k: usize| {
            let mut weights = vec![0.0; count];
            weights[k] = 1.0;
            weights
        };
        let own: Vec<Mat<f64>> = (0..count).map(|k| self.mixed(&alone(k), places)).collect();
        let losses: Vec<f64> = own.iter().map(|own| self.loss(own, places)).collect();
        let first = (0..count).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        let (mut picks, mut sum) = (vec![0_usize; count], own[first].clone());
        picks[first] = 1;
        let (mut best, mut best_loss) = (alone(first), (1.0 - GAIN) * losses[first]);
        for step in 1..STEPS {
            let is_full = picks.iter().filter(|&&count| count > 0).count() >= MOST;
            let share = 1.0 / (step + 1) as f64;
            let with = |k: usize| {
                let mean = Scale(share) * (&sum + &own[k]);
                (k, self.loss(&mean, places))
            };
            let allowed = (0..count).filter(|&k| !is_full || picks[k] > 0);
            let next = allowed.map(with).min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((k, loss)) = next else { break };
            picks[k] += 1;
            sum += &own[k];
            if loss < best_loss {
                best_loss = loss;
                best = picks.iter().map(|&picks| picks as f64 * share).collect();
            }
        }
        best
    }
}
