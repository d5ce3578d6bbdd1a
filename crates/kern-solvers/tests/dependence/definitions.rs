//! The statistics by their definitions.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::data::normal;
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::{Explicit, Identity, Kernel, Mercer, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::Run;
use kern_solvers::dependence::{HsicTest, LinearMmd, MmdTest, Witness, hsic, mmd, mmd_on_features};
use kern_solvers::model::Decision;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn sum<P: Points<Scalar = f64>, K: Kernel<P>>(kernel: &K, a: &P, b: &P) -> f64 {
    let row = |i: usize| (0..b.len()).map(|j| kernel.eval(a.item(i), b.item(j))).sum::<f64>();
    (0..a.len()).map(row).sum()
}

fn trace<P: Points<Scalar = f64>, K: Kernel<P>>(kernel: &K, a: &P) -> f64 {
    (0..a.len()).map(|i| kernel.eval(a.item(i), a.item(i))).sum()
}

/// The biased and the unbiased estimate, by the definition.
fn dense<P: Points<Scalar = f64>, K: Kernel<P>>(kernel: &K, x: &P, y: &P) -> (f64, f64) {
    let (m, n) = (x.len() as f64, y.len() as f64);
    let (xx, yy, xy) = (sum(kernel, x, x), sum(kernel, y, y), sum(kernel, x, y));
    let biased = xx / (m * m) + yy / (n * n) - 2.0 * xy / (m * n);
    let (xx, yy) = (xx - trace(kernel, x), yy - trace(kernel, y));
    (biased, xx / (m * (m - 1.0)) + yy / (n * (n - 1.0)) - 2.0 * xy / (m * n))
}

fn points(n: std::ops::Range<usize>) -> impl Strategy<Value = Samples<f64>> {
    let row = prop::array::uniform2(-3.0..3.0_f64);
    prop::collection::vec(row, n).prop_map(|rows| Samples::from_rows(&rows).unwrap())
}

/// A kernel on words: shared letters.
#[derive(Clone, Copy, Debug)]
struct Letters;

impl Kernel<Vec<&'static str>> for Letters {
    fn eval(&self, x: &&'static str, y: &&'static str) -> f64 {
        x.chars().map(|c| y.chars().filter(|d| c == *d).count() as f64).sum()
    }
}

impl Mercer<Vec<&'static str>> for Letters {}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn discrepancies_are_those_of_the_definition(x in points(2..40), y in points(2..40)) {
        let kernel = Rbf::new(0.7).unwrap();
        let found = mmd(&kernel, &x, &y).unwrap();
        let (biased, unbiased) = dense(&kernel, &x, &y);
        prop_assert!((found.biased() - biased).abs() < 1e-14);
        prop_assert!((found.unbiased().unwrap() - unbiased).abs() < 1e-13);
        // The same from the other side.
        let other = mmd(&kernel, &y, &x).unwrap();
        prop_assert!((other.biased() - biased).abs() < 1e-14);
    }

    #[test]
    fn equal_samples_have_no_discrepancy(x in points(2..30), turn in 0..30_usize) {
        let order: Vec<usize> = (0..x.len()).map(|i| (i + turn) % x.len()).collect();
        let found = mmd(&Rbf::new(1.0).unwrap(), &x, &x.select(&order).unwrap()).unwrap();
        prop_assert!(found.biased() < 1e-15);
        prop_assert!(found.unbiased().unwrap() < 1e-15);
    }

    /// The mean of the unbiased estimate over all splits of pooled points is that of no difference: 0.
    #[test]
    fn the_estimate_is_unbiased(pooled in points(5..9), first in 2..4_usize) {
        let n = pooled.len();
        let (mut total, mut count) = (0.0, 0.0);
        for split in 0..1_usize << n {
            let (chosen, rest): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| split >> i & 1 == 1);
            if chosen.len() == first {
                let (x, y) = (pooled.select(&chosen).unwrap(), pooled.select(&rest).unwrap());
                total += mmd(&Rbf::new(0.5).unwrap(), &x, &y).unwrap().unbiased().unwrap();
                count += 1.0;
            }
        }
        prop_assert!((total / count).abs() < 1e-14, "{total} {count}");
    }

    #[test]
    fn features_of_a_kernel_have_its_discrepancy(x in points(2..30), y in points(2..30)) {
        let kernel = Polynomial::new(1.0, 1.0, 2).unwrap();
        let map = kernel.feature_map(&x).unwrap();
        let (a, b) = (mmd(&kernel, &x, &y).unwrap(), mmd_on_features(&map, &x, &y, &mut Run::new()).unwrap());
        let scale = 1.0 + a.biased();
        prop_assert!((a.biased() - b.biased()).abs() < 1e-11 * scale, "{a:?} {b:?}");
        prop_assert!((a.unbiased().unwrap() - b.unbiased().unwrap()).abs() < 1e-11 * scale);
    }

    #[test]
    fn the_witness_has_the_discrepancy(x in points(1..20), y in points(1..20)) {
        let kernel = Rbf::new(0.4).unwrap();
        let witness = Witness::new(kernel, &x, &y).unwrap();
        let mean = |points: &Samples<f64>| {
            let values = witness.decide(points).unwrap();
            values.col(0).iter().sum::<f64>() / points.len() as f64
        };
        let expected = mmd(&kernel, &x, &y).unwrap().biased();
        prop_assert!((mean(&x) - mean(&y) - expected).abs() < 1e-13);
    }

    /// The dependence of pairs is the discrepancy of them from all combinations of their parts.
    #[test]
    fn dependence_is_a_discrepancy(pairs in points(4..9)) {
        let n = pairs.len();
        let part = |k: usize| {
            Samples::from_rows(&(0..n).map(|i| [pairs.item(i)[k]]).collect::<Vec<_>>()).unwrap()
        };
        let (x, y) = (part(0), part(1));
        let (k, l) = (Rbf::new(0.5).unwrap(), Rbf::new(1.5).unwrap());
        let all: Vec<[f64; 2]> =
            (0..n * n).map(|t| [x.item(t / n)[0], y.item(t % n)[0]]).collect();
        let product = kern_core::kernels::ArdRbf::new(&[0.5, 1.5]).unwrap();
        let expected = mmd(&product, &pairs, &Samples::from_rows(&all).unwrap()).unwrap();
        let found = hsic(&k, &x, &l, &y).unwrap();
        prop_assert!((found.biased() - expected.biased()).abs() < 1e-14, "{found:?} {expected:?}");
    }
}

