//! Ridge classification with weights of classes, in every space.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::learn::{data, learn};
use kern_approx::Nystrom;
use kern_core::kernels::Rbf;
use kern_core::{Identity, Points, Samples};
use kern_solvers::model::Classifier;
use kern_solvers::ridge::{Ridge, RidgeSpace};
use kern_solvers::space::{OnFeatures, OnKernel, OnLandmarks};
use kern_solvers::{ClassWeights, Data, Error, Labels, Learner, Run};

const N: usize = 60;
/// The points of each class: 12, 18, 30.
const CLASS: [&str; 5] = ["b", "a", "c", "c", "b"];

/// Points of a plane whose classes overlap.
fn problem() -> (Samples<f64>, Vec<&'static str>) {
    let labels: Vec<&str> = (0..N).map(|i| if i % 10 == 4 { "c" } else { CLASS[i % 5] }).collect();
    let shift = |label: &str| match label {
        "a" => [0.0, 0.0],
        "b" => [0.7, 0.2],
        _ => [0.1, 0.9],
    };
    let at = |i: usize, k: usize| shift(labels[i])[k] + (i as f64 * [1.3, 2.9][k]).sin();
    let rows: Vec<[f64; 2]> = (0..N).map(|i| [at(i, 0), at(i, 1)]).collect();
    (Samples::from_rows(&rows).unwrap(), labels)
}

fn counts(labels: &[&str]) -> [f64; 3] {
    ["a", "b", "c"].map(|class| labels.iter().filter(|&&label| label == class).count() as f64)
}

fn kernel(lambda: f64) -> Ridge<OnKernel<Rbf>> {
    Ridge::on_kernel(Rbf::new(0.8).unwrap()).lambda(lambda).intercept(true)
}

fn features(lambda: f64) -> Ridge<OnFeatures<Identity>> {
    Ridge::on_features(Identity::new(2)).lambda(lambda).intercept(true)
}

fn landmarks(lambda: f64) -> Ridge<OnLandmarks<Rbf>> {
    let nystrom = Nystrom::new(Rbf::new(0.8).unwrap()).landmarks(12);
    Ridge::on_landmarks(nystrom).lambda(lambda).intercept(true).tolerance(1e-20)
}

/// One model for each class weight, each with a weight for each point that does the same.
fn class_weights_are_weights_of_points<S>(ridge: &Ridge<S>)
where
    S: RidgeSpace<Samples<f64>>,
    Classifier<S::Function, &'static str>: PartialEq + std::fmt::Debug,
{
    let (x, labels) = problem();
    let per_class = |weights: [f64; 3], beta: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let of = |label: &str| weights[usize::from(label.as_bytes()[0] - b'a')];
        labels.iter().enumerate().map(|(i, label)| beta(i) * of(label)).collect()
    };
    let plain = ridge.fit(&x, &labels).unwrap();
    let each = ridge.clone().class_weights(ClassWeights::Each(vec![2.0, 0.5, 1.25]));
    let weights = per_class([2.0, 0.5, 1.25], &|_| 1.0);
    assert_eq!(each.fit(&x, &labels).unwrap(), learn(ridge, &data((&x, &labels), Some(&weights))));
    assert_ne!(each.fit(&x, &labels).unwrap(), plain);

    let balanced = ridge.clone().class_weights(ClassWeights::Balanced);
    let weights = per_class(counts(&labels).map(|count| N as f64 / (3.0 * count)), &|_| 1.0);
    let expected = learn(ridge, &data((&x, &labels), Some(&weights)));
    assert_eq!(balanced.fit(&x, &labels).unwrap(), expected);
    assert_ne!(expected, plain);

    let beta: Vec<f64> = (0..N).map(|i| [1.0, 0.5, 0.0, 2.0][i % 4]).collect();
    let both = learn(&each, &data((&x, &labels), Some(&beta)));
    let weights = per_class([2.0, 0.5, 1.25], &|i| beta[i]);
    assert_eq!(both, learn(ridge, &data((&x, &labels), Some(&weights))));
    let equal = ridge.clone().class_weights(ClassWeights::Each(vec![1.0; 3]));
    let (a, b) = (equal.fit(&x, &labels).unwrap(), plain.predict(&x).unwrap());
    assert_eq!(a.predict(&x).unwrap(), b);
}

