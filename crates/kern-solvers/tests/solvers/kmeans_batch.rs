//! Tests of k-means by batches: equality with the same algorithm on coordinates, an objective near that of Lloyd's
//! algorithm, labels of any start, weights, kernel values that are counted, threads, files, and every error.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::fits::{with_weights, within};
use super::golden::digits;
use super::kmeans::details;
use kern_core::kernels::{Linear, Rbf, Spectrum};
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::kmeans::{KMeans, Seeding};
use kern_solvers::model::{Clusters, KernelExpansion};
use kern_solvers::space::OnKernel;
use kern_solvers::{Error, Status};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn uniform(n: usize, seed: u64) -> Samples<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..2 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    Samples::from_row_major(2, values).unwrap()
}

/// Batches of 1024 points.
fn batches<K>(kernel: K, k: usize) -> KMeans<OnKernel<K>> {
    KMeans::on_kernel(kernel, k).batch(1024)
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The points of a centre and their weights, which add up to 1.
type Centre = Vec<(usize, f64)>;

fn coordinates(x: &Samples<f64>, centre: &Centre) -> Vec<f64> {
    let coordinate = |j: usize| centre.iter().map(|&(i, weight)| weight * x.item(i)[j]).sum();
    (0..x.dim()).map(coordinate).collect()
}

/// The algorithm on coordinates, with the same draws: the centres after these iterations, and the objectives of the
/// batches.
fn by_coordinates(
    x: &Samples<f64>,
    weights: &[f64],
    seeds: &[usize],
    (seed, b, tau, iterations): (u64, usize, usize, usize),
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1 << 63);
    let mut centres: Vec<Centre> = seeds.iter().map(|&i| vec![(i, 1.0)]).collect();
    let mut objectives = Vec::new();
    let total: f64 = weights.iter().sum();
    for _ in 0..iterations {
        let places: Vec<Vec<f64>> = centres.iter().map(|centre| coordinates(x, centre)).collect();
        let mut members = vec![Vec::new(); centres.len()];
        let mut objective = 0.0;
        for _ in 0..b {
            let coin = total * rng.random::<f64>();
            let mut sum = 0.0;
            let i = weights.iter().position(|weight| {
                sum += weight;
                sum > coin
            });
            let distance = |c: &usize| squared(x.item(i.unwrap()), &places[*c]);
            let nearest = (0..places.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            objective += distance(&nearest.unwrap()) / b as f64;
            members[nearest.unwrap()].push(i.unwrap());
        }
        objectives.push(objective);
        for (centre, members) in centres.iter_mut().zip(&members) {
            let (count, alpha) = (members.len() as f64, (members.len() as f64 / b as f64).sqrt());
            centre.iter_mut().for_each(|(_, weight)| *weight *= 1.0 - alpha);
            centre.extend(members.iter().map(|&i| (i, alpha / count)));
            let last = centre.split_off(centre.len().saturating_sub(tau));
            let sum: f64 = last.iter().map(|(_, weight)| weight).sum();
            *centre = last.into_iter().map(|(i, weight)| (i, weight / sum)).collect();
        }
    }
    (centres.iter().map(|centre| coordinates(x, centre)).collect(), objectives)
}

#[test]
fn the_linear_kernel_is_mini_batch_k_means_on_coordinates() {
    let x = uniform(90, 2);
    let weights: Vec<f64> = (0..90).map(|i| f64::from(i % 4) / 2.0).collect();
    let seeds = [1, 2, 3, 89];
    // Centres of all points that they were given, of some, and of fewer than a batch gives them.
    for tau in [10_000, 30, 3] {
        for iterations in [0, 1, 2, 9] {
            let machine = batches(Linear, 4).seeding(Seeding::Given(seeds.to_vec()));
            let machine = machine.batch(40).truncation(tau).patience(100).seed(5);
            let model = with_weights(&machine.max_iterations(iterations), &x, &weights).unwrap();
            let report = model.report();
            assert_eq!((report.status, report.iterations), (Status::IterationsDone, iterations));
            let (centres, objectives) =
                by_coordinates(&x, &weights, &seeds, (5, 40, tau, iterations));
            let distances = model.distances(&x).unwrap();
            for i in 0..90 {
                for (c, centre) in centres.iter().enumerate() {
                    let exact = squared(x.item(i), centre).sqrt();
                    assert!((distances[(i, c)] - exact).abs() < 1e-7, "{tau} {iterations} {i} {c}");
                }
            }
            for (given, exact) in details(report).batch_objectives.iter().zip(&objectives) {
                assert!((given - exact).abs() < 1e-13, "{given} {exact}");
            }
        }
    }
}

/// Near the best of twenty runs of Lloyd's algorithm.
#[test]
fn the_objective_is_near_that_of_lloyds_algorithm() {
    let x = digits::points();
    let kernel = Rbf::new(1e-3).unwrap();
    let best = KMeans::on_kernel(kernel, 10).restarts(20).fit(&x).unwrap().report().objective;
    for seed in 0..10 {
        let machine = batches(kernel, 10).batch(200).seed(seed);
        let model = machine.restarts(3).fit(&x).unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged);
        assert!(report.objective < 1.05 * best, "{seed}: {} {best}", report.objective);
        // With centres of their own the same clusters cost less, and they are at least as many.
        let labels = Seeding::Labels(model.labels().to_vec());
        let own = KMeans::on_kernel(kernel, 10).seeding(labels).max_iterations(0).fit(&x).unwrap();
        assert!(own.report().objective <= report.objective && details(own.report()).empty == 0);
        assert_eq!(details(report).empty, 0);
    }
}

