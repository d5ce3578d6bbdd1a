//! The bound of Rahimi and Recht: its lemmas against exact probabilities, and its statement where the best function is
//! known.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common::{FAILURE, binomial_limit, log_tail};
use kern_approx::Error;
use kern_approx::bounds::KitchenSinks;
use kern_core::rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// E|1 − 2j/m| for j of the binomial distribution of m fair coins, by all of its tail.
fn mean_deviation(m: usize) -> f64 {
    // ∫P(|·| ≥ t) dt, with steps at multiples of 2/m.
    (1..=m)
        .filter(|k| (m - k).is_multiple_of(2))
        .map(|k| {
            let width = if k == 1 { 1.0 } else { 2.0 };
            width / m as f64 * log_tail(m, k as f64 / m as f64 - 1e-12).exp()
        })
        .sum()
}

#[test]
fn a_mean_deviation_is_exact() {
    // Of three coins 1·2/8 + 1/3·6/8.
    assert!((mean_deviation(1) - 1.0).abs() < 1e-12);
    assert!((mean_deviation(2) - 0.5).abs() < 1e-12);
    assert!((mean_deviation(3) - 0.5).abs() < 1e-12);
}

/// Features ±1 that do not depend on x, and α = C·p: the function is 0, and its estimate C times the mean of D fair
/// signs. The probability of the lemma is known exactly, and half of its distance would be wrong.
#[test]
fn the_approximation_lemma_against_an_exact_tail() {
    let radius = 3.0;
    let bound = KitchenSinks::new(1.0, radius).unwrap();
    for features in [10, 101, 1000] {
        for failure in [0.5, 0.1, 0.01, 1e-3] {
            let distance = bound.approximation(features, failure).unwrap() / radius;
            assert!(log_tail(features, distance) <= f64::ln(failure), "{features}, {failure}");
        }
        let refuted = [1e-2, 1e-3].into_iter().all(|failure| {
            let half = 0.5 * bound.approximation(features, failure).unwrap() / radius;
            log_tail(features, half) > f64::ln(failure)
        });
        assert!(refuted, "half of the distance for {features} features");
    }
}

/// The same features, and the loss −L·y·f(x) with fair signs y: the deviation is LC times the mean of n signs, however
/// many features there are. Half of the lemma would be wrong, and so would be its expectation divided by 2.6.
#[test]
fn the_deviation_lemma_against_an_exact_tail() {
    let (lipschitz, radius) = (0.7, 3.0);
    let bound = KitchenSinks::new(lipschitz, radius).unwrap();
    for samples in [20, 201, 1000] {
        let unit = lipschitz * radius;
        let expected = bound.deviation(samples, 1.0).unwrap() / unit;
        let exact = mean_deviation(samples);
        assert!(expected >= exact && expected < 2.6 * exact, "{samples}: {expected}, {exact}");
        for failure in [0.5, 0.1, 1e-3] {
            let distance = bound.deviation(samples, failure).unwrap() / unit;
            assert!(log_tail(samples, distance) <= f64::ln(failure), "{samples}, {failure}");
        }
        let third = bound.deviation(samples, 1e-4).unwrap() / (3.0 * unit);
        assert!(log_tail(samples, third) > f64::ln(1e-4), "a third of the distance, {samples}");
    }
}

/// A problem of finitely many points and features, whose risks are sums: x uniform on a grid, P(y = 1 | x) known, and
/// cosines, all equally probable.
struct Problem {
    /// By feature and point.
    features: Vec<Vec<f64>>,
    /// P(y = 1 | x).
    positive: Vec<f64>,
    radius: f64,
}

impl Problem {
    fn new(radius: f64) -> Self {
        let grid = |i: usize| i as f64 / 20.0 - 1.0;
        let cosine = |j: usize| {
            let (frequency, phase) = (0.8 * j as f64, 1.9 * j as f64);
            (0..40).map(|i| (frequency * grid(i) + phase).cos()).collect()
        };
        let features = (0..12).map(cosine).collect();
        let logistic = |t: f64| 1.0 / (1.0 + (-t).exp());
        let positive = (0..40).map(|i| logistic(3.0 * (3.0 * grid(i)).sin())).collect();
        Self { features, positive, radius }
    }

    /// The function C/m·Σa_j·φ_j for the features of these indices, at all points.
    fn function(&self, indices: &[usize], a: &[f64]) -> Vec<f64> {
        let scale = self.radius / indices.len() as f64;
        let at = |i: usize| {
            scale * indices.iter().zip(a).map(|(&j, a)| a * self.features[j][i]).sum::<f64>()
        };
        (0..self.positive.len()).map(at).collect()
    }

    /// The mean logistic loss with these weights of y = 1 and y = −1 at each point.
    fn loss(f: &[f64], weights: &[(f64, f64)]) -> f64 {
        let one = |(&f, &(p, m)): (&f64, &(f64, f64))| p * (-f).exp().ln_1p() + m * f.exp().ln_1p();
        f.iter().zip(weights).map(one).sum()
    }

    fn weights(&self) -> Vec<(f64, f64)> {
        let n = self.positive.len() as f64;
        self.positive.iter().map(|p| (p / n, (1.0 - p) / n)).collect()
    }

