//! The losses of SGD: values, derivatives, convexity, and what they are for.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::losses::LOSSES;
use kern_core::{Identity, Samples};
use kern_solvers::sgd::{Loss, Schedule, Sgd};

#[test]
fn losses_have_the_derivatives_of_their_values_and_are_stable_far_out() {
    let h = 1e-6;
    for loss in LOSSES {
        for y in [-1.0, 1.0] {
            for k in -40..=40 {
                let m = f64::from(k) * 0.1 + 0.013;
                let slope = (loss.value(m + h, y) - loss.value(m - h, y)) / (2.0 * h);
                assert!((slope - loss.derivative(m, y)).abs() < 1e-8, "{loss:?} at {m}");
            }
            for m in [-1000.0, 1000.0] {
                assert!(loss.value(m, y).is_finite() && loss.derivative(m, y).is_finite());
            }
        }
    }
    assert!(Loss::Logistic.value(1000.0, 1.0).abs() <= 0.0);
    assert!((Loss::Logistic.derivative(1000.0, -1.0) - 1.0).abs() <= 0.0);
}

/// ℓ(m') ≥ ℓ(m) + ℓ'(m)·(m' − m) for all m and m': the loss is convex, and at its kinks, too, the
/// derivative is a subgradient. The grid holds the kinks.
#[test]
fn losses_are_convex_and_lie_above_their_tangents() {
    let grid: Vec<f64> = (-32..=32).map(|k| f64::from(k) / 8.0).chain([-0.9, 1.1]).collect();
    for loss in LOSSES {
        for y in [-1.0, 1.0] {
            for (&m, &other) in grid.iter().flat_map(|m| grid.iter().map(move |o| (m, o))) {
                let tangent = loss.value(m, y) + loss.derivative(m, y) * (other - m);
                assert!(loss.value(other, y) >= tangent - 1e-14, "{loss:?} at {m}, {other}");
            }
        }
    }
}

/// The definitions, on either side of every kink.
#[test]
fn losses_have_the_values_of_their_definitions() {
    let cases = [
        (Loss::SquaredHinge, -1.0, 1.0, 2.0),
        (Loss::SquaredHinge, 2.0, 1.0, 0.0),
        (Loss::Perceptron, 0.5, -1.0, 0.5),
        (Loss::Perceptron, 0.5, 1.0, 0.0),
        (Loss::Huber(0.5), 3.25, 3.0, 0.031_25),
        (Loss::Huber(0.5), 5.0, 3.0, 0.875),
        (Loss::EpsilonInsensitive(0.25), 3.125, 3.0, 0.0),
        (Loss::EpsilonInsensitive(0.25), 2.0, 3.0, 0.75),
    ];
    for (loss, m, y, expected) in cases {
        assert!((loss.value(m, y) - expected).abs() <= 0.0, "{loss:?} at {m}");
    }
}

/// A perceptron moves from w = 0, and stops as soon as nothing is on the wrong side.
#[test]
fn perceptron_separates_what_can_be_separated_and_then_rests() {
    let values: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let labels: Vec<bool> = values.iter().map(|&v| v > 0.0).collect();
    let x = Samples::from_row_major(1, values).unwrap();
    let sgd = || Sgd::on_features(Identity::new(1)).loss(Loss::Perceptron).seed(2);
    let short = sgd().iterations(1).fit(&x, &labels).unwrap();
    let long = sgd().epochs(5).fit(&x, &labels).unwrap();
    assert!(short.accuracy(&x, &labels).unwrap() >= 1.0);
    assert_eq!(short.decision().weights(), long.decision().weights());
}

/// One target in ten is wrong by 100: the median and Huber's estimate do not care, the mean does.
#[test]
fn robust_losses_resist_outliers() {
    let x = Samples::from_row_major(1, vec![1.0; 200]).unwrap();
    let y: Vec<f64> = (0..200).map(|i| if i % 10 == 0 { 100.0 } else { 2.0 }).collect();
    let level = |loss| {
        let sgd = Sgd::on_features(Identity::new(1)).loss(loss).epochs(200);
        let model = sgd.schedule(Schedule::InverseSqrt(0.3)).fit(&x, &y).unwrap();
        model.decision().weights()[(0, 0)]
    };
    // The minimum of 180·½(m − 2)² + 20·½·(m − 2) (Huber, δ = ½) is at 2 + 10/180.
    assert!((level(Loss::Huber(0.5)) - 2.0 - 10.0 / 180.0).abs() < 0.05);
    assert!((level(Loss::EpsilonInsensitive(0.0)) - 2.0).abs() < 0.05);
    assert!((level(Loss::EpsilonInsensitive(0.25)) - 2.0).abs() < 0.3);
    assert!(level(Loss::Squared) > 8.0);
}
