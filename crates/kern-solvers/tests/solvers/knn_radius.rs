//! Tests of all neighbours within a threshold: equality with the whole ranking, none at all,
//! golden values of scikit-learn, files and errors.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::golden::knn as golden;
use super::knn::{CommonLetters, indices, line, uniform, words};
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::{Mercer, Samples, Scalar};
use kern_solvers::knn::{KNearest, Neighbor, Neighbors, RadiusNeighbors, Weighting, Within};
use kern_solvers::{Error, Labels, Values};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The rows without the neighbours that are not meant.
fn cut<T: Scalar>(rows: &[Vec<Neighbor<T>>], keep: impl Fn(f64) -> bool) -> Vec<Vec<Neighbor<T>>> {
    let cut = |row: &Vec<Neighbor<T>>| -> Vec<_> {
        row.iter().copied().filter(|n| keep(n.score.to_f64())).collect()
    };
    rows.iter().map(cut).collect()
}

fn assert_equals_ranking_of_all<T: Scalar, K: Mercer<Samples<T>> + Copy>(kernel: K) {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    for (n, q) in [(1, 1), (257, 17), (600, 70)] {
        let (x, queries) = (uniform(n, 3, 32), uniform(q, 3, 33));
        let similar = KNearest::by_similarity(kernel).neighbors(n).fit(&x, ()).unwrap();
        let similar = similar.neighbors(&queries).unwrap();
        let near = KNearest::by_distance(kernel).neighbors(n).fit(&x, ()).unwrap();
        let near = near.neighbors(&queries).unwrap();
        for _ in 0..8 {
            // Thresholds that are met exactly: the bound is part of what it bounds.
            let (row, at) = (rng.random_range(0..q), rng.random_range(0..n));
            let t = similar[row][at].score.to_f64();
            let model = RadiusNeighbors::by_similarity(kernel, t).fit(&x, ()).unwrap();
            assert_eq!(model.neighbors(&queries).unwrap(), cut(&similar, |score| score >= t));
            let r = near[row][at].score.to_f64();
            let model = RadiusNeighbors::by_distance(kernel, r).fit(&x, ()).unwrap();
            assert_eq!(model.neighbors(&queries).unwrap(), cut(&near, |score| score <= r));
        }
    }
}

#[test]
fn neighbors_f64_are_the_head_of_the_ranking() {
    assert_equals_ranking_of_all::<f64, _>(Rbf::new(0.7).unwrap());
    assert_equals_ranking_of_all::<f64, _>(Linear);
    assert_equals_ranking_of_all::<f64, _>(Polynomial::new(1.0, 1.0, 2).unwrap());
}

#[test]
fn neighbors_f32_are_the_head_of_the_ranking() {
    assert_equals_ranking_of_all::<f32, _>(Rbf::new(0.7).unwrap());
    assert_equals_ranking_of_all::<f32, _>(Linear);
    assert_equals_ranking_of_all::<f32, _>(Polynomial::new(1.0, 1.0, 2).unwrap());
}

#[test]
fn radius_zero_finds_copies_in_order_of_index() {
    let x = uniform::<f32>(300, 5, 34).select_cyclic();
    let model = RadiusNeighbors::by_distance(Rbf::new(2.0).unwrap(), 0.0);
    let rows = model.fit(&x, &[0.0; 600]).unwrap().neighbors(&x).unwrap();
    let expected: Vec<Vec<usize>> = (0..600).map(|i| vec![i % 300, i % 300 + 300]).collect();
    assert_eq!(indices(&rows), expected);
}

/// All points twice.
trait Twice {
    fn select_cyclic(self) -> Self;
}

impl Twice for Samples<f32> {
    fn select_cyclic(self) -> Self {
        Self::from_row_major(5, [self.as_slice(), self.as_slice()].concat()).unwrap()
    }
}

