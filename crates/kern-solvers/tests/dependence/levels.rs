//! Rates of false alarms are those that were asked for, and differences are found.
//!
//! Of 400 tests of level 5 % on draws without a difference, three standard errors around 20 are 7 to 33.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::data::normal;
use kern_approx::RandomFourier;
use kern_core::kernels::Rbf;
use kern_solvers::dependence::{HsicTest, LinearMmd, MmdTest};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const DRAWS: u64 = 400;

/// The number of alarms on draws.
fn alarms(mut p_value: impl FnMut(&mut ChaCha8Rng, u64) -> f64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(2026);
    (0..DRAWS).filter(|&draw| p_value(&mut rng, draw) <= 0.05).count()
}

fn check(alarms: usize) {
    let expected = 0.05 * DRAWS as f64;
    let error = (expected * 0.95).sqrt();
    assert!((alarms as f64 - expected).abs() <= 3.0 * error, "{alarms} alarms");
}

#[test]
fn two_sample_tests_have_their_level() {
    let test = MmdTest::on_kernel(Rbf::new(0.5).unwrap()).permutations(39);
    check(alarms(|rng, draw| {
        let (x, y) = (normal(rng, 12, 2, 0.0), normal(rng, 15, 2, 0.0));
        test.clone().seed(draw).test(&x, &y).unwrap().p_value()
    }));
}

#[test]
fn tests_on_features_have_their_level() {
    let map = RandomFourier::new(Rbf::new(0.5).unwrap()).dim(16).seed(1).sample(2).unwrap();
    let test = MmdTest::on_features(map).permutations(39);
    check(alarms(|rng, draw| {
        let (x, y) = (normal(rng, 12, 2, 0.0), normal(rng, 12, 2, 0.0));
        test.clone().seed(draw).test(&x, &y).unwrap().p_value()
    }));
}

#[test]
fn families_have_the_level_of_one_kernel() {
    let kernels: Vec<Rbf> = [0.01, 0.1, 1.0, 10.0].map(|gamma| Rbf::new(gamma).unwrap()).to_vec();
    let test = MmdTest::on_kernels(kernels).permutations(39);
    let mut any = 0;
    check(alarms(|rng, draw| {
        let (x, y) = (normal(rng, 12, 2, 0.0), normal(rng, 12, 2, 0.0));
        let found = test.clone().seed(draw).test(&x, &y).unwrap();
        any += usize::from(found.single().iter().any(|single| single.p_value() <= 0.05));
        found.p_value()
    }));
    // The least of the single p-values has not.
    assert!(any > 33, "{any}");
}

#[test]
fn tests_of_independence_have_their_level() {
    let test = HsicTest::on_kernels(Rbf::new(0.5).unwrap(), Rbf::new(1.0).unwrap());
    let test = test.permutations(39);
    check(alarms(|rng, draw| {
        let (x, y) = (normal(rng, 15, 2, 0.0), normal(rng, 15, 1, 0.0));
        test.clone().seed(draw).test(&x, &y).unwrap().p_value()
    }));
}

#[test]
fn the_linear_test_has_its_level() {
    let kernel = Rbf::new(0.5).unwrap();
    check(alarms(|rng, _| {
        let (x, y) = (normal(rng, 400, 2, 0.0), normal(rng, 400, 2, 0.0));
        LinearMmd::new(&kernel, &x, &y).unwrap().p_value()
    }));
}

#[test]
fn differences_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (x, y) = (normal(&mut rng, 40, 2, 0.0), normal(&mut rng, 50, 2, 1.2));
    let smallest = 1.0 / 200.0;
    let kernel = Rbf::new(0.5).unwrap();
    let one = MmdTest::on_kernel(kernel).permutations(199).test(&x, &y).unwrap();
    assert_eq!(one.p_value(), smallest);
    let kernels: Vec<Rbf> = [0.01, 0.1, 1.0, 100.0].map(|gamma| Rbf::new(gamma).unwrap()).to_vec();
    let family = MmdTest::on_kernels(kernels).permutations(199).test(&x, &y).unwrap();
    assert_eq!(family.p_value(), smallest);
    // A kernel that sees nothing but equal points is not the best.
    assert!(family.best() < 3 && family.family().statistic() > 4.0);
    let map = RandomFourier::new(kernel).dim(64).seed(1).sample(2).unwrap();
    let features = MmdTest::on_features(map).permutations(199).test(&x, &y).unwrap();
    assert_eq!(features.p_value(), smallest);
}