#[test]
fn class_weights_are_weights_of_points_in_every_space() {
    class_weights_are_weights_of_points(&kernel(1e-3));
    class_weights_are_weights_of_points(&features(1e-3));
    class_weights_are_weights_of_points(&landmarks(1e-3));
}

/// A class of weight 3 is one whose points are there three times.
fn integers_are_repeated_points<S: RidgeSpace<Samples<f64>>>(ridge: impl Fn(f64) -> Ridge<S>) {
    let (x, labels) = problem();
    let times = |label: &str| match label {
        "a" => 3,
        "b" => 2,
        _ => 1,
    };
    let copies = |i: usize| std::iter::repeat_n(i, times(labels[i]));
    let repeated: Vec<usize> = (0..N).flat_map(copies).collect();
    let more = x.select(&repeated).unwrap();
    let more_labels: Vec<&str> = repeated.iter().map(|&i| labels[i]).collect();
    let weighted = ridge(1e-2).class_weights(ClassWeights::Each(vec![3.0, 2.0, 1.0]));
    let weighted = weighted.fit(&x, &labels).unwrap();
    let plain = ridge(1e-2 * N as f64 / repeated.len() as f64).fit(&more, &more_labels).unwrap();
    let (a, b) = (weighted.decision_values(&x).unwrap(), plain.decision_values(&x).unwrap());
    assert!((&a - &b).norm_max() < 1e-10, "{:e}", (&a - &b).norm_max());
    assert_eq!(weighted.predict(&x).unwrap(), plain.predict(&x).unwrap());
}

#[test]
fn integer_class_weights_are_repeated_points() {
    integers_are_repeated_points(kernel);
    integers_are_repeated_points(features);
}

#[test]
fn a_rare_class_is_found_more_often_if_classes_are_balanced() {
    let (x, labels) = problem();
    let hits = |ridge: Ridge<OnKernel<Rbf>>| {
        let predicted = ridge.fit(&x, &labels).unwrap().predict(&x).unwrap();
        predicted.iter().zip(&labels).filter(|(p, l)| p == l && **l == "a").count()
    };
    let plain = hits(kernel(1.0));
    assert!(hits(kernel(1.0).class_weights(ClassWeights::Balanced)) > plain, "{plain}");
}

#[test]
fn class_weights_do_not_touch_numbers() {
    let (x, _) = problem();
    let y: Vec<f64> = (0..N).map(|i| x.item(i)[0].sin()).collect();
    let balanced = kernel(1e-3).class_weights(ClassWeights::Balanced);
    assert_eq!(balanced.fit(&x, &y).unwrap(), kernel(1e-3).fit(&x, &y).unwrap());
}

#[test]
fn class_weights_that_do_not_fit_are_typed_errors() {
    let (x, labels) = problem();
    let fit = |weights: &[f64]| {
        kernel(1e-3).class_weights(ClassWeights::Each(weights.to_vec())).fit(&x, &labels)
    };
    assert_eq!(fit(&[1.0, 2.0]).unwrap_err(), Error::ClassWeights { expected: 3, given: 2 });
    for bad in [0.0, -1.0, f64::INFINITY] {
        let error = fit(&[1.0, bad, 1.0]).unwrap_err();
        assert_eq!(error, Error::ClassWeight { class: 1, given: bad });
    }
    assert!(matches!(fit(&[1.0, 1.0, f64::NAN]), Err(Error::ClassWeight { class: 2, .. })));
    let none: Vec<f64> = labels.iter().map(|&l| if l == "b" { 0.0 } else { 1.0 }).collect();
    let data: Data<'_, _, Labels<&str>> = data((&x, &labels), Some(&none));
    for weights in [ClassWeights::Equal, ClassWeights::Balanced] {
        let ridge = kernel(1e-3).class_weights(weights);
        let error = ridge.learn(&data, &mut Run::new()).unwrap_err();
        assert_eq!(error, Error::NoClassWeight { class: 1 });
    }
}

#[test]
fn a_learner_is_saved_with_its_class_weights() {
    let ridge = landmarks(0.5).class_weights(ClassWeights::Each(vec![1.0, 3.0]));
    let text = serde_json::to_string(&ridge).unwrap();
    assert_eq!(serde_json::from_str::<Ridge<OnLandmarks<Rbf>>>(&text).unwrap(), ridge);
    assert_ne!(ridge, landmarks(0.5));
}