#[test]
fn strings_within_a_threshold() {
    let x = words(&["kernel", "kernels and more kernels", "gram", "colonel"]);
    let queries = words(&["kernel", "zzzzzzzzz"]);
    let similar = RadiusNeighbors::by_similarity(CommonLetters, 3.0).fit(&x, &[1.0; 4]).unwrap();
    assert_eq!(indices(&similar.neighbors(&queries).unwrap()), [vec![0, 1, 3], vec![]]);
    // d² to "colonel" is 6 + 7 − 2·3.
    let near = RadiusNeighbors::by_distance(CommonLetters, 2.7).fit(&x, &[1.0, 0.0, 0.0, 2.0]);
    assert_eq!(near.unwrap().predict(&queries).unwrap(), [Some(1.5), None]);
}

#[test]
fn query_without_neighbors_has_no_answer() {
    let x = line(&[0.0, 1.0, 5.0]);
    let near = RadiusNeighbors::by_distance(Linear, 0.5);
    let model = near.fit(&x, &["a", "b", "b"]).unwrap();
    let queries = line(&[0.25, 3.0, 5.5]);
    assert_eq!(model.predict(&queries).unwrap(), [Some("a"), None, Some("b")]);
    assert_eq!(
        model.predict_proba(&queries).unwrap(),
        faer::mat![[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    );
    let accuracy = model.accuracy(&queries, &["a", "a", "b"]).unwrap();
    assert!((accuracy - 2.0 / 3.0).abs() < 1e-15);
    let model = near.fit(&x, &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(model.predict(&queries).unwrap(), [Some(1.0), None, Some(3.0)]);
    let nothing = Samples::from_row_major(1, vec![]).unwrap();
    assert!(model.predict(&nothing).unwrap().is_empty());
}

#[test]
fn predictions_equal_those_of_scikit_learn() {
    let x = Samples::from_rows(&golden::X).unwrap();
    let queries = Samples::from_rows(&golden::QUERIES).unwrap();
    let near = RadiusNeighbors::by_distance(Linear, 0.45).weighting(Weighting::Weighted);
    let model = near.fit(&x, &golden::SPECIES).unwrap();
    let found: Vec<usize> = model.neighbors(&queries).unwrap().iter().map(Vec::len).collect();
    assert_eq!(found, golden::FOUND);
    let predicted = model.predict(&queries).unwrap();
    assert_eq!(predicted.iter().map(|p| p.unwrap_or(-1)).collect::<Vec<_>>(), golden::PREDICTED);
    let widths = golden::TARGETS.map(|[width, _]| width);
    let means = near.fit(&x, &widths).unwrap().predict(&queries).unwrap();
    for (mean, expected) in means.iter().zip(golden::MEANS) {
        match mean {
            // The weights 1/d err by 1e-12, since d² does by 512 round-offs of ‖x‖² ≤ 130.
            Some(mean) => assert!((mean - expected).abs() < 1e-9, "{mean} {expected}"),
            None => assert!(expected.is_nan()),
        }
    }
}

#[test]
fn bits_on_any_number_of_threads_are_the_same() {
    let (x, queries) = (uniform::<f32>(700, 4, 35), uniform::<f32>(1100, 4, 36));
    let labels: Vec<usize> = (0..700).map(|i| i % 5).collect();
    let params = RadiusNeighbors::by_distance(Rbf::new(0.3).unwrap(), 0.4);
    let params = params.clone().weighting(Weighting::Weighted);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = params.fit(&x, &labels).unwrap();
            let rows = model.neighbors(&queries).unwrap();
            let rows: Vec<_> = rows.concat().iter().map(|n| (n.index, n.score.to_bits())).collect();
            (rows, model.predict_proba(&queries).unwrap(), model.predict(&queries).unwrap())
        })
    };
    let expected = run(1);
    assert!(expected.0.len() > 10_000, "{}", expected.0.len());
    assert!([2, 8].into_iter().all(|threads| run(threads) == expected));
}

