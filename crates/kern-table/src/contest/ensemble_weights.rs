//! The convex weights of models that predict together, chosen on predictions for held-out rows.

use super::goal::{Goal, Tested};
use faer::{Mat, Scale};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Steps of the greedy choice: weights are multiples of one part in so many.
const STEPS: usize = 20;

/// The ensemble must be better than its best member by this share of the loss.
const GAIN: f64 = 0.003;

/// Members, at most.
const MOST: usize = 5;

/// Samples of the rows that the standard error of the metric is estimated by.
const SAMPLES: usize = 100;

/// Weights, and the nested metric of their choice.
pub(super) struct Choice {
    pub(super) weights: Vec<f64>,
    /// The factors of probabilities that suit the metric.
    pub(super) factors: Vec<f64>,
    pub(super) value: f64,
    /// The standard error of the value, by the bootstrap (Efron 1979, *Bootstrap methods: another
    /// look at the jackknife*) and for the overlap of training sets.
    pub(super) standard_error: Option<f64>,
}

impl Choice {
    /// One model without predictions for held-out rows.
    pub(super) fn alone(value: f64) -> Self {
        Self { weights: vec![1.0], factors: Vec::new(), value, standard_error: None }
    }
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
        let others = if others.is_empty() { &everything } else { &others };
        let weights = judge.greedy(others);
        let factors = judge.factors(&weights, others);
        let mut mixed = judge.mixed(&weights, &own.clone().collect::<Vec<_>>());
        // With its factors, a class is predicted by its largest value.
        for (k, factor) in factors.iter().enumerate() {
            mixed.as_mut().col_mut(k).iter_mut().for_each(|value| *value *= factor);
        }
        nested.as_mut().subrows_mut(start, fold.len()).copy_from(&mixed);
        start = own.end;
    }
    let value = |places: &[usize]| {
        let predicted = Mat::from_fn(places.len(), nested.ncols(), |i, k| nested[(places[i], k)]);
        goal.value(predicted.as_ref(), judge.tested(&judge.rows(places)), &[])
    };
    let factors = judge.factors(&choice, &everything);
    let standard_error = Some(deviation(test.len(), &value) * inflation(goal, folds));
    Some(Choice { weights: choice, factors, value: value(&everything), standard_error })
}

/// The factor of the standard error of a cross-validation, because its training sets overlap:
/// √(1 + J·n₂/n₁) for J folds with n₁ training and n₂ test rows (Nadeau & Bengio 2003, *Inference
/// for the generalization error*, (7)).
fn inflation(goal: &Goal, folds: &[Vec<usize>]) -> f64 {
    let tested = folds.iter().map(Vec::len).sum::<usize>() as f64 / folds.len() as f64;
    let trained = goal.len() as f64 - tested;
    (1.0 + folds.len() as f64 * tested / trained.max(1.0)).sqrt()
}

/// The standard deviation of a value over samples of places with replacement.
fn deviation(count: usize, value: impl Fn(&[usize]) -> f64) -> f64 {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let sample = |_| {
        let places: Vec<usize> = (0..count).map(|_| random.random_range(0..count)).collect();
        value(&places)
    };
    let values: Vec<f64> = (0..SAMPLES).map(sample).filter(|value| value.is_finite()).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
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

    /// The rows of the predictions at these places.
    fn rows(&self, places: &[usize]) -> Vec<usize> {
        places.iter().map(|&place| self.test[place]).collect()
    }

    const fn tested<'t>(&'t self, rows: &'t [usize]) -> Tested<'t> {
        Tested { rows, weights: self.weights }
    }

    /// The factors of probabilities for the mixture with these weights.
    fn factors(&self, weights: &[f64], places: &[usize]) -> Vec<f64> {
        let mixed = self.mixed(weights, places);
        self.goal.factors(mixed.as_ref(), self.tested(&self.rows(places)))
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
        let rows = self.rows(places);
        let loss = |predicted: &Mat<f64>| self.goal.loss(predicted.as_ref(), self.tested(&rows));
        let own: Vec<Mat<f64>> = (0..count).map(|k| self.mixed(&alone(k), places)).collect();
        let losses: Vec<f64> = own.iter().map(loss).collect();
        let first = (0..count).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        let (mut picks, mut sum) = (vec![0_usize; count], own[first].clone());
        picks[first] = 1;
        let (mut best, mut best_loss) = (alone(first), (1.0 - GAIN) * losses[first]);
        for step in 1..STEPS {
            let is_full = picks.iter().filter(|&&count| count > 0).count() >= MOST;
            let share = 1.0 / (step + 1) as f64;
            let with = |k: usize| {
                let mean = Scale(share) * (&sum + &own[k]);
                (k, loss(&mean))
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