#[test]
fn the_report_says_what_the_model_does() {
    let x = uniform(300, 3);
    let weights: Vec<f64> = (0..300).map(|i| f64::from(i % 3)).collect();
    let (k, b, tau) = (5, 64, 40);
    let machine = batches(Rbf::new(2.0).unwrap(), k).batch(b).truncation(tau);
    let model = with_weights(&machine.trials(1), &x, &weights).unwrap();
    let (report, details) = (model.report(), details(model.report()));
    let distances = model.distances(&x).unwrap();
    let exact: f64 = (0..300).map(|i| weights[i] * distances[(i, model.labels()[i])].powi(2)).sum();
    assert!((report.objective - exact).abs() < 1e-11, "{} {exact}", report.objective);
    assert_eq!(model.predict(&x).unwrap(), model.labels());
    assert_eq!(model.sizes().iter().sum::<usize>(), 300);
    assert!(model.decision().points().len() <= k * tau && details.seeds.len() == k);
    // Two columns for each seed (to draw the others, and k for the first clusters), the iterations and the labels.
    let most = 2 * 300 * k + report.iterations * k * tau * (b + tau) + 300 * k * tau;
    assert!(details.kernel_values > 0 && details.kernel_values <= most as u64);
    assert!(report.iterations >= 10 && details.batch_objectives.len() == report.iterations);
    // It has converged, not before: of the windows before the last one, each was better by more than the tolerance.
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    for end in 10..=report.iterations {
        let (before, last) = details.batch_objectives[end - 10..end].split_at(5);
        assert_eq!(mean(before) - mean(last) <= 1e-3, end == report.iterations, "{end}");
    }
}

/// From the clusters that Lloyd's algorithm ends with there is nothing to gain.
#[test]
fn clusters_may_be_given() {
    let x = uniform(200, 6);
    let kernel = Rbf::new(1.0).unwrap();
    let lloyd = KMeans::on_kernel(kernel, 4).restarts(5).fit(&x).unwrap();
    let start = Seeding::Labels(lloyd.labels().to_vec());
    let machine = batches(kernel, 4).truncation(2000).seeding(start);
    let model = machine.fit(&x).unwrap();
    assert!(details(model.report()).seeds.is_empty() && model.report().iterations <= 20);
    assert!(model.report().objective < 1.02 * lloyd.report().objective);
    let differ = model.labels().iter().zip(lloyd.labels()).filter(|(a, b)| a != b).count();
    assert!(differ < 20, "{differ} of 200");
    // A label that no point has is a cluster without a centre.
    let start = Seeding::Labels((0..200).map(|i| 2 * (i % 2)).collect());
    let model = batches(kernel, 3).seeding(start).fit(&x).unwrap();
    assert_eq!((details(model.report()).empty, model.sizes()[1]), (1, 0));
    assert!(model.distances(&x).unwrap()[(0, 1)].is_infinite());
}