#[test]
fn models_reloaded_predict_the_same_and_bad_files_are_refused() {
    let (x, queries) = (line(&[0.0, 1.0, 2.0]), line(&[0.1, 7.0]));
    let near = RadiusNeighbors::by_distance(Rbf::new(1.0).unwrap(), 0.5);
    let classifier = near.fit(&x, &["a", "b", "a"].map(String::from)).unwrap();
    let text = serde_json::to_string(&classifier).unwrap();
    let reloaded: Neighbors<Samples<f64>, Rbf, Labels<String>, Within> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(reloaded, classifier);
    assert_eq!(reloaded.predict(&queries).unwrap(), classifier.predict(&queries).unwrap());
    let regressor = near.fit(&x, &[1.5, 2.5, 3.5]).unwrap();
    let bytes = postcard::to_stdvec(&regressor).unwrap();
    assert_eq!(
        postcard::from_bytes::<Neighbors<_, _, Values<_>, Within>>(&bytes).unwrap(),
        regressor
    );
    let text = serde_json::to_string(&regressor).unwrap();
    for (from, to, message) in [
        ("\"threshold\":0.5", "\"threshold\":-0.5", "radius"),
        ("[1.5,2.5,3.5]", "[1.5,2.5]", "targets: expected 3"),
        ("\"format\":[3", "\"format\":[4", "model format 3 is supported"),
    ] {
        assert!(text.contains(from), "{text}");
        let read = serde_json::from_str::<Neighbors<Samples<f64>, Rbf, Values<f64>, Within>>(
            &text.replace(from, to),
        );
        let error = read.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    // A model of the nearest ones is none within a threshold.
    let nearest = KNearest::by_distance(Rbf::new(1.0).unwrap()).neighbors(2);
    let nearest = serde_json::to_string(&nearest.fit(&x, &[1.5, 2.5, 3.5]).unwrap()).unwrap();
    let read = serde_json::from_str::<Neighbors<Samples<f64>, Rbf, Values<f64>, Within>>(&nearest);
    assert!(read.unwrap_err().to_string().contains("so many nearest ones"));
    assert!(serde_json::from_str::<Neighbors<Samples<f64>, Rbf, Values<f64>>>(&text).is_err());
}

#[test]
fn thresholds_that_are_none_are_errors() {
    let x = line(&[0.0, 1.0]);
    for radius in [-1e-9, f64::NAN, f64::INFINITY] {
        let fit = RadiusNeighbors::by_distance(Linear, radius).fit(&x, &[0.0; 2]);
        assert!(matches!(
            fit,
            Err(Error::Core(kern_core::Error::Parameter { name: "radius", .. }))
        ));
    }
    for threshold in [f64::NAN, f64::NEG_INFINITY] {
        let fit = RadiusNeighbors::by_similarity(Linear, threshold).fit(&x, &[0.0; 2]);
        let error = fit.unwrap_err();
        assert!(
            matches!(error, Error::Core(kern_core::Error::Parameter { name: "threshold", .. })),
            "{error}"
        );
    }
    // A similarity may be negative.
    let all = RadiusNeighbors::by_similarity(Linear, -1.0).fit(&x, &[0.0, 1.0]).unwrap();
    assert_eq!(all.predict(&line(&[-1.0])).unwrap(), [Some(0.5)]);
    let one = RadiusNeighbors::by_distance(Linear, 1.0);
    assert_eq!(one.fit(&x, &[1, 1]).unwrap_err(), Error::OneClass { points: 2 });
    let error = Error::Length { what: "targets", expected: 2, given: 1 };
    assert_eq!(one.fit(&x, &[1.0]).unwrap_err(), error);
}

#[test]
fn kernel_value_not_finite_is_an_error_at_its_place() {
    let x = line(&[1.0, 1e200]);
    let model = RadiusNeighbors::by_similarity(Linear, 0.5).fit(&x, &[0.0; 2]).unwrap();
    assert!(matches!(
        model.neighbors(&line(&[1.0, 1e200])).unwrap_err(),
        Error::Gram(kern_gram::Error::NotFinite { row: 1, col: 1, .. })
    ));
}
