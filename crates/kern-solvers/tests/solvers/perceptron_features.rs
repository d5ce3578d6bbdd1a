//! Perceptrons on features, and with weights: against the kernel of the features, and against features times weights.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use super::classes::{observed, overlapping, with_weights, within};
use super::perceptron::{all, details, lattice};
use kern_approx::RandomFourier;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::model::{Classifier, FeatureExpansion};
use kern_solvers::perceptron::{Budget, Order, Perceptron};
use kern_solvers::{ClassWeights, Error, Progress, Status};
use std::ops::ControlFlow;

/// Weights that are integers, of which every fifth is zero.
fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| [1.0, 3.0, 0.0, 2.0, 4.0][i % 5]).collect()
}

fn basis() -> Samples<f64> {
    let rows = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    Samples::from_rows(&rows).unwrap()
}

/// All numbers of the lattice are integers, so both spaces are exact.
#[test]
fn features_learn_what_their_kernel_learns_to_the_bit() {
    for classes in [2, 3, 5] {
        let (x, y) = lattice(90, classes);
        let weights = weights(90);
        for (intercept, averaged, order) in [
            (false, false, Order::AsGiven),
            (true, false, Order::Shuffled),
            (true, true, Order::AsGiven),
        ] {
            let kernel = Perceptron::on_kernel(Linear).intercept(intercept).averaged(averaged);
            let kernel = kernel.order(order).seed(2).max_iterations(7);
            let features = Perceptron::on_features(Identity::new(3)).intercept(intercept);
            let features = features.averaged(averaged).order(order).seed(2).max_iterations(7);
            for weights in [vec![1.0; 90], weights.clone()] {
                let kernel = with_weights(&kernel, (&x, &y), &weights).unwrap();
                let features = with_weights(&features, (&x, &y), &weights).unwrap();
                let (a, b) = (details(kernel.report()), details(features.report()));
                assert_eq!(a.mistakes_per_pass, b.mistakes_per_pass);
                assert_eq!((a.steps, a.mistakes), (b.steps, b.mistakes));
                assert_eq!((a.squared_norm, a.squared_radius), (b.squared_norm, b.squared_radius));
                let queries = basis();
                let a = kernel.decision_values(&queries).unwrap();
                let b = features.decision_values(&queries).unwrap();
                let allowed = if averaged { 1e-12 * a.norm_max() } else { 0.0 };
                assert!((&a - &b).norm_max() <= allowed, "{classes} {intercept} {averaged}");
            }
        }
    }
}

#[test]
fn features_that_are_not_kept_and_any_threads_give_the_same_bits() {
    let (x, y) = overlapping(700, 3, 6.0);
    let map = RandomFourier::new(Rbf::new(0.7).unwrap()).dim(64).sample(2).unwrap();
    let perceptron = Perceptron::on_features(map).order(Order::Shuffled).max_iterations(4);
    let perceptron = perceptron.intercept(true).averaged(true);
    let fit = |threads: usize, memory: MemoryBudget| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| within(&perceptron, (&x, &y), memory).unwrap())
    };
    let all = fit(1, MemoryBudget::mebibytes(4));
    assert!(all.accuracy(&x, &y).unwrap() > 0.6, "{}", all.report());
    // Weights and a panel of 256 points, but not 700 points.
    let some = MemoryBudget::bytes(8 * 65 * (9 + 256));
    for threads in [1, 2, 8] {
        assert_eq!(fit(threads, MemoryBudget::mebibytes(4)), all);
        assert_eq!(fit(threads, some), all);
    }
    let text = serde_json::to_string(&all).unwrap();
    assert_eq!(serde_json::from_str::<Classifier<_, usize>>(&text).unwrap(), all);
    let narrow = x.as_slice().iter().map(|&v| v as f32).collect();
    let narrow = Samples::from_row_major(2, narrow).unwrap();
    let map = RandomFourier::new(Rbf::new(0.7).unwrap()).dim(64).sample(2).unwrap();
    let single: Classifier<FeatureExpansion<_, f32>, _> =
        Perceptron::on_features(map).averaged(true).max_iterations(4).fit(&narrow, &y).unwrap();
    assert!(single.accuracy(&narrow, &y).unwrap() > 0.6, "{}", single.report());
}

#[test]
fn a_weight_multiplies_the_features_of_its_point() {
    let budgets = [
        Budget::None,
        Budget::Random { vectors: 9 },
        Budget::Oldest { vectors: 9 },
        Budget::Projection { vectors: 9, distance: 2.0 },
        Budget::ProjectionPlus { vectors: 9, distance: 2.0 },
    ];
    for classes in [2, 3] {
        let (x, y) = lattice(90, classes);
        let weights: Vec<f64> =
            weights(90).into_iter().map(|w| if w > 0.0 { w } else { 8.0 }).collect();
        let rows: Vec<[f64; 3]> =
            (0..90).map(|i| [0, 1, 2].map(|j| weights[i] * x.item(i)[j])).collect();
        let scaled = Samples::from_rows(&rows).unwrap();
        for budget in budgets {
            let perceptron = Perceptron::on_kernel(Linear).max_iterations(4).budget(budget).seed(1);
            let weighted = with_weights(&perceptron, (&x, &y), &weights).unwrap();
            let plain = perceptron.fit(&scaled, &y).unwrap();
            assert_eq!(weighted.report(), plain.report(), "{budget:?}");
            let (a, b) = (all(&weighted, 90), all(&plain, 90));
            for i in 0..90 {
                let moved = b[i].iter().map(|b| weights[i] * b);
                assert!(a[i].iter().zip(moved).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()));
            }
        }
    }
}

