//! Links from the outputs of a model to values or probabilities.

use faer::{Mat, MatRef};
use kern_solvers::calibration::PlattSigmoid;
use serde::{Deserialize, Serialize};

/// The slope of a sigmoid is at least this.
const FLATTEST: f64 = 1e-9;

/// Probabilities below this count as this in the loss of a link.
const SMALLEST: f64 = 1e-12;

/// How the outputs of a model become predictions. Links of classes are calibrated on predictions
/// for held-out rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Link {
    /// y = f.
    Identity,
    /// y = factor·exp(min(f, largest)) − shift, for targets that were learned as ln(y + shift).
    Exponential { shift: f64, factor: f64, largest: f64 },
    /// The sigmoid of the difference of two scores (Platt 2000, *Probabilities for SV machines*).
    Sigmoid(PlattSigmoid),
    /// p ∝ exp(slope·score) (temperature scaling: Guo et al. 2017, *On calibration of modern neural
    /// networks*).
    Softmax { slope: f64 },
}

impl Link {
    /// The calibrated link of these scores of classes, one row for each of these classes.
    pub(crate) fn of_classes(scores: MatRef<'_, f64>, codes: &[usize]) -> Self {
        if scores.ncols() == 2 {
            let difference = |i: usize| scores[(i, 1)] - scores[(i, 0)];
            let differences: Vec<f64> = (0..scores.nrows()).map(difference).collect();
            let is_second: Vec<bool> = codes.iter().map(|&code| code == 1).collect();
            let sigmoid = PlattSigmoid::fit(&differences, &is_second);
            // The scores of a model that is worse than chance are not turned round.
            let a = sigmoid.a.min(-FLATTEST);
            return Self::Sigmoid(PlattSigmoid { a, ..sigmoid });
        }
        let loss = |exponent: f64| {
            let mut predicted = scores.to_owned();
            Self::Softmax { slope: exponent.exp() }.apply(&mut predicted);
            let term = |(i, &code): (usize, &usize)| -predicted[(i, code)].max(SMALLEST).ln();
            codes.iter().enumerate().map(term).sum::<f64>()
        };
        Self::Softmax { slope: smallest(loss, (-7.0, 5.0)).exp() }
    }

    /// The exponential link of a model of ln(y + shift), with the factor that minimises the squared
    /// error of these outputs for these values.
    pub(crate) fn exponential(outputs: MatRef<'_, f64>, values: &[f64], shift: f64) -> Self {
        let logarithm = |y: &f64| (y + shift).ln();
        let largest = values.iter().map(logarithm).fold(f64::NEG_INFINITY, f64::max);
        let (mut products, mut squares) = (0.0, 0.0);
        for (i, value) in values.iter().enumerate() {
            let found = outputs[(i, 0)].min(largest).exp();
            products += found * (value + shift);
            squares += found * found;
        }
        let factor = products / squares;
        let factor = if factor.is_finite() && factor > 0.0 { factor } else { 1.0 };
        Self::Exponential { shift, factor, largest }
    }

    /// Returns true if what was deserialized is a link.
    pub(crate) fn is_valid(&self, classes: usize) -> bool {
        match self {
            Self::Identity => classes == 0,
            Self::Exponential { shift, factor, largest } => {
                classes == 0 && [shift, factor, largest].into_iter().all(|x| x.is_finite())
            }
            Self::Sigmoid(sigmoid) => {
                classes == 2 && sigmoid.a.is_finite() && sigmoid.b.is_finite()
            }
            Self::Softmax { slope } => classes > 0 && *slope > 0.0 && slope.is_finite(),
        }
    }

    /// Replaces outputs by predictions.
    pub(crate) fn apply(&self, outputs: &mut Mat<f64>) {
        for i in 0..outputs.nrows() {
            match self {
                Self::Identity => {}
                Self::Exponential { shift, factor, largest } => {
                    outputs[(i, 0)] = factor * outputs[(i, 0)].min(*largest).exp() - shift;
                }
                Self::Sigmoid(sigmoid) => {
                    let p = sigmoid.probability(outputs[(i, 1)] - outputs[(i, 0)]);
                    (outputs[(i, 0)], outputs[(i, 1)]) = (1.0 - p, p);
                }
                Self::Softmax { slope } => softmax(outputs, i, *slope),
            }
        }
    }
}

/// Row i becomes exp(slope·x)/Σ exp(slope·x).
fn softmax(outputs: &mut Mat<f64>, i: usize, slope: f64) {
    let width = outputs.ncols();
    let largest = (0..width).map(|k| outputs[(i, k)]).fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for k in 0..width {
        outputs[(i, k)] = (slope * (outputs[(i, k)] - largest)).exp();
        total += outputs[(i, k)];
    }
    (0..width).for_each(|k| outputs[(i, k)] /= total);
}

/// The minimum of a function with one minimum, by golden sections.
fn smallest(f: impl Fn(f64) -> f64, (mut low, mut high): (f64, f64)) -> f64 {
    /// (√5 − 1)/2.
    const RATIO: f64 = 0.618_033_988_749_894_8;
    const STEPS: usize = 30;
    let at = |low: f64, high: f64| (high - RATIO * (high - low), low + RATIO * (high - low));
    let (mut left, mut right) = at(low, high);
    let (mut of_left, mut of_right) = (f(left), f(right));
    for _ in 0..STEPS {
        if of_left <= of_right {
            (high, right, of_right) = (right, left, of_left);
            left = at(low, high).0;
            of_left = f(left);
        } else {
            (low, left, of_left) = (left, right, of_right);
            right = at(low, high).1;
            of_right = f(right);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_finds_the_slope_of_the_scores() {
        // A third of the rows is of another class than the score says: p = (2/3, 1/6, 1/6).
        let codes: Vec<usize> = (0..300)
            .map(|i| [i % 3, i % 3, i % 3, i % 3, (i + 1) % 3, (i + 2) % 3][i / 3 % 6])
            .collect();
        let scores = Mat::from_fn(300, 3, |i, k| f64::from(i % 3 == k));
        let link = Link::of_classes(scores.as_ref(), &codes);
        let mut found = scores.clone();
        link.apply(&mut found);
        let right =
            codes.iter().enumerate().filter(|&(i, &code)| code == i % 3).count() as f64 / 300.0;
        assert!((found[(0, 0)] - right).abs() < 1e-3, "{} {right}", found[(0, 0)]);
        assert!((found[(0, 0)] + found[(0, 1)] + found[(0, 2)] - 1.0).abs() < 1e-12);
        assert!(link.is_valid(3) && !link.is_valid(0));
    }

    #[test]
    fn the_factor_of_an_exponential_removes_the_bias() {
        let values: Vec<f64> = (1..=50).map(f64::from).collect();
        let outputs = Mat::from_fn(50, 1, |i, _| (values[i] / 2.0 + 1.0).ln());
        let link = Link::exponential(outputs.as_ref(), &values, 2.0);
        let mut found = outputs.clone();
        link.apply(&mut found);
        // exp(f) = (y + 2)/2.
        assert!((0..50).all(|i| (found[(i, 0)] - values[i]).abs() < 1e-9), "{link:?}");
    }
}