/// Every order of 0..n.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with_last = |order: &Vec<usize>| {
        (0..n)
            .map(|at| {
                let mut order = order.clone();
                order.insert(at, n - 1);
                order
            })
            .collect::<Vec<_>>()
    };
    orders(n - 1).iter().flat_map(with_last).collect()
}

fn close(values: &[f64], value: f64) -> bool {
    values.iter().any(|other| (other - value).abs() < 1e-14)
}

#[test]
fn statistics_of_splits_are_those_of_splits() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let pooled = normal(&mut rng, 7, 2, 0.0);
    let kernel = Rbf::new(0.6).unwrap();
    let (x, y) = (pooled.select(&[0, 1, 2]).unwrap(), pooled.select(&[3, 4, 5, 6]).unwrap());
    let mut expected = Vec::new();
    for split in 0..1_usize << 7 {
        let (chosen, rest): (Vec<usize>, Vec<usize>) = (0..7).partition(|i| split >> i & 1 == 1);
        if chosen.len() == 3 {
            let (x, y) = (pooled.select(&chosen).unwrap(), pooled.select(&rest).unwrap());
            expected.push(dense(&kernel, &x, &y).1);
        }
    }
    let test = MmdTest::on_kernel(kernel).permutations(2000).seed(5).test(&x, &y).unwrap();
    assert!((test.statistic() - dense(&kernel, &x, &y).1).abs() < 1e-14);
    assert!(test.null().iter().all(|&value| close(&expected, value)));
    assert!(expected.iter().all(|&value| close(test.null(), value)));
    assert_eq!((test.permutations(), test.seed()), (2000, 5));
    // The share of the splits that reach the statistic, up to six deviations of a binomial distribution.
    let share = |values: &[f64]| {
        let reached = values.iter().filter(|&&v| v >= test.statistic() - 1e-14).count();
        reached as f64 / values.len() as f64
    };
    let exact = share(&expected);
    let bound = 6.0 * (exact * (1.0 - exact) / 2000.0).sqrt() + 1.0 / 2000.0;
    assert!((test.p_value() - exact).abs() < bound, "{} {exact}", test.p_value());
}

#[test]
fn statistics_of_orders_are_those_of_orders() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (x, y) = (normal(&mut rng, 5, 2, 0.0), normal(&mut rng, 5, 1, 0.0));
    let (k, l) = (Rbf::new(0.6).unwrap(), Rbf::new(1.1).unwrap());
    let of_order = |order: &Vec<usize>| hsic(&k, &x, &l, &y.select(order).unwrap()).unwrap();
    let all = orders(5);
    assert_eq!(all.len(), 120);
    let biased: Vec<f64> = all.iter().map(|order| of_order(order).biased()).collect();
    let test = HsicTest::on_kernels(k, l).permutations(3000).seed(1).test(&x, &y).unwrap();
    assert!((test.statistic() - hsic(&k, &x, &l, &y).unwrap().biased()).abs() < 1e-15);
    assert!(test.null().iter().all(|&value| close(&biased, value)));
    assert!(biased.iter().all(|&value| close(test.null(), value)));
    // Over all orders, the mean of the unbiased estimate is 0.
    let total: f64 = all.iter().map(|order| of_order(order).unbiased().unwrap()).sum();
    assert!(total.abs() < 1e-13, "{total}");
}

