//! Tests of weight functions of the user, and of several targets and labels within a threshold: golden values of
//! scikit-learn, weights that are none, files.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::golden::knn as golden;
use super::knn::{line, uniform};
use faer::Mat;
use kern_core::Samples;
use kern_core::kernels::{Linear, Rbf};
use kern_solvers::knn::{
    KNearest, Nearness, Neighbors, RadiusNeighbors, SearchAlgorithm, WeightFunction, Weighting,
    Within,
};
use kern_solvers::{
    ClassWeights, Data, Error, LabelSets, Learner, Outputs, Progress, Run, Status, Targets,
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
    let outputs = params.fit(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
    let classifier = params.fit(&x, &golden::SPECIES).unwrap();
    let shares = classifier.predict_proba(&queries).unwrap();
    let within = RadiusNeighbors::by_distance(Linear, 0.45).weighting(gaussian);
    let within = within.fit(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
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
        let outputs = near.fit(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
        let multi = near.fit(&x, LabelSets::new(&labels).unwrap()).unwrap();
        let (given, shares) =
            (multi.predict(&queries).unwrap(), multi.vote_fractions(&queries).unwrap());
        let none = outputs.iter().filter(|row| row.is_none()).count();
        assert!(none > 0 && none < 60, "{none}");
        for j in 0..3 {
            let of = |row: &Option<Vec<f32>>| row.as_ref().map(|row| row[j]);
            let alone = near.fit(&x, y.col_as_slice(j)).unwrap().predict(&queries).unwrap();
            assert_eq!(outputs.iter().map(of).collect::<Vec<_>>(), alone);
            let label: Vec<bool> = labels.iter().map(|row| row[j]).collect();
            let alone = near.fit(&x, &label).unwrap();
            let column: Vec<_> = given.iter().map(|row| row.as_ref().map(|row| row[j])).collect();
            assert_eq!(column, alone.predict(&queries).unwrap());
            let votes = alone.predict_proba(&queries).unwrap();
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
        let model = params.clone().weighting(move |_: f64| constant).fit(&x, &y).unwrap();
        assert_eq!(model.predict(&queries).unwrap(), uniform, "{constant}");
    }
    // The similarity, as it is, is the named weighting.
    let named = params.clone().weighting(Weighting::Weighted).fit(&x, &y).unwrap();
    let own = params.clone().weighting(|similarity: f64| similarity).fit(&x, &y).unwrap();
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
        let classifier = near.fit(&x, &[0, 1, 0]).unwrap();
        second(classifier.predict(&one).unwrap_err());
        second(classifier.predict_proba(&one).unwrap_err());
        second(classifier.accuracy(&one, &[0]).unwrap_err());
        let y = Mat::<f64>::zeros(3, 2);
        second(near.fit(&x, y.as_ref()).unwrap().predict(&one).unwrap_err());
        let labels = near.fit(&x, LabelSets::new(&[[true], [false], [true]]).unwrap()).unwrap();
        second(labels.predict(&one).unwrap_err());
        second(labels.vote_fractions(&one).unwrap_err());
        // Within 0.8 of 0 and of 1 there is one point each, and two of 2.25 − 0.5.
        let queries = line(&[0.0, 1.6, 1.0]);
        let within = RadiusNeighbors::by_distance(Linear, 0.8).weighting(weight);
        check(within.fit(&x, &[0.0; 3]).unwrap().predict(&queries).unwrap_err());
        let classifier = within.fit(&x, &[0, 1, 0]).unwrap();
        check(classifier.predict(&queries).unwrap_err());
        check(within.fit(&x, y.as_ref()).unwrap().predict(&queries).unwrap_err());
        let labels = within.fit(&x, LabelSets::new(&[[true], [false], [true]]).unwrap()).unwrap();
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
    let outputs = near.fit(&x, y.as_ref()).unwrap();
    // Weights 3/4 and 1/4.
    assert_eq!(outputs.predict(&queries).unwrap(), [Some(vec![5.0, 0.25]), None]);
    let bytes = postcard::to_stdvec(&outputs).unwrap();
    let read: Neighbors<Samples<f64>, Linear, Outputs<f64>, Within, Triangle> =
        postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, outputs);
    assert_eq!(read.predict(&queries).unwrap(), outputs.predict(&queries).unwrap());
    let labels = near
        .fit(&x, LabelSets::new(&[[true, false], [false, true], [true, true]]).unwrap())
        .unwrap();
    let text = serde_json::to_string(&labels).unwrap();
    let read = |text: &str| {
        serde_json::from_str::<Neighbors<Samples<f64>, Linear, LabelSets, Within, Triangle>>(text)
    };
    assert_eq!(read(&text).unwrap(), labels);
    assert_eq!(
        read(&text).unwrap().vote_fractions(&queries).unwrap(),
        [Some(vec![0.75, 0.25]), None]
    );
    for (from, to, message) in [
        ("[[true,false],", "[[true],", "point 1 must have 1 labels"),
        ("[[true,false],", "[", "targets: expected 3"),
        ("\"threshold\":1.5", "\"threshold\":-1.5", "radius"),
        ("\"format\":[3", "\"format\":[4", "model format 3 is supported"),
    ] {
        assert!(text.contains(from), "{text}");
        let error = read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    // What was written before there were weight functions has a name where they are now.
    let named = KNearest::by_distance(Linear)
        .neighbors(1)
        .fit(&x, LabelSets::new(&[[true]; 3]).unwrap())
        .unwrap();
    let text = serde_json::to_string(&named).unwrap();
    assert!(text.contains("\"weighting\":\"Uniform\""), "{text}");
    assert_eq!(serde_json::from_str::<Neighbors<_, Linear, LabelSets>>(&text).unwrap(), named);
}

#[test]
fn bits_of_weighted_answers_on_any_number_of_threads_are_the_same() {
    let (x, queries) = (uniform::<f32>(500, 4, 47), uniform::<f32>(900, 4, 48));
    let y = Mat::from_fn(500, 2, |i, j| (i * (j + 3) % 19) as f32);
    let near = RadiusNeighbors::by_distance(Rbf::new(0.3).unwrap(), 0.4).weighting(gaussian);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| near.fit(&x, y.as_ref()).unwrap().predict(&queries).unwrap())
    };
    let expected = run(1);
    assert!([2, 8].into_iter().all(|threads| run(threads) == expected));
}

#[test]
fn targets_and_labels_within_a_threshold_that_do_not_fit_are_errors() {
    let x = line(&[0.0, 1.0]);
    let near = RadiusNeighbors::by_distance(Linear, 1.0);
    let error = LabelSets::new(&[vec![true], vec![true, false]]).unwrap_err();
    assert_eq!(error, Error::LabelCount { point: 1, expected: 1, given: 2 });
    let length = |what| Error::Length { what, expected: 2, given: 1 };
    assert_eq!(near.fit(&x, LabelSets::new(&[[true]]).unwrap()).unwrap_err(), length("targets"));
    let short = faer::mat![[1.0, 2.0]];
    assert_eq!(near.fit(&x, short.as_ref()).unwrap_err(), length("targets"));
    let bad = faer::mat![[1.0, 2.0], [f64::NAN, 1.0]];
    let error = near.fit(&x, bad.as_ref()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 1, output: 0, .. }));
}

