//! Molecules as graphs: MUTAG (Debnath et al. 1991) through graph kernels and kernel ridge.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::ptr_arg, reason = "a collection of points is a vector, not a slice")]

use crate::real::claim;
use crate::support;
use kern::closure::Normalized;
use kern::kernels::{Graph, RandomWalk, ShortestPath, WeisfeilerLehman};
use kern::prelude::*;
use kern::solvers::Ridge;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

const FOLDS: usize = 10;
const SEEDS: u64 = 5;
const LAMBDA: f64 = 1e-4;

/// The share of molecules that are predicted right when their fold is left out.
fn cross_validated<K>(kernel: &K, lambda: f64, seed: u64, x: &Vec<Graph>, y: &[bool]) -> f64
where
    K: Mercer<Vec<Graph>> + Clone,
{
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let classes = |indices: &[usize]| indices.iter().map(|&i| y[i]).collect::<Vec<_>>();
    let mut hits = 0;
    for fold in 0..FOLDS {
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (at, &i) in order.iter().enumerate() {
            if at % FOLDS == fold { test.push(i) } else { train.push(i) }
        }
        let ridge = Ridge::on_kernel(kernel.clone()).lambda(lambda);
        let model = ridge.fit(&x.select(&train).unwrap(), &classes(&train)).unwrap();
        let predicted = model.predict(&x.select(&test).unwrap()).unwrap();
        hits += predicted.iter().zip(classes(&test)).filter(|(p, c)| *p == c).count();
    }
    hits as f64 / x.len() as f64
}

/// Asserts that the mean accuracy over the seeds is in a range.
fn assert_accuracy<K>(kernel: &K, [least, most]: [f64; 2], x: &Vec<Graph>, y: &[bool])
where
    K: Mercer<Vec<Graph>> + Clone + std::fmt::Display,
{
    let all: Vec<f64> = (0..SEEDS).map(|s| cross_validated(kernel, LAMBDA, s, x, y)).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let (low, high) = all.iter().fold((1.0_f64, 0.0_f64), |(l, h), &a| (l.min(a), h.max(a)));
    let what = format!(
        "ridge with {kernel}, lambda {LAMBDA}: accuracy from {least} to {most} in {FOLDS} folds, mean of {SEEDS} seeds"
    );
    let measured = format!("{mean:.4} ({low:.4} to {high:.4})");
    claim((least..=most).contains(&mean), "mutag", what, measured);
}

#[test]
fn data_is_what_its_description_says() {
    let Some((graphs, classes)) = support::mutag() else { return };
    assert_eq!((graphs.len(), classes.iter().filter(|&&c| c).count()), (188, 125));
    assert_eq!(graphs.iter().map(Graph::node_count).sum::<usize>(), 3371);
    assert_eq!(graphs.iter().map(Graph::edge_count).sum::<usize>(), 3721);
}

/// 0.8426 was measured (0.8298 to 0.8511 over the seeds), and as much with λ = 10⁻⁵ (0.8436) and
/// 10⁻³ (0.8457); 10⁻² is too stiff (0.7734). An SVM of scikit-learn on the same kernel has 0.846;
/// the larger class alone 0.665. One standard deviation of 188 answers is 0.027.
#[test]
fn weisfeiler_lehman_predicts_mutagenicity() {
    let Some((graphs, classes)) = support::mutag() else { return };
    let kernel = Normalized::new(WeisfeilerLehman::new(3).unwrap());
    assert_accuracy(&kernel, [0.8, 0.92], &graphs, &classes);
}

/// 0.8181 was measured (0.7979 to 0.8298).
#[test]
fn shortest_path_predicts_mutagenicity() {
    let Some((graphs, classes)) = support::mutag() else { return };
    assert_accuracy(&Normalized::new(ShortestPath), [0.78, 0.92], &graphs, &classes);
}

/// Every other molecule predicts the rest. 0.8085 was measured.
#[test]
fn random_walk_predicts_mutagenicity() {
    let Some((graphs, classes)) = support::mutag() else { return };
    // Carbon has four bonds at most.
    assert!((RandomWalk::limit(&graphs) - 1.0 / 16.0).abs() <= 0.0);
    let half = |first: usize| -> (Vec<Graph>, Vec<bool>) {
        let every_other = graphs.iter().cloned().zip(classes.iter().copied());
        every_other.skip(first).step_by(2).unzip()
    };
    let ((x, y), (others, answers)) = (half(0), half(1));
    let kernel = Normalized::new(RandomWalk::new(0.05).unwrap());
    let model = Ridge::on_kernel(kernel).lambda(LAMBDA).fit(&x, &y).unwrap();
    let accuracy = model.accuracy(&others, &answers).unwrap();
    let what = format!("ridge with {kernel} on one half: accuracy at least 0.75 on the other");
    claim(accuracy >= 0.75, "mutag", what, format_args!("{accuracy:.4}"));
    assert!(Ridge::on_kernel(RandomWalk::new(0.0625).unwrap()).fit(&x, &y).is_err());
}

#[test]
fn model_on_graphs_is_the_same_after_a_file() {
    let Some((graphs, classes)) = support::mutag() else { return };
    let kernel = Normalized::new(WeisfeilerLehman::new(2).unwrap());
    let model = Ridge::on_kernel(kernel).lambda(LAMBDA).fit(&graphs, &classes).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let read: kern::solvers::Classifier<
        kern::solvers::KernelExpansion<Vec<Graph>, Normalized<WeisfeilerLehman>>,
        bool,
    > = serde_json::from_str(&text).unwrap();
    assert_eq!(read.decision_values(&graphs).unwrap(), model.decision_values(&graphs).unwrap());
}
