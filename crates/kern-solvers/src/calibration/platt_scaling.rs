//! Platt scaling: maximum likelihood fit of a sigmoid by Newton's method.

use super::PlattSigmoid;

/// Halvings after which a step changes nothing, and Newton steps; few are needed, because the
/// objective is convex.
const MOST_HALVINGS: usize = 40;
const MOST_STEPS: usize = 100;

/// Relative to the trace; keeps the Hessian positive definite if all scores are equal.
const RIDGE: f64 = 1e-12;

/// The gradient per score at which the fit stops.
const FLAT: f64 = 1e-12;

impl PlattSigmoid {
    /// Fits the sigmoid by maximum likelihood to finite scores, with the targets (N₊ + 1)/(N₊ + 2)
    /// for positive points and 1/(N₋ + 2) for the others: Bayes estimates under a uniform prior,
    /// which are never certain. Scores without a label are ignored.
    ///
    /// # Complexity
    /// About ten steps of O(n).
    #[must_use]
    pub fn fit(scores: &[f64], positive: &[bool]) -> Self {
        let count = positive.iter().take(scores.len()).filter(|&&is| is).count() as f64;
        let rest = positive.len().min(scores.len()) as f64 - count;
        let (high, low) = ((count + 1.0) / (count + 2.0), 1.0 / (rest + 2.0));
        let target = |&is: &bool| if is { high } else { low };
        let data: Vec<(f64, f64)> =
            scores.iter().copied().zip(positive.iter().map(target)).collect();
        let mut sigmoid = Self { a: 0.0, b: ((rest + 1.0) / (count + 1.0)).ln() };
        for _ in 0..MOST_STEPS {
            match sigmoid.step(&data) {
                Some(next) => sigmoid = next,
                None => break,
            }
        }
        sigmoid
    }

    /// A damped Newton step that decreases the loss; `None` at the minimum.
    fn step(&self, data: &[(f64, f64)]) -> Option<Self> {
        let (mut aa, mut ab, mut bb, mut ga, mut gb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(f, target) in data {
            let p = self.probability(f);
            let (weight, error) = (p * (1.0 - p), target - p);
            aa += f * f * weight;
            ab += f * weight;
            bb += weight;
            ga += f * error;
            gb += error;
        }
        if ga.abs().max(gb.abs()) <= FLAT * data.len() as f64 {
            return None;
        }
        let ridge = RIDGE * (aa + bb);
        (aa, bb) = (aa + ridge, bb + ridge);
        let determinant = aa * bb - ab * ab;
        let (da, db) = ((ab * gb - bb * ga) / determinant, (ab * ga - aa * gb) / determinant);
        let (slope, value) = (ga * da + gb * db, self.loss(data));
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let next = Self { a: self.a + length * da, b: self.b + length * db };
            if next.loss(data) < value + crate::tolerance::SUFFICIENT_DECREASE * length * slope {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }

    /// −Σ t ln p + (1 − t) ln(1 − p), without cancellation.
    fn loss(&self, data: &[(f64, f64)]) -> f64 {
        let term = |&(f, target): &(f64, f64)| {
            let t = self.exponent(f);
            let linear = if t >= 0.0 { target * t } else { (target - 1.0) * t };
            linear + (-t.abs()).exp().ln_1p()
        };
        data.iter().map(term).sum()
    }
}