    /// Least loss over |a_j| ≤ 1 by projected gradient steps, whose length the curvature, at most C²/(4m), allows.
    fn minimise(&self, indices: &[usize], weights: &[(f64, f64)], steps: usize) -> Vec<f64> {
        let mut a = vec![0.0_f64; indices.len()];
        let m = indices.len() as f64;
        for _ in 0..steps {
            let f = self.function(indices, &a);
            let slope =
                |(f, &(p, m)): (&f64, &(f64, f64))| m / (1.0 + (-f).exp()) - p / (1.0 + f.exp());
            let slopes: Vec<f64> = f.iter().zip(weights).map(slope).collect();
            for (a, &j) in a.iter_mut().zip(indices) {
                let products = self.features[j].iter().zip(&slopes).map(|(x, s)| x * s);
                let gradient = self.radius / m * products.sum::<f64>();
                *a = (*a - 4.0 * m / self.radius.powi(2) * gradient).clamp(-1.0, 1.0);
            }
        }
        a
    }
}

#[test]
fn what_is_learned_on_random_features_keeps_the_bound() {
    let problem = Problem::new(4.0);
    let (all, weights): (Vec<usize>, _) = ((0..12).collect(), problem.weights());
    let best = problem.minimise(&all, &weights, 3000);
    let smallest = Problem::loss(&problem.function(&all, &best), &weights);
    let (samples, dim, trials) = (400, 48, 60);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut excess = Vec::new();
    for _ in 0..trials {
        let drawn: Vec<usize> = (0..dim).map(|_| rng.random_range(0..12)).collect();
        let mut seen = vec![(0.0, 0.0); 40];
        for _ in 0..samples {
            let i = rng.random_range(0..40);
            let share = 1.0 / f64::from(samples);
            let positive = rng.random::<f64>() < problem.positive[i];
            if positive { seen[i].0 += share } else { seen[i].1 += share }
        }
        let learned = problem.minimise(&drawn, &seen, 200);
        excess.push(Problem::loss(&problem.function(&drawn, &learned), &weights) - smallest);
    }
    let bound = KitchenSinks::new(1.0, problem.radius).unwrap();
    for failure in [0.5, 0.1] {
        let most = bound.excess_risk(samples as usize, dim, failure).unwrap();
        let count = excess.iter().filter(|&&e| e > most).count();
        assert!(count <= binomial_limit(trials, failure, FAILURE), "{count} above {most}");
    }
}

/// E‖f̂ − f‖² = (E‖C·a·φ‖² − ‖f‖²)/D, exactly, for the estimate of the lemma. The squares vary by about their mean,
/// so that the mean of 4000 is within six of its spreads.
#[test]
fn the_approximation_lemma_has_its_mean_square() {
    let problem = Problem::new(4.0);
    let (dim, draws, points) = (48, 4000, problem.positive.len() as f64);
    let all: Vec<usize> = (0..12).collect();
    let a: Vec<f64> = (0..12).map(|j| if j % 3 == 0 { -1.0 } else { 0.1 * j as f64 }).collect();
    let target = problem.function(&all, &a);
    let mean_square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>() / points;
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let square = |_| {
        let drawn: Vec<usize> = (0..dim).map(|_| rng.random_range(0..12)).collect();
        let coefficients: Vec<f64> = drawn.iter().map(|&j| a[j]).collect();
        let estimate = problem.function(&drawn, &coefficients);
        let off: Vec<f64> = estimate.iter().zip(&target).map(|(e, t)| e - t).collect();
        mean_square(&off)
    };
    let mean = (0..draws).map(square).sum::<f64>() / f64::from(draws);
    let term = |&j: &usize| (problem.radius * a[j]).powi(2) * mean_square(&problem.features[j]);
    let second = all.iter().map(term).sum::<f64>() / 12.0;
    let exact = (second - mean_square(&target)) / dim as f64;
    assert!((mean / exact - 1.0).abs() < 6.0 / 4000.0_f64.sqrt(), "{mean} for {exact}");
    assert!(exact <= problem.radius.powi(2) / dim as f64);
}

#[test]
fn constants_and_errors() {
    // mpmath: `L = log(mpf(60))`, `2*((1 + sqrt(2*L))/sqrt(500) + (2 + 2*sqrt(2*L))/sqrt(3000))`.
    let bound = KitchenSinks::new(0.5, 4.0).unwrap();
    assert!((bound.excess_risk(3000, 500, 0.05).unwrap() - 0.627_401_536_871_458_3).abs() < 1e-14);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(KitchenSinks::new(bad, 1.0), Err(Error::Core(_))));
        assert!(matches!(KitchenSinks::new(1.0, bad), Err(Error::Core(_))));
        assert!(matches!(bound.excess_risk(1, 1, bad), Err(Error::Core(_))));
        assert!(matches!(bound.deviation(1, bad), Err(Error::Core(_))));
    }
    assert!(matches!(bound.approximation(1, 1.1), Err(Error::Core(_))));
    assert!(matches!(bound.excess_risk(0, 1, 0.1), Err(Error::Zero { .. })));
    assert!(matches!(bound.excess_risk(1, 0, 0.1), Err(Error::Zero { .. })));
}