/// Points of weight w are w points within a threshold, and among all points; one of weight 0 is none.
#[test]
fn weights_are_repeated_points_among_the_same_neighbours() {
    let (x, queries) = (uniform::<f64>(60, 2, 51), uniform::<f64>(40, 2, 52));
    let times: Vec<usize> = (0..60).map(|i| i * 5 % 4).collect();
    let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
    let repeated: Vec<usize> = (0..60).flat_map(|i| vec![i; times[i]]).collect();
    let labels: Vec<usize> = (0..60).map(|i| i % 3).collect();
    let y = Mat::from_fn(60, 2, |i, j| (i * (j + 3) % 19) as f64);
    let sets: Vec<[bool; 2]> = (0..60).map(|i| [i % 2 == 0, i % 5 == 0]).collect();
    for weighting in [Weighting::Uniform, Weighting::Weighted] {
        let within = RadiusNeighbors::by_distance(Linear, 0.4).weighting(weighting);
        let all = |k| KNearest::by_distance(Linear).neighbors(k).weighting(weighting);
        let heavy = Data::new(&x, &labels).unwrap().weights(&weights).unwrap();
        let plain = Data::new(&x, &labels).unwrap().select(&repeated).unwrap();
        let run = &mut Run::new();
        let (a, b) = (within.learn(&heavy, run).unwrap(), within.learn(&plain, run).unwrap());
        assert_eq!(a.predict(&queries).unwrap(), b.predict(&queries).unwrap());
        let (a, b) = (a.predict_proba(&queries).unwrap(), b.predict_proba(&queries).unwrap());
        assert!((a - b).norm_max() < 1e-14);
        // The nearest ones of as many as there are.
        let kept = times.iter().filter(|&&t| t > 0).count();
        let a = all(kept).learn(&heavy, run).unwrap();
        let b = all(repeated.len()).learn(&plain, run).unwrap();
        assert_eq!(kern_core::Points::len(a.points()), kept);
        let (a, b) = (a.predict_proba(&queries).unwrap(), b.predict_proba(&queries).unwrap());
        assert!((a - b).norm_max() < 1e-14);
        assert!(matches!(all(kept + 1).learn(&heavy, run), Err(Error::Count { .. })));
        let (heavy, plain) =
            (heavy.with_targets(y.as_ref()).unwrap(), Data::new(&x, y.as_ref()).unwrap());
        let a = within.learn(&heavy, run).unwrap().predict(&queries).unwrap();
        let plain = plain.select(&repeated).unwrap();
        let b = within.learn(&plain, run).unwrap().predict(&queries).unwrap();
        let close =
            |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        let agree = |(a, b): (&Option<Vec<f64>>, &Option<Vec<f64>>)| match (a, b) {
            (Some(a), Some(b)) => close(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        assert!(a.iter().zip(&b).all(agree));
        let sets = LabelSets::new(&sets).unwrap();
        let heavy = heavy.with_targets(sets.clone()).unwrap();
        let plain = Data::new(&x, sets.select(&(0..60).collect::<Vec<_>>())).unwrap();
        let a = within.learn(&heavy, run).unwrap().predict(&queries).unwrap();
        let plain = plain.select(&repeated).unwrap();
        assert_eq!(a, within.learn(&plain, run).unwrap().predict(&queries).unwrap());
    }
}

#[test]
fn weights_of_classes_turn_votes() {
    let (x, query) = (line(&[1.0, 2.0, 3.0]), line(&[0.0]));
    let near = KNearest::by_distance(Linear).neighbors(3);
    let y = ["rare", "common", "common"];
    assert_eq!(near.fit(&x, &y).unwrap().predict(&query).unwrap(), ["common"]);
    let each = |weights: [f64; 2]| {
        let model = near.clone().class_weights(ClassWeights::Each(weights.to_vec())).fit(&x, &y);
        model.unwrap().predict_proba(&query).unwrap()
    };
    assert_eq!(each([1.0, 6.0]), faer::mat![[0.25, 0.75]]);
    assert_eq!(each([1e308, 1e-308]), faer::mat![[1.0, 0.0]]);
    let balanced = near.clone().class_weights(ClassWeights::Balanced).fit(&x, &y).unwrap();
    assert!((balanced.predict_proba(&query).unwrap()[(0, 0)] - 0.5).abs() < 1e-15);
    let data = Data::new(&x, &y).unwrap().weights(&[0.0, 1.0, 1.0]).unwrap();
    let error = near.learn(&data, &mut Run::new()).unwrap_err();
    assert_eq!(error, Error::NoClassWeight { class: 1 });
    let text = serde_json::to_string(&balanced).unwrap();
    let read = |text: &str| {
        serde_json::from_str::<Neighbors<Samples<f64>, Linear, kern_solvers::Labels<String>>>(text)
    };
    let model = read(&text).unwrap();
    assert_eq!(model.predict_proba(&query).unwrap(), balanced.predict_proba(&query).unwrap());
    assert!(text.contains("\"weights\":[1.5,0.75,0.75]"), "{text}");
    for bad in ["[1.5,0.75]", "[1.5,-0.75,0.75]", "[1.5,0.0,0.75]"] {
        assert!(read(&text.replace("[1.5,0.75,0.75]", bad)).is_err(), "{bad}");
    }
}

#[test]
fn an_observer_sees_what_is_remembered() {
    let x = line(&[0.0, 1.0]);
    let mut seen = 0;
    let mut stop = |_: &Progress| {
        seen += 1;
        std::ops::ControlFlow::Break(())
    };
    let mut run = Run::new().observer(&mut stop);
    let near = KNearest::by_distance(Linear).neighbors(1);
    let model = near.learn(&Data::unlabelled(&x).unwrap(), &mut run).unwrap();
    assert_eq!((model.report().status, seen), (Status::Stopped, 1));
    assert_eq!(model.predict(&x).unwrap(), [[0], [1]]);
    let within = RadiusNeighbors::by_distance(Linear, 0.5).fit(&x, ()).unwrap();
    assert_eq!(within.predict(&line(&[0.2, 9.0])).unwrap(), [Some(vec![0]), None]);
}

/// Distances near 0 are rounding noise of the kernel, and in the order of the ranks all the same.
#[test]
fn distances_that_are_noise_are_in_order() {
    let step = |i: usize| 2e-4 + 1e-9 * i as f64;
    let x = Samples::from_row_major(1, (0..2000).map(|i| step(i) as f32).collect()).unwrap();
    let query = Samples::from_row_major(1, vec![0.0_f32]).unwrap();
    for gamma in [1e3, 3e4, 1e6] {
        let near = KNearest::by_distance(Rbf::new(gamma).unwrap()).neighbors(2000);
        let row = near.fit(&x, ()).unwrap().neighbors(&query).unwrap().remove(0);
        assert!(row.is_sorted_by(|a, b| a.score <= b.score), "{gamma}");
    }
}

/// Kernel values alone: neighbours of given queries are those of the kernel.
#[test]
fn given_kernel_values_have_the_neighbours_of_their_kernel() {
    let (x, queries) = (uniform::<f64>(50, 2, 53), uniform::<f64>(9, 2, 54));
    let kernel = Rbf::new(0.7).unwrap();
    let budget = kern_gram::MemoryBudget::mebibytes(1);
    let gram = kern_gram::DenseGram::new(&kernel, &x, &budget).unwrap();
    let cross = kern_gram::CrossGram::new(&kernel, &queries, &x).unwrap();
    let cross = cross.to_dense(&budget).unwrap();
    let given = kern_gram::GivenPoints::of_gram(gram);
    let asked = kern_gram::GivenPoints::of_cross(cross).unwrap();
    let asked = asked.with_diag(&[1.0; 9]).unwrap();
    let y: Vec<usize> = (0..50).map(|i| i % 3).collect();
    let exact = KNearest::by_similarity(kernel).fit(&x, &y).unwrap();
    let model = KNearest::by_similarity(kern_gram::Precomputed).fit(&given, &y).unwrap();
    assert_eq!(model.predict(&asked).unwrap(), exact.predict(&queries).unwrap());
    let exact = KNearest::by_distance(kernel).fit(&x, &y).unwrap();
    for by in [SearchAlgorithm::Brute, kern_solvers::knn::VantageTree::new().leaf(4).into()] {
        let near = KNearest::by_distance(kern_gram::Precomputed).search(by);
        let model = near.fit(&given, &y).unwrap();
        assert_eq!(model.predict(&asked).unwrap(), exact.predict(&queries).unwrap());
    }
}
