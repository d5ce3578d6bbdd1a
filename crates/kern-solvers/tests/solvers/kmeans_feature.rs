//! Tests of k-means on features: equality with k-means on the Gram matrix of the same features, bounds that change
//! nothing but the work, features that are stored or not, threads, empty clusters, weights, and every error.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::fits::{with_weights, within};
use super::golden::logistic::X as IRIS;
use super::kmeans::details;
use kern_approx::{Nystrom, RandomFourier};
use kern_core::faer::MatMut;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{FeatureMap, Identity, Points, Samples, Scalar, Scratch};
use kern_gram::MemoryBudget;
use kern_solvers::kmeans::{KMeans, Seeding};
use kern_solvers::model::{CentredMap, Clusters, FeatureExpansion};
use kern_solvers::{Error, Status};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// n points around `centres` places of the cube [−3, 3]^dim.
fn clustered<T: Scalar>(n: usize, dim: usize, centres: usize, seed: u64) -> Samples<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let places: Vec<f64> = (0..centres * dim).map(|_| rng.random_range(-3.0..3.0)).collect();
    let mut coordinate =
        |at: usize| places[at / dim % centres * dim + at % dim] + rng.random_range(-1.0..1.0);
    Samples::from_row_major(dim, (0..n * dim).map(|at| T::from_f64(coordinate(at))).collect())
        .unwrap()
}

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The identity map is the linear kernel, seeds included.
    #[test]
    fn features_are_a_kernel(
        n in 5..700_usize, k in 1..9_usize, dim in 1..6_usize, seed in 0..u64::MAX, weighted in any::<bool>(),
    ) {
        are_a_kernel((n, k, dim), seed, weighted)?;
    }
}

/// Two candidates that are nearest to each other leave the same cost: the first of them becomes a seed, in both spaces.
#[test]
fn equals_are_equal_in_both_spaces() {
    are_a_kernel((8, 3, 4), 6391936331375567732, false).unwrap();
}

fn are_a_kernel(
    (n, k, dim): (usize, usize, usize),
    seed: u64,
    weighted: bool,
) -> Result<(), TestCaseError> {
    let (x, k) = (clustered::<f64>(n, dim, 4, seed), k.min(n));
    let weights: Vec<f64> = (0..n).map(|i| if weighted { (i % 3) as f64 } else { 1.0 }).collect();
    let by_kernel = KMeans::on_kernel(Linear, k).seed(seed);
    let by_kernel = with_weights(&by_kernel, &x, &weights).unwrap();
    let machine = KMeans::on_features(Identity::new(dim), k).seed(seed);
    let model = with_weights(&machine, &x, &weights).unwrap();
    let (report, expected) = (model.report(), by_kernel.report());
    prop_assert!((report.objective - expected.objective).abs() < 1e-10 * n as f64);
    prop_assert_eq!(report.status, Status::Converged);
    let (report, expected) = (details(report), details(expected));
    prop_assert_eq!(&report.seeds, &expected.seeds);
    prop_assert_eq!(model.labels(), by_kernel.labels());
    prop_assert_eq!(&report.reassigned, &expected.reassigned);
    prop_assert!(report.objectives.is_sorted_by(|a, b| a >= b));
    prop_assert_eq!(model.predict(&x).unwrap(), model.labels());
    // Bounds change the work only.
    let plain = with_weights(&machine.bounds(false), &x, &weights).unwrap();
    prop_assert_eq!(plain.labels(), model.labels());
    let plain = details(plain.report());
    prop_assert_eq!(&plain.objectives, &report.objectives);
    // To fill an empty cluster all distances are computed once more.
    let passes = if report.reseeded + report.empty > 0 { 2 } else { 1 };
    prop_assert!(report.distances <= passes * plain.distances);
    Ok(())
}

/// ```python
/// X = load_iris().data[1::5][:, :3]  # scikit-learn 1.9.1, numpy 2.4.6
/// KMeans(3, init=X[[0, 1, 2]], n_init=1, algorithm="lloyd", tol=0).fit(X)
/// ```
#[test]
fn iris_is_divided_as_by_scikit_learn() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let machine = KMeans::on_features(Identity::new(3), 3).seeding(Seeding::Given(vec![0, 1, 2]));
    let model = machine.fit(&x).unwrap();
    let mut labels = [2; 30];
    labels[..10].copy_from_slice(&[0, 1, 1, 1, 1, 1, 1, 1, 0, 1]);
    assert_eq!(model.labels(), labels);
    assert!(close(model.report().objective, 18.199500000000004, 1e-12));
    let centres = model.centres();
    for c in 0..3 {
        let members: Vec<usize> = (0..30).filter(|&i| labels[i] == c).collect();
        for j in 0..3 {
            let mean = members.iter().map(|&i| IRIS[i][j]).sum::<f64>() / members.len() as f64;
            assert!((centres[(j, c)] - mean).abs() < 1e-13);
        }
    }
}

