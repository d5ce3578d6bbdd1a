//! Tests of the seeds of k-means and of its runs: their cost against theory, and the best of several.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::fits::within;
use super::kmeans::{Model, close, details, line, uniform};
use kern_core::kernels::{Linear, Rbf};
use kern_gram::MemoryBudget;
use kern_solvers::kmeans::{KMeans, Seeding};

/// The distance between neighbouring pairs of points in the next test, and the number of pairs and of runs.
const APART: f64 = 30.0;
const PAIRS: i32 = 8;
const RUNS: u64 = 1000;

/// At most the probability that k-means++ with one trial, if it draws as it should, has a mean cost above the bound on
/// its expectation in [`RUNS`] independent runs, by Chernoff: inf_t (E exp(t(X − bound)))^RUNS.
///
/// A seed misses if it falls into a pair that has one. After j seeds in h ≤ j pairs, points of those have the mass
/// 4h, and points of other pairs at least (k − h)·2·(APART − 2)², so the probability of a miss is at most that for h = j,
/// whatever was drawn before. Misses of a run are then dominated by a sum of independent coins. If m pairs are without a
/// seed, the nearest seed is in one of the m pairs on either side at the latest: their points cost at most
/// 2m(APART·m + 2)², and the others 4 for each pair.
fn probability_above(bound: f64) -> f64 {
    let k = f64::from(PAIRS);
    let mut misses = vec![1.0];
    for j in 1..PAIRS {
        let j = f64::from(j);
        let coin = 4.0 * j / (4.0 * j + 2.0 * (APART - 2.0).powi(2) * (k - j));
        let miss = std::iter::once(0.0).chain(misses.iter().map(|p| coin * p));
        let none = misses.iter().map(|p| (1.0 - coin) * p).chain([0.0]);
        misses = miss.zip(none).map(|(a, b)| a + b).collect();
    }
    let cost = |m: f64| 4.0 * k + 2.0 * m * (APART * m + 2.0).powi(2);
    let moment = |t: f64| -> f64 {
        let terms = (0..PAIRS).zip(&misses);
        terms.map(|(m, p)| p * (t * (cost(f64::from(m)) - bound)).exp()).sum()
    };
    let smallest = (0..200).map(|i| moment(1e-6 * 1.05_f64.powi(i))).fold(1.0, f64::min);
    smallest.powf(RUNS as f64)
}

/// Seeds of k-means++ without trials cost at most 8(ln k + 2) times the optimum in the mean. Here the optimum is known:
/// k pairs of points at distance 2, far from each other, J = 2k with the centres between.
///
/// With six trials, all six must miss: by the above, p_j ≤ 4j/(4j + 2·28²(8 − j)) for each of them, so all runs cost 4k
/// but for a probability of 1000·Σ p_j⁶ < 4e-8. Without probabilities by distance, the cost is at least 2·28² for
/// each pair without a seed: 2927 in the mean (8 of 16 points miss a pair with probability 7/30), with at most four such
/// pairs; by Hoeffding the mean is below the bound of 522 with probability less than exp(−2·1000·(2405/6272)²) < 1e-127.
#[test]
fn seeds_cost_what_theory_says() {
    let pair = |c: i32| [APART * f64::from(c), APART * f64::from(c) + 2.0];
    let values: Vec<f64> = (0..PAIRS).flat_map(pair).collect();
    let (x, optimum, k) = (line(&values), 2.0 * f64::from(PAIRS), PAIRS as usize);
    let cost = |model: &Model<Linear>| -> f64 {
        let nearest = |value: &f64| {
            let seeds = details(model.report()).seeds.iter();
            seeds.map(|&s| (value - values[s]).powi(2)).fold(f64::INFINITY, f64::min)
        };
        values.iter().map(nearest).sum()
    };
    let mean = |seeding: &Seeding, trials| {
        let run = |seed| {
            let machine = KMeans::on_kernel(Linear, k).seeding(seeding.clone()).trials(trials);
            cost(&machine.seed(seed).max_iterations(0).fit(&x).unwrap())
        };
        (0..RUNS).map(run).sum::<f64>() / RUNS as f64
    };
    let bound = 8.0 * (f64::from(PAIRS).ln() + 2.0) * optimum;
    assert!(probability_above(bound) < 1e-8, "{:e}", probability_above(bound));
    assert!(mean(&Seeding::PlusPlus, 1) <= bound);
    assert!(close(mean(&Seeding::PlusPlus, 6), 2.0 * optimum, 1e-12));
    assert!(mean(&Seeding::Random, 1) > bound);
    let best = KMeans::on_kernel(Linear, k).restarts(5).lower_bound(true).fit(&x).unwrap();
    assert!(close(best.report().objective, optimum, 1e-9));
    assert!(details(best.report()).lower_bound.unwrap() <= optimum);
}

#[test]
fn restarts_keep_the_best() {
    let x = uniform::<f64>(150, 2, 6);
    let run = |restarts| {
        KMeans::on_kernel(Linear, 9).seeding(Seeding::Random).restarts(restarts).fit(&x).unwrap()
    };
    let objectives: Vec<f64> = (1..=8).map(|r| run(r).report().objective).collect();
    assert!(objectives.is_sorted_by(|a, b| a >= b) && objectives[7] < objectives[0]);
    let best = run(8);
    let seeds = Seeding::Given(details(best.report()).seeds.clone());
    let again = KMeans::on_kernel(Linear, 9).seeding(seeds).fit(&x).unwrap();
    assert_eq!(again.labels(), best.labels());
    assert!(details(best.report()).run > 0);
}

#[test]
fn runs_side_by_side_are_those_one_after_the_other() {
    let x = uniform::<f64>(120, 2, 7);
    let kernel = Rbf::new(0.8).unwrap();
    let machine =
        |restarts| KMeans::on_kernel(kernel, 6).seeding(Seeding::Random).restarts(restarts);
    // More runs than are made at once.
    let whole = machine(20).fit(&x).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| machine(20).fit(&x).unwrap())
    };
    assert!([1, 2, 8].into_iter().all(|threads| run(threads) == whole));
    // No room for a second run, and for two.
    for runs in [1, 2] {
        let budget = MemoryBudget::bytes((120 * 120 + 120 * 6 * runs) * 8);
        assert_eq!(within(&machine(20), &x, budget).unwrap(), whole);
    }
    // The first of the best, and the distances of all.
    let first = (1..=20).map(|r| machine(r).fit(&x).unwrap());
    let best =
        first.into_iter().find(|m| m.report().objective <= whole.report().objective).unwrap();
    assert_eq!(best.labels(), whole.labels());
    let (best, whole) = (details(best.report()), details(whole.report()));
    assert_eq!(best.run, whole.run);
    assert!(best.run > 0 && best.distances <= whole.distances);
    assert!(whole.distances >= 20 * 120 * 6);
}