#[test]
fn a_weight_of_zero_drops_a_point_and_the_same_for_all_changes_no_mistake() {
    let (x, y) = overlapping(120, 3, 6.0);
    let k = Rbf::new(0.7).unwrap();
    let weights = weights(120);
    let used: Vec<usize> = (0..120).filter(|&i| weights[i] > 0.0).collect();
    let part = x.select(&used).unwrap();
    let labels: Vec<usize> = used.iter().map(|&i| y[i]).collect();
    let of_used: Vec<f64> = used.iter().map(|&i| weights[i]).collect();
    for budget in [Budget::None, Budget::Random { vectors: 9 }] {
        let perceptron = Perceptron::on_kernel(k).order(Order::Shuffled).seed(3).max_iterations(4);
        let perceptron = perceptron.budget(budget);
        let all = with_weights(&perceptron, (&x, &y), &weights).unwrap();
        let alone = with_weights(&perceptron, (&part, &labels), &of_used).unwrap();
        assert_eq!(all.decision(), alone.decision());
        let (a, b) = (details(all.report()), details(alone.report()));
        assert_eq!(a.support, b.support.iter().map(|&i| used[i]).collect::<Vec<_>>());
        assert_eq!(a.mistakes_per_pass, b.mistakes_per_pass);
    }
    let perceptron = Perceptron::on_kernel(k).intercept(true).max_iterations(4);
    let plain = perceptron.fit(&x, &y).unwrap();
    let four = with_weights(&perceptron, (&x, &y), &[4.0; 120]).unwrap();
    assert_eq!(details(plain.report()).support, details(four.report()).support);
    let (a, b) = (plain.decision().coefficients(), four.decision().coefficients());
    assert!((0..a.nrows()).all(|i| (0..3).all(|c| 4.0 * a[(i, c)] == b[(i, c)])));
}

/// A copy is judged again after the first has moved f; a weight is not.
#[test]
fn an_integer_weight_is_not_a_repeated_point() {
    let x = Samples::from_rows(&[[1.0], [1.0]]).unwrap();
    let perceptron = Perceptron::on_features(Identity::new(1)).max_iterations(1);
    let weighted = with_weights(&perceptron, (&x, &[true, false]), &[2.0, 1.0]).unwrap();
    // w = 2, then 2 − 1.
    assert_eq!(weighted.decision().weights()[(0, 0)], 1.0);
    let many = Samples::from_rows(&[[1.0], [1.0], [1.0]]).unwrap();
    let copies = perceptron.fit(&many, &[true, true, false]).unwrap();
    // w = 1, which is right for the copy, then 1 − 1.
    assert_eq!(copies.decision().weights()[(0, 0)], 0.0);
}

#[test]
fn class_weights_are_sample_weights() {
    let (x, y) = overlapping(90, 3, 6.0);
    let count = |c: usize| y.iter().filter(|&&l| l == c).count() as f64;
    let cases = [
        (ClassWeights::Balanced, [0, 1, 2].map(|c| 90.0 / (3.0 * count(c)))),
        (ClassWeights::Each(vec![1.0, 2.0, 0.25]), [1.0, 2.0, 0.25]),
    ];
    for (class_weights, each) in cases {
        let weights: Vec<f64> = y.iter().map(|&l| each[l]).collect();
        let on_kernel = Perceptron::on_kernel(Rbf::new(0.7).unwrap()).max_iterations(5);
        let of_classes = on_kernel.clone().class_weights(class_weights.clone());
        let by_point = with_weights(&on_kernel, (&x, &y), &weights).unwrap();
        assert_eq!(of_classes.fit(&x, &y).unwrap(), by_point);
        let on_features = Perceptron::on_features(Identity::new(2)).max_iterations(5);
        let of_classes = on_features.clone().class_weights(class_weights);
        let by_point = with_weights(&on_features, (&x, &y), &weights).unwrap();
        assert_eq!(of_classes.fit(&x, &y).unwrap(), by_point);
    }
}

#[test]
fn features_are_observed_and_every_error_says_what_is_wrong() {
    let (x, y) = overlapping(60, 2, 6.0);
    let perceptron = || Perceptron::on_features(Identity::new(2));
    let mut seen = 0;
    let mut observer = |p: &Progress| {
        seen = p.iteration;
        if p.iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = observed(&perceptron(), (&x, &y), &mut observer).unwrap();
    assert_eq!((model.report().status, model.report().iterations, seen), (Status::Stopped, 3, 3));
    assert_eq!(perceptron().fit(&x, &[1; 60]).unwrap_err(), Error::OneClass { points: 60 });
    let count = Error::Count { name: "max_iterations", given: 0, allowed: "at least 1" };
    assert_eq!(perceptron().max_iterations(0).fit(&x, &y).unwrap_err(), count);
    let other = Perceptron::on_features(Identity::new(3)).fit(&x, &y).unwrap_err();
    assert!(matches!(other, Error::Core(_)), "{other}");
    let short = within(&perceptron(), (&x, &y), MemoryBudget::bytes(100)).unwrap_err();
    assert!(matches!(short, Error::Gram(kern_gram::Error::Budget { .. })), "{short}");
    let mut weights = vec![1.0; 60];
    weights[3] = -1.0;
    let error = with_weights(&perceptron(), (&x, &y), &weights).unwrap_err();
    assert_eq!(error, Error::Weight { point: 3, given: -1.0 });
    // A value of f that overflows.
    let far = Samples::from_rows(&[[1e200], [1.2e200], [0.9e200]]).unwrap();
    let error = Perceptron::on_features(Identity::new(1)).fit(&far, &[0, 1, 1]).unwrap_err();
    let overflow = matches!(error, Error::Gram(kern_gram::Error::ProductNotFinite { .. }));
    assert!(overflow, "{error}");
}