#[test]
fn the_bits_depend_neither_on_threads_nor_on_what_is_stored() {
    let x = clustered::<f32>(3000, 5, 6, 2);
    let map = RandomFourier::new(Rbf::new(0.2).unwrap()).dim(40).seed(1).sample(5).unwrap();
    let machine = || KMeans::on_features(&map, 7).seed(3).restarts(2);
    let whole = machine().fit(&x).unwrap();
    assert!(whole.report().iterations > 3);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| machine().fit(&x)).unwrap(), whole, "{threads} threads");
    }
    // What is needed at least: 36 sums of 40 × 7 doubles, 32 blocks of 256 × (2·40 + 16); features take 480 000 more.
    let smallest = 36 * 40 * 7 * 8 + 32 * 256 * 96 * 4;
    let streamed = within(&machine(), &x, MemoryBudget::bytes(smallest)).unwrap();
    assert_eq!(streamed, whole);
    let error = within(&machine(), &x, MemoryBudget::bytes(smallest - 1)).unwrap_err();
    assert!(
        matches!(error, Error::Gram(kern_gram::Error::Budget { needed, .. }) if needed == smallest)
    );
}

/// With as many landmarks as points Nyström features are the kernel.
#[test]
fn nystrom_features_divide_as_the_kernel_does() {
    let x = clustered::<f64>(120, 2, 5, 7);
    let kernel = Rbf::new(0.3).unwrap();
    let nystrom = Nystrom::new(kernel).landmarks(120);
    let map = nystrom.clone().fit(&x, &MemoryBudget::mebibytes(10)).unwrap();
    let start: Vec<usize> = (0..120).map(|i| i * 7 % 5).collect();
    let seeding = || Seeding::Labels(start.clone());
    let exact = KMeans::on_kernel(kernel, 5).seeding(seeding()).fit(&x).unwrap();
    let features = KMeans::on_features(&map, 5).seeding(seeding()).fit(&x).unwrap();
    // Landmarks that are chosen inside the fit are the same ones.
    let landmarks = KMeans::on_landmarks(nystrom, 5).seeding(seeding());
    let landmarks = within(&landmarks, &x, MemoryBudget::mebibytes(100)).unwrap();
    for (labels, report) in
        [(features.labels(), features.report()), (landmarks.labels(), landmarks.report())]
    {
        assert_eq!(labels, exact.labels());
        assert!(close(report.objective, exact.report().objective, 1e-6));
    }
    assert_eq!(landmarks.predict(&x).unwrap(), exact.predict(&x).unwrap());
}

/// Far from 0 the linear kernel has lost the digits that features keep by subtracting their mean.
#[test]
fn points_far_from_zero_are_as_good() {
    let near = clustered::<f64>(300, 2, 4, 9);
    let values = near.as_slice().iter().map(|v| v + f64::from(1 << 20)).collect();
    let far = Samples::from_row_major(2, values).unwrap();
    let run = |x: &Samples<f64>| KMeans::on_features(Identity::new(2), 4).fit(x).unwrap();
    let (near, far) = (run(&near), run(&far));
    assert_eq!(near.labels(), far.labels());
    assert!(close(near.report().objective, far.report().objective, 1e-8));
}

#[test]
fn an_empty_cluster_gets_the_farthest_point() {
    let line = |values: &[f64]| Samples::from_row_major(1, values.to_vec()).unwrap();
    let run = |x: &Samples<f64>, seeds| {
        KMeans::on_features(Identity::new(1), 2).seeding(Seeding::Given(seeds)).fit(x).unwrap()
    };
    let model = run(&line(&[0.0, 0.5, 1.0, 9.0, 8.0]), vec![0, 0]);
    assert_eq!(model.labels(), [0, 0, 0, 1, 1]);
    assert_eq!((details(model.report()).reseeded, details(model.report()).empty), (1, 0));
    // All points are one: a cluster stays empty, and is infinitely far.
    let model = run(&line(&[0.1; 5]), vec![0, 1]);
    assert_eq!((details(model.report()).empty, model.sizes()), (1, vec![5, 0]));
    assert!(model.distances(&line(&[0.1])).unwrap()[(0, 1)].is_infinite());
    assert_eq!(model.predict(&line(&[7.0])).unwrap(), [0]);
}