#[test]
fn points_of_weight_zero_have_no_say() {
    let mut rows: Vec<[f64; 1]> = (0..40).map(|i| [f64::from(i % 2) * 4.0]).collect();
    rows.push([1e6]);
    let x = Samples::from_rows(&rows).unwrap();
    let mut weights = vec![1.0; 41];
    weights[40] = 0.0;
    let machine = batches(Linear, 2).batch(30).truncation(50);
    let model = with_weights(&machine, &x, &weights).unwrap();
    assert!(model.report().objective < 1e-9, "{}", model.report().objective);
    assert_eq!(model.labels()[40], model.labels()[1], "nearest to 4");
    // Fewer different points than clusters.
    let model = batches(Linear, 4).fit(&x.select(&[0, 1, 2, 3]).unwrap()).unwrap();
    let report = details(model.report());
    assert_eq!((report.empty, report.seeds.len()), (2, 2));
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let x = uniform(900, 8);
    let machine = || {
        let machine = batches(Rbf::new(3.0).unwrap(), 6).batch(300);
        machine.restarts(2).seed(3)
    };
    let whole = machine().fit(&x).unwrap();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| machine().fit(&x)).unwrap(), whole, "{threads} threads");
    }
    assert_eq!(kern_gram::sequentially(|| machine().fit(&x)).unwrap(), whole);
    let other = machine().seed(4).fit(&x).unwrap();
    assert_ne!(details(other.report()).seeds, details(whole.report()).seeds);
    let text = serde_json::to_string(&whole).unwrap();
    let read: Clusters<KernelExpansion<Samples<f64>, Rbf>> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, whole);
    let broken = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        change(&mut value);
        serde_json::from_value::<Clusters<KernelExpansion<Samples<f64>, Rbf>>>(value).is_err()
    };
    assert!(broken(&|value| value["labels"][7] = 6.into()));
    assert!(broken(&|value| value["centres"]["norms"][2] = serde_json::Value::Null));
    assert!(broken(&|value| value["centres"]["masses"] = serde_json::json!([1.0])));
    assert!(!broken(&|_| ()));
}

#[test]
fn strings_are_clustered() {
    let words = ["banana", "bananas", "bandana", "oxidation", "oxidations", "oxidise"];
    let words: Vec<String> = words.map(String::from).to_vec();
    let machine = batches(Spectrum::new(2).unwrap(), 2).batch(20).restarts(5);
    let model = machine.fit(&words).unwrap();
    let labels = model.labels();
    assert!(labels[0] == labels[1] && labels[1] == labels[2] && labels[0] != labels[3]);
    assert!(labels[3] == labels[4] && labels[4] == labels[5]);
    assert_eq!(model.predict(&vec!["ananas".to_owned()]).unwrap(), [labels[0]]);
}

#[test]
fn what_cannot_be_is_refused() {
    let x = uniform(5, 1);
    let new = || batches(Linear, 2);
    let name = |machine: KMeans<OnKernel<Linear>>| match machine.fit(&x) {
        Err(Error::Count { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(batches(Linear, 6)), "k");
    assert_eq!(name(new().batch(0)), "batch");
    assert_eq!(name(new().truncation(0)), "truncation");
    assert_eq!(name(new().patience(0)), "patience");
    assert_eq!(name(new().restarts(0)), "restarts");
    for progress in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(new().progress(progress).fit(&x), Err(Error::Core(_))), "{progress}");
    }
    // Four times 2 · 3, 5 and 8 doubles, 8 points of 2 and a model of 5 points by 2.
    let machine = new().truncation(3).batch(8);
    let smallest = 8 * (4 * (6 + 5 + 8) + 8 * 2 + 5 * 2);
    assert!(within(&machine, &x, MemoryBudget::bytes(smallest)).is_ok());
    let error = within(&machine, &x, MemoryBudget::bytes(smallest - 1)).unwrap_err();
    let needs =
        matches!(error, Error::Gram(kern_gram::Error::Budget { needed, .. }) if needed == smallest);
    assert!(needs, "{error}");
    // A batch of which the indices alone are more than any machine has.
    for batch in [1 << 40, usize::MAX] {
        let error = new().batch(batch).fit(&x).unwrap_err();
        assert!(matches!(error, Error::Gram(kern_gram::Error::Budget { .. })), "{error}");
    }
    let model = new().fit(&x).unwrap();
    let narrow = Samples::from_rows(&[[1.0]]).unwrap();
    assert!(model.predict(&narrow).is_err() && model.distances(&narrow).is_err());
}
