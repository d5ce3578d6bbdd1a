//! Tests of weight functions of the user, and of several targets and labels within a threshold: golden values of
//! scikit-learn, weights that are none, files.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::golden::knn as golden;
use super::knn::{line, uniform};
use faer::Mat;
use kern_core::Samples;
use kern_core::kernels::{Linear, Rbf};
use kern_solvers::Error;
use kern_solvers::knn::{
    KNearest, KnnMultiLabel, Nearness, RadiusMultiLabel, RadiusMultiRegressor, RadiusNeighbors,
    WeightFunction, Weighting,
};
use serde::{Deserialize, Serialize};

fn iris() -> (Samples<f64>, Samples<f64>) {
    (Samples::from_rows(&golden::X).unwrap(), Samples::from_rows(&golden::QUERIES).unwrap())
}

fn gaussian(distance: f64) -> f64 {
    (-2.0 * distance * distance).exp()
}

fn assert_near(given: f64, expected: f64) {
    // d² errs by 512 round-offs of ‖x‖² ≤ 130, which moves a weight by 1e-10 at most.
    assert!((given - expected).abs() < 1e-9, "{given} {expected}");
}

#[test]
fn closures_weigh_as_in_scikit_learn() {
    let (x, queries) = iris();
    let y = Mat::from_fn(30, 2, |i, j| golden::TARGETS[i][j]);
    let params = KNearest::by_distance(Linear).neighbors(7).weighting(gaussian);
    let outputs = params.fit_outputs(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
    let classifier = params.fit_classifier(&x, &golden::SPECIES).unwrap();
    let shares = classifier.votes(&queries).unwrap();
    let within = RadiusNeighbors::by_distance(Linear, 0.45).weighting(gaussian);
    let within = within.fit_outputs(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
    for i in 0..10 {
        (0..2).for_each(|j| assert_near(outputs[(i, j)], golden::GAUSSIAN_OUTPUTS[i][j]));
        (0..3).for_each(|j| assert_near(shares[(i, j)], golden::GAUSSIAN_SHARES[i][j]));
        assert_eq!(within[i].is_some(), golden::GAUSSIAN_WITHIN[i].is_some());
        if let (Some(given), Some(expected)) = (&within[i], golden::GAUSSIAN_WITHIN[i]) {
            (0..2).for_each(|j| assert_near(given[j], expected[j]));
        }
    }
}

#[test]
fn outputs_and_labels_within_a_threshold_are_those_of_each_alone() {
    let (x, queries) = (uniform::<f32>(300, 3, 43), uniform::<f32>(70, 3, 44));
    let y = Mat::from_fn(300, 3, |i, j| (i * (j + 3) % 17) as f32);
    let labels: Vec<Vec<bool>> = (0..300).map(|i| vec![i % 2 == 0, i % 3 == 0, i == 7]).collect();
    for weighting in [Weighting::Uniform, Weighting::Weighted] {
        // So near that some queries have no neighbour.
        let near = RadiusNeighbors::by_distance(Rbf::new(0.5).unwrap(), 0.2).weighting(weighting);
        let outputs = near.fit_outputs(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
        let multi = near.fit_multi_label(&x, &labels).unwrap();
        let (given, shares) = (multi.predict(&queries).unwrap(), multi.shares(&queries).unwrap());
        let none = outputs.iter().filter(|row| row.is_none()).count();
        assert!(none > 0 && none < 60, "{none}");
        for j in 0..3 {
            let of = |row: &Option<Vec<f32>>| row.as_ref().map(|row| row[j]);
            let alone = near.fit(&x, y.col_as_slice(j)).unwrap().predict(&queries).unwrap();
            assert_eq!(outputs.iter().map(of).collect::<Vec<_>>(), alone);
            let label: Vec<bool> = labels.iter().map(|row| row[j]).collect();
            let alone = near.fit_classifier(&x, &label).unwrap();
            let column: Vec<_> = given.iter().map(|row| row.as_ref().map(|row| row[j])).collect();
            assert_eq!(column, alone.predict(&queries).unwrap());
            let votes = alone.votes(&queries).unwrap();
            let votes = votes.col_as_slice(1).iter().zip(&outputs);
            let votes = votes.map(|(vote, row)| row.as_ref().map(|_| *vote));
            assert_eq!(shares.iter().map(of).collect::<Vec<_>>(), votes.collect::<Vec<_>>());
        }
    }
}

#[test]
fn constant_weights_are_uniform_whatever_they_are() {
    let (x, queries) = (uniform::<f64>(200, 2, 45), uniform::<f64>(50, 2, 46));
    let y: Vec<f64> = (0..200).map(f64::from).collect();
    let params = KNearest::by_similarity(Rbf::new(0.5).unwrap()).neighbors(9);
    let uniform = params.fit(&x, &y).unwrap().predict(&queries).unwrap();
    // Weights that are all 0 count the same; sums of the greatest numbers would overflow.
    for constant in [0.0, 1.0, f64::MAX, f64::from_bits(1)] {
        let model = params.weighting(move |_: f64| constant).fit(&x, &y).unwrap();
        assert_eq!(model.predict(&queries).unwrap(), uniform, "{constant}");
    }
    // The similarity, as it is, is the named weighting.
    let named = params.weighting(Weighting::Weighted).fit(&x, &y).unwrap();
    let own = params.weighting(|similarity: f64| similarity).fit(&x, &y).unwrap();
    assert_eq!(own.predict(&queries).unwrap(), named.predict(&queries).unwrap());
}

#[test]
fn weights_that_are_none_are_errors_of_the_first_query() {
    let x = line(&[0.0, 1.0, 2.0]);
    // At distances 0.5 and less no weight is bad.
    let queries = line(&[0.0, 2.25, 1.0]);
    for bad in [f64::NAN, f64::INFINITY, -1e-300] {
        let weight = move |d: f64| if d > 0.5 { bad } else { 1.0 };
        let check = |error: Error| match error {
            Error::NeighborWeight { query: 1, point: 1, given } => {
                assert_eq!(given.to_bits(), bad.to_bits());
            }
            other => panic!("{other}"),
        };
        let near = KNearest::by_distance(Linear).neighbors(1).weighting(weight);
        assert!(near.fit(&x, &[0.0; 3]).unwrap().predict(&queries).is_ok());
        let near = KNearest::by_distance(Linear).neighbors(2).weighting(weight);
        let one = queries.select_one(1);
        let second = |error: Error| match error {
            Error::NeighborWeight { query: 0, point: 1, .. } => {}
            other => panic!("{other}"),
        };
        second(near.fit(&x, &[0.0; 3]).unwrap().predict(&one).unwrap_err());
        let classifier = near.fit_classifier(&x, &[0, 1, 0]).unwrap();
        second(classifier.predict(&one).unwrap_err());
        second(classifier.votes(&one).unwrap_err());
        second(classifier.accuracy(&one, &[0]).unwrap_err());
        let y = Mat::<f64>::zeros(3, 2);
        second(near.fit_outputs(&x, y.as_ref()).unwrap().predict(&one).unwrap_err());
        let labels = near.fit_multi_label(&x, &[[true], [false], [true]]).unwrap();
        second(labels.predict(&one).unwrap_err());
        second(labels.shares(&one).unwrap_err());
        // Within 0.8 of 0 and of 1 there is one point each, and two of 2.25 − 0.5.
        let queries = line(&[0.0, 1.6, 1.0]);
        let within = RadiusNeighbors::by_distance(Linear, 0.8).weighting(weight);
        check(within.fit(&x, &[0.0; 3]).unwrap().predict(&queries).unwrap_err());
        let classifier = within.fit_classifier(&x, &[0, 1, 0]).unwrap();
        check(classifier.predict(&queries).unwrap_err());
        check(within.fit_outputs(&x, y.as_ref()).unwrap().predict(&queries).unwrap_err());
        let labels = within.fit_multi_label(&x, &[[true], [false], [true]]).unwrap();
        check(labels.predict(&queries).unwrap_err());
        // Neighbours have no weights.
        assert!(labels.neighbors(&queries).is_ok());
    }
}

trait SelectOne {
    fn select_one(&self, i: usize) -> Self;
}

impl SelectOne for Samples<f64> {
    fn select_one(&self, i: usize) -> Self {
        kern_core::Points::select(self, &[i]).unwrap()
    }
}

/// A type of a user's: a triangle of this width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Triangle(f64);

impl WeightFunction for Triangle {
    fn weigh(&self, nearness: Nearness, scores: &mut [f64]) {
        assert_eq!(nearness, Nearness::Distance);
        assert!(scores.is_sorted(), "nearest first");
        scores.iter_mut().for_each(|d| *d = (1.0 - *d / self.0).max(0.0));
    }
}

#[test]
fn models_with_weights_of_the_user_are_read_from_files() {
    let (x, queries) = (line(&[0.0, 1.0, 3.0]), line(&[0.25, 9.0]));
    let near = RadiusNeighbors::by_distance(Linear, 1.5).weighting(Triangle(1.0));
    let y = faer::mat![[4.0, 0.0], [8.0, 1.0], [9.0, 9.0]];
    let outputs = near.fit_outputs(&x, y.as_ref()).unwrap();
    // Weights 3/4 and 1/4.
    assert_eq!(outputs.predict(&queries).unwrap(), [Some(vec![5.0, 0.25]), None]);
    let bytes = postcard::to_stdvec(&outputs).unwrap();
    let read: RadiusMultiRegressor<Samples<f64>, Linear, Triangle> =
        postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, outputs);
    assert_eq!(read.predict(&queries).unwrap(), outputs.predict(&queries).unwrap());
    let labels = near.fit_multi_label(&x, &[[true, false], [false, true], [true, true]]).unwrap();
    let text = serde_json::to_string(&labels).unwrap();
    let read =
        |text: &str| serde_json::from_str::<RadiusMultiLabel<Samples<f64>, Linear, Triangle>>(text);
    assert_eq!(read(&text).unwrap(), labels);
    assert_eq!(read(&text).unwrap().shares(&queries).unwrap(), [Some(vec![0.75, 0.25]), None]);
    for (from, to, message) in [
        ("[[true,false],", "[[true],", "point 1 must have 1 labels"),
        ("[[true,false],", "[", "rows of labels: expected 3"),
        ("\"threshold\":1.5", "\"threshold\":-1.5", "radius"),
        ("\"format\":1", "\"format\":2", "model format 1 is supported"),
    ] {
        assert!(text.contains(from), "{text}");
        let error = read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    // What was written before there were weight functions has a name where they are now.
    let named =
        KNearest::by_distance(Linear).neighbors(1).fit_multi_label(&x, &[[true]; 3]).unwrap();
    let text = serde_json::to_string(&named).unwrap();
    assert!(text.contains("\"weighting\":\"Uniform\""), "{text}");
    assert_eq!(serde_json::from_str::<KnnMultiLabel<_, Linear>>(&text).unwrap(), named);
}

#[test]
fn bits_of_weighted_answers_on_any_number_of_threads_are_the_same() {
    let (x, queries) = (uniform::<f32>(500, 4, 47), uniform::<f32>(900, 4, 48));
    let y = Mat::from_fn(500, 2, |i, j| (i * (j + 3) % 19) as f32);
    let near = RadiusNeighbors::by_distance(Rbf::new(0.3).unwrap(), 0.4).weighting(gaussian);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| near.fit_outputs(&x, y.as_ref()).unwrap().predict(&queries).unwrap())
    };
    let expected = run(1);
    assert!([2, 8].into_iter().all(|threads| run(threads) == expected));
}

#[test]
fn targets_and_labels_within_a_threshold_that_do_not_fit_are_errors() {
    let x = line(&[0.0, 1.0]);
    let near = RadiusNeighbors::by_distance(Linear, 1.0);
    let error = near.fit_multi_label(&x, &[vec![true], vec![true, false]]).unwrap_err();
    assert_eq!(error, Error::LabelCount { point: 1, expected: 1, given: 2 });
    let length = |what| Error::Length { what, expected: 2, given: 1 };
    assert_eq!(near.fit_multi_label(&x, &[[true]]).unwrap_err(), length("rows of labels"));
    let short = faer::mat![[1.0, 2.0]];
    assert_eq!(near.fit_outputs(&x, short.as_ref()).unwrap_err(), length("targets"));
    let bad = faer::mat![[1.0, 2.0], [f64::NAN, 1.0]];
    let error = near.fit_outputs(&x, bad.as_ref()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 1, output: 0, .. }));
}