/// Hamerly's bounds: near convergence most points are left out.
#[test]
fn bounds_save_most_distances_of_separate_clusters() {
    let x = clustered::<f64>(4000, 4, 8, 11);
    let run = |bounds| {
        let machine = KMeans::on_features(Identity::new(4), 8).seeding(Seeding::Random).seed(2);
        machine.bounds(bounds).fit(&x).unwrap()
    };
    let (bounded, plain) = (run(true), run(false));
    assert_eq!(bounded.labels(), plain.labels());
    let (few, all) = (details(bounded.report()).distances, details(plain.report()).distances);
    assert_eq!(all % (4000 * 8), 0);
    assert!(2 * few < all, "{few} of {all}");
}

/// One feature that is NaN, or far too large.
#[derive(Clone, Debug)]
struct Bad(f64);

impl FeatureMap<Samples<f64>> for Bad {
    fn dim(&self) -> usize {
        2
    }
    fn transform_into(
        &self,
        points: &Samples<f64>,
        range: Range<usize>,
        mut out: MatMut<'_, f64>,
        _: &mut Scratch<f64>,
    ) {
        for (j, i) in range.enumerate() {
            let value = points.item(i)[0];
            out[(0, j)] = value;
            out[(1, j)] = if value > 2.5 { self.0 } else { value };
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let x = Samples::from_rows(&[[1.0], [2.0], [3.0]]).unwrap();
    let new = |k| KMeans::on_features(Identity::new(1), k);
    assert!(matches!(new(0).fit(&x), Err(Error::Count { name: "k", given: 0, .. })));
    assert!(matches!(new(4).fit(&x), Err(Error::Count { name: "k", given: 4, .. })));
    assert_eq!(new(1).fit(&x.select(&[]).unwrap()).unwrap_err(), Error::Empty);
    assert!(KMeans::on_features(Identity::new(2), 1).fit(&x).is_err());
    let tiny = MemoryBudget::bytes(1000);
    let refused = within(&new(2), &x, tiny);
    assert!(matches!(refused, Err(Error::Gram(kern_gram::Error::Budget { .. }))));
    // Stored, and 36 sums of 2 × 2 doubles with 32 blocks of 256 × (4 + 16).
    let smallest = 36 * 2 * 2 * 8 + 32 * 256 * 20 * 8;
    for bad in [f64::NAN, f64::INFINITY] {
        for budget in [MemoryBudget::mebibytes(100), MemoryBudget::bytes(smallest)] {
            let error = within(&KMeans::on_features(Bad(bad), 2), &x, budget).unwrap_err();
            let Error::Core(kern_core::Error::FeatureNotFinite { sample: 2, feature: 1, given }) =
                error
            else {
                panic!("{error}");
            };
            assert_eq!(given.to_bits(), bad.to_bits());
        }
    }
    let model = KMeans::on_features(Bad(1.0), 2).fit(&x.select(&[0, 1]).unwrap()).unwrap();
    assert_eq!(model.predict(&x.select(&[0, 1]).unwrap()).unwrap(), model.labels());
    let model = KMeans::on_features(Bad(f64::NAN), 2).fit(&x.select(&[0, 1]).unwrap()).unwrap();
    assert!(model.predict(&x).is_err());
}

#[test]
fn a_model_survives_its_file_and_refuses_a_broken_one() {
    type Model = Clusters<FeatureExpansion<CentredMap<Identity, f64>, f64>>;
    let x = clustered::<f64>(30, 2, 3, 1);
    let model = KMeans::on_features(Identity::new(2), 3).fit(&x).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let read: Model = serde_json::from_str(&text).unwrap();
    assert_eq!(read, model);
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["labels"][0] = 3.into();
    assert!(serde_json::from_value::<Model>(value).is_err());
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["centres"]["masses"] = serde_json::json!([1.0]);
    assert!(serde_json::from_value::<Model>(value).is_err());
    // Another map than that of the fit.
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["centres"]["decision"]["map"][1]["map"] = serde_json::to_value(Identity::new(3)).unwrap();
    let read: Model = serde_json::from_value(value).unwrap();
    assert!(read.predict(&x).is_err() && read.predict(&clustered::<f64>(9, 3, 3, 1)).is_err());
}