/// Splits do not depend on the way: with features of the kernel, all statistics are the same.
#[test]
fn tests_on_features_are_those_on_their_kernel() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    // More than a tile, and stripes that are no whole bytes.
    let (x, y) = (normal(&mut rng, 301, 3, 0.0), normal(&mut rng, 222, 3, 0.1));
    let kernel = MmdTest::on_kernel(Linear).permutations(150).test(&x, &y).unwrap();
    let features = MmdTest::on_features(Identity::new(3)).permutations(150).test(&x, &y).unwrap();
    for (a, b) in kernel.null().iter().zip(features.null()) {
        assert!((a - b).abs() < 1e-13, "{a} {b}");
    }
    assert_eq!(kernel.p_value(), features.p_value());
    let family = MmdTest::on_kernels(vec![Linear]).permutations(150).test(&x, &y).unwrap();
    assert_eq!(family.single()[0], kernel);
    assert_eq!(family.p_value(), kernel.p_value());
}

/// Of linear kernels factors of low rank are exact.
#[test]
fn factors_of_low_rank_give_the_same_test() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let x = normal(&mut rng, 400, 3, 0.0);
    let noise = normal(&mut rng, 400, 3, 0.0);
    let mixed = (0..400).map(|i| [0, 1].map(|k| 0.1 * x.item(i)[k] + noise.item(i)[k]));
    let y = Samples::from_rows(&mixed.collect::<Vec<_>>()).unwrap();
    let test = HsicTest::on_kernels(Linear, Linear).permutations(99);
    let stored = test.test(&x, &y).unwrap();
    let mut small = Run::new().memory(MemoryBudget::mebibytes(2));
    let factors = test.run(&x, &y, &mut small).unwrap();
    assert_eq!(stored.p_value(), factors.p_value());
    for (a, b) in stored.null().iter().zip(factors.null()) {
        assert!((a - b).abs() < 1e-13, "{a} {b}");
    }
    // A smooth kernel: within what the factors leave.
    let smooth = HsicTest::on_kernels(Rbf::new(0.1).unwrap(), Linear).permutations(99);
    let stored = smooth.test(&x, &y).unwrap();
    let mut small = Run::new().memory(MemoryBudget::mebibytes(2));
    let factors = smooth.run(&x, &y, &mut small).unwrap();
    assert!((stored.statistic() / factors.statistic() - 1.0).abs() < 0.01);
    assert!((stored.p_value() - factors.p_value()).abs() < 0.05);
}

#[test]
fn points_may_be_of_any_kind() {
    let first = vec!["gram", "kernel", "matrix", "trace"];
    let second = vec!["ooo", "uuu", "oou", "uo", "zz"];
    let (biased, unbiased) = dense(&Letters, &first, &second);
    let found = mmd(&Letters, &first, &second).unwrap();
    assert!((found.biased() - biased).abs() < 1e-12);
    assert!((found.unbiased().unwrap() - unbiased).abs() < 1e-12);
    let test = MmdTest::on_kernel(Letters).permutations(200).test(&first, &second).unwrap();
    assert!(test.p_value() < 0.05);
    let lengths: Vec<[f64; 1]> = first.iter().map(|word| [word.len() as f64]).collect();
    let lengths = Samples::from_rows(&lengths).unwrap();
    let found = hsic(&Letters, &first, &Linear, &lengths).unwrap();
    let test = HsicTest::on_kernels(Letters, Linear).permutations(50).test(&first, &lengths);
    assert!((test.unwrap().statistic() - found.biased()).abs() < 1e-12);
}

#[test]
fn terms_of_the_linear_test_are_unbiased() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let (x, y) = (normal(&mut rng, 4000, 2, 0.0), normal(&mut rng, 4001, 2, 0.5));
    let kernel = Rbf::new(0.5).unwrap();
    let linear = LinearMmd::new(&kernel, &x, &y).unwrap();
    let whole = mmd(&kernel, &x, &y).unwrap().unbiased().unwrap();
    // Six deviations.
    assert!((linear.statistic() - whole).abs() < 6.0 * linear.variance().sqrt());
    assert!(linear.p_value() < 1e-4, "{linear:?}");
}
