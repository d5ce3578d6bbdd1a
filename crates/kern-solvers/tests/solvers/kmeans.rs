//! Tests of k-means on a Gram matrix: equality with a plain Lloyd's algorithm and with scikit-learn, monotony, weights,
//! empty clusters, the same bits whatever is stored and however many threads there are, bounds, and every error.
//!
//! Notation: n points, k clusters, weights w, the objective J, squared RKHS distances d².
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::fits::{with_weights, within};
use super::golden::{digits, logistic::X as IRIS};
use kern_core::closure::AssumeMercer;
use kern_core::faer::{Mat, mat};
use kern_core::kernels::{FnKernel, Linear, Rbf, Sigmoid, Spectrum};
use kern_core::{Kernel, Points, Samples, Scalar};
use kern_gram::{
    BlockedGram, DenseGram, GivenPoints, LazyGram, MemoryBudget, PackedGram, Precomputed,
    PrecomputedGram,
};
use kern_solvers::kmeans::{KMeans, Seeding, SoftKMeans};
use kern_solvers::model::{Clusters, KernelExpansion};
use kern_solvers::space::OnKernel;
use kern_solvers::{Data, Error, KMeansDetails, Learner, Progress, Report, Run, Status};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// n points of the cube [−1, 1]^dim.
pub(crate) fn uniform<T: Scalar>(n: usize, dim: usize, seed: u64) -> Samples<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..n * dim).map(|_| T::from_f64(2.0 * rng.random::<f64>() - 1.0)).collect();
    Samples::from_row_major(dim, values).unwrap()
}

pub(crate) fn line(values: &[f64]) -> Samples<f64> {
    Samples::from_row_major(1, values.to_vec()).unwrap()
}

pub(crate) type Model<K> = Clusters<KernelExpansion<Samples<f64>, K>>;

/// Details of k-means, beyond status, iterations and objective.
pub(crate) fn details(report: &Report) -> &KMeansDetails {
    report.details.k_means().unwrap()
}

fn mebibytes() -> MemoryBudget {
    MemoryBudget::mebibytes(100)
}

/// Lloyd's algorithm on centres in Rᵈ, from these points; labels, objective and the number of iterations that moved a
/// point. It does not know what an empty cluster is.
fn lloyd(x: &Samples<f64>, weights: &[f64], seeds: &[usize]) -> (Vec<usize>, f64, usize) {
    let mut centres: Vec<Vec<f64>> = seeds.iter().map(|&i| x.item(i).to_vec()).collect();
    let squared =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum() };
    let mut labels = Vec::new();
    for iteration in 0.. {
        let nearest = |i: usize| {
            let distance = |c: &usize| squared(x.item(i), &centres[*c]);
            (0..centres.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
        };
        let next: Vec<usize> = (0..x.len()).map(nearest).collect();
        if next == labels {
            let cost = |i: usize| weights[i] * squared(x.item(i), &centres[next[i]]);
            return (labels, (0..x.len()).map(cost).sum(), iteration - 1);
        }
        labels = next;
        for (c, centre) in centres.iter_mut().enumerate() {
            let members: Vec<usize> = (0..x.len()).filter(|&i| labels[i] == c).collect();
            let mass: f64 = members.iter().map(|&i| weights[i]).sum();
            for (j, coordinate) in centre.iter_mut().enumerate() {
                *coordinate =
                    members.iter().map(|&i| weights[i] * x.item(i)[j]).sum::<f64>() / mass;
            }
        }
    }
    unreachable!()
}

/// J by its definition: half the mean squared distance of pairs in a cluster, weighted.
fn objective<P: Points>(kernel: &impl Kernel<P>, x: &P, weights: &[f64], labels: &[usize]) -> f64 {
    let k = labels.iter().max().unwrap() + 1;
    let value = |i: usize, j: usize| kernel.eval(x.item(i), x.item(j)).to_f64();
    let cluster = |c: usize| {
        let members: Vec<usize> = (0..x.len()).filter(|&i| labels[i] == c).collect();
        let mass: f64 = members.iter().map(|&i| weights[i]).sum();
        let pairs = members.iter().flat_map(|&i| members.iter().map(move |&j| (i, j)));
        let pair = |(i, j)| {
            weights[i] * weights[j] * (value(i, i) + value(j, j) - 2.0 * value(i, j)) / 2.0
        };
        if mass > 0.0 { pairs.map(pair).sum::<f64>() / mass } else { 0.0 }
    };
    (0..k).map(cluster).sum()
}

pub(crate) fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs())
}

fn fit_linear(x: &Samples<f64>, seeds: &[usize]) -> Model<Linear> {
    KMeans::on_kernel(Linear, seeds.len()).seeding(Seeding::Given(seeds.to_vec())).fit(x).unwrap()
}

#[test]
fn the_linear_kernel_is_ordinary_k_means() {
    for seed in 0..10 {
        let x = uniform(200, 3, seed);
        let seeds: Vec<usize> = (0..5 + seed as usize).collect();
        let model = fit_linear(&x, &seeds);
        let (labels, cost, iterations) = lloyd(&x, &[1.0; 200], &seeds);
        assert_eq!(model.labels(), labels);
        let report = model.report();
        assert!(close(report.objective, cost, 1e-12), "{} {cost}", report.objective);
        assert_eq!((report.status, report.iterations), (Status::Converged, iterations));
        let details = details(report);
        assert_eq!(
            (details.objectives.len(), details.reassigned.len()),
            (iterations + 1, iterations)
        );
        assert_eq!((details.reseeded, details.seeds.clone()), (0, seeds));
        assert_eq!(model.sizes().iter().sum::<usize>(), 200);
    }
}

/// ```python
/// X = load_iris().data[1::5][:, :3]  # scikit-learn 1.9.1, numpy 2.4.6
/// KMeans(3, init=X[[0, 1, 2]], n_init=1, algorithm="lloyd", tol=0).fit(X)
/// # and with sample_weight=np.array([1.0, 0.5, 2.0])[np.arange(30) % 3]
/// ```
#[test]
fn iris_is_divided_as_by_scikit_learn() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let start = || KMeans::on_kernel(Linear, 3).seeding(Seeding::Given(vec![0, 1, 2]));
    let mut labels = [2; 30];
    labels[..10].copy_from_slice(&[0, 1, 1, 1, 1, 1, 1, 1, 0, 1]);
    let model = start().fit(&x).unwrap();
    assert_eq!(model.labels(), labels);
    assert!(close(model.report().objective, 18.199500000000004, 1e-12));
    labels[0] = 1;
    let weights: Vec<f64> = (0..30).map(|i| [1.0, 0.5, 2.0][i % 3]).collect();
    let model = with_weights(&start(), &x, &weights).unwrap();
    assert_eq!(model.labels(), labels);
    assert!(close(model.report().objective, 23.794714445688694, 1e-12));
}

#[test]
fn digits_are_divided_as_by_scikit_learn() {
    let x = digits::points();
    let model = fit_linear(&x, &digits::SEEDS);
    let labels: Vec<usize> =
        digits::LABELS.bytes().map(|label| usize::from(label - b'0')).collect();
    assert_eq!(model.labels(), labels);
    let report = model.report();
    assert!(close(report.objective, digits::INERTIA, 1e-12), "{}", report.objective);
    // scikit-learn counts the first assignment, too, and the last one, which moves nothing.
    assert_eq!((report.status, report.iterations + 2), (Status::Converged, digits::ITERATIONS));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_objective_never_rises(
        n in 3..150_usize, k in 1..12_usize, gamma in 0.1..20.0_f64, seed in 0..u64::MAX,
        random in any::<bool>(), weighted in any::<bool>(),
    ) {
        let (x, k) = (uniform::<f64>(n, 2, seed), k.min(n));
        let kernel = Rbf::new(gamma).unwrap();
        let weights: Vec<f64> = (0..n).map(|i| if weighted { (i % 4) as f64 / 2.0 + 0.25 } else { 1.0 }).collect();
        let seeding = if random { Seeding::Random } else { Seeding::PlusPlus };
        let machine = KMeans::on_kernel(kernel, k).seeding(seeding).seed(seed).lower_bound(true);
        let model = with_weights(&machine, &x, &weights).unwrap();
        let (report, details) = (model.report(), details(model.report()));
        prop_assert!(details.objectives.is_sorted_by(|a, b| a >= b), "{:?}", details.objectives);
        prop_assert_eq!(report.status, Status::Converged);
        let exact = objective(&kernel, &x, &weights, model.labels());
        prop_assert!((report.objective - exact).abs() < 1e-11 * n as f64, "{} {exact}", report.objective);
        prop_assert!(details.lower_bound.unwrap() <= report.objective);
        prop_assert_eq!(report.gap, Some(report.objective - details.lower_bound.unwrap()));
        // Converged: no point is nearer to another centre.
        let distances = model.distances(&x).unwrap();
        for (i, &label) in model.labels().iter().enumerate() {
            for c in 0..k {
                prop_assert!(distances[(i, label)] <= distances[(i, c)] + 1e-7);
            }
        }
        prop_assert_eq!(details.empty, 0);
        prop_assert!(model.sizes().iter().all(|&size| size > 0));
    }

    #[test]
    fn weights_are_repeated_points(n in 4..40_usize, seed in 0..u64::MAX) {
        let x = uniform::<f64>(n, 2, seed);
        let times: Vec<usize> = (0..n).map(|i| (i * 7 + seed as usize % 5) % 4).collect();
        let repeated: Vec<usize> = (0..n).flat_map(|i| vec![i; times[i]]).collect();
        let start: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let kernel = Rbf::new(2.0).unwrap();
        let machine = |labels: Vec<usize>| KMeans::on_kernel(kernel, 3).seeding(Seeding::Labels(labels));
        let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
        let weighted = with_weights(&machine(start.clone()), &x, &weights).unwrap();
        let labels = repeated.iter().map(|&i| start[i]).collect();
        let plain = machine(labels).fit(&x.select(&repeated).unwrap()).unwrap();
        prop_assume!(details(plain.report()).reseeded == 0);
        let expected: Vec<usize> = repeated.iter().map(|&i| weighted.labels()[i]).collect();
        prop_assert_eq!(plain.labels(), expected);
        prop_assert!(close(plain.report().objective, weighted.report().objective, 1e-10));
        // A point of weight 0 is where a query would be.
        prop_assert_eq!(weighted.labels(), plain.predict(&x).unwrap());
    }
}

/// The sums that are brought up to date are those that would be computed afresh, so a fit that is stopped and started
/// again from its labels after every iteration takes the same way.
#[test]
fn updated_sums_are_fresh_sums() {
    let x = uniform::<f64>(700, 2, 3);
    let machine = || KMeans::on_kernel(Rbf::new(8.0).unwrap(), 12).seed(5);
    let whole = machine().fit(&x).unwrap();
    let iterations = whole.report().iterations;
    assert!(iterations > 12, "{iterations}");
    // Most iterations move few points: these were updates.
    assert!(
        details(whole.report()).reassigned.iter().filter(|&&moved| 2 * moved < 700).count() > 8
    );
    let mut model = machine().max_iterations(0).fit(&x).unwrap();
    assert_eq!(model.report().status, Status::IterationsDone);
    for (i, objective) in details(whole.report()).objectives.iter().enumerate() {
        assert!(close(model.report().objective, *objective, 1e-12), "iteration {i}");
        let labels = Seeding::Labels(model.labels().to_vec());
        model = machine().seeding(labels).max_iterations(1).fit(&x).unwrap();
    }
    assert_eq!(model.report().status, Status::Converged);
    assert_eq!(model.labels(), whole.labels());
}

#[test]
fn the_bits_depend_neither_on_threads_nor_on_what_is_stored() {
    let x = uniform::<f32>(1100, 3, 1);
    let kernel = Rbf::new(2.0).unwrap();
    let machine = || KMeans::on_kernel(kernel, 7).restarts(2).seed(9).trials(3);
    let whole = machine().fit(&x).unwrap();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| machine().fit(&x)).unwrap(), whole, "{threads} threads");
    }
    assert_eq!(kern_gram::sequentially(|| machine().fit(&x)).unwrap(), whole);
    let bits =
        |objectives: &[f64]| -> Vec<u64> { objectives.iter().map(|v| v.to_bits()).collect() };
    // The sums, and 3 or 300 columns.
    for columns in [3, 300] {
        let budget = MemoryBudget::bytes(1100 * (7 * 8 + columns * 4));
        let streamed = within(&machine(), &x, budget).unwrap();
        assert_eq!(streamed.labels(), whole.labels());
        let (report, expected) = (details(streamed.report()), details(whole.report()));
        assert_eq!(bits(&report.objectives), bits(&expected.objectives));
        assert!(report.kernel_values > 1100 * 1100);
    }
    assert_eq!(details(whole.report()).kernel_values, 1100 * 1101 / 2);
    // Operators that live as long as the program, as points of which their values are known do.
    let (kernel, x): (&'static Rbf, &'static Samples<f32>) =
        (Box::leak(Box::new(kernel)), Box::leak(Box::new(x)));
    let dense = DenseGram::new(kernel, x, &mebibytes()).unwrap();
    let grams = [
        GivenPoints::of_gram(PrecomputedGram::new(dense.as_mat().to_owned()).unwrap()),
        GivenPoints::of_gram(dense),
        GivenPoints::of_gram(PackedGram::new(kernel, x, &mebibytes()).unwrap()),
        GivenPoints::of_gram(LazyGram::new(kernel, x).unwrap()),
        GivenPoints::of_gram(BlockedGram::new(kernel, x, &MemoryBudget::mebibytes(1)).unwrap()),
    ];
    for given in grams {
        let machine = KMeans::on_kernel(Precomputed, 7).restarts(2).seed(9).trials(3);
        let model = machine.fit(&given).unwrap();
        assert_eq!((model.labels(), model.sizes()), (whole.labels(), whole.sizes()));
        let (report, expected) = (details(model.report()), details(whole.report()));
        assert_eq!(bits(&report.objectives), bits(&expected.objectives));
        // As many values as there are, whether all of them or some columns at a time are copied.
        let tight = MemoryBudget::bytes(1100 * (7 * 8 + 300 * 4));
        assert_eq!(within(&machine, &given, tight).unwrap().labels(), whole.labels());
    }
}

#[test]
fn one_cluster_and_as_many_as_points() {
    let x = uniform::<f64>(30, 2, 4);
    let kernel = Rbf::new(1.0).unwrap();
    let one = KMeans::on_kernel(kernel, 1).fit(&x).unwrap();
    assert!(close(one.report().objective, objective(&kernel, &x, &[1.0; 30], &[0; 30]), 1e-12));
    assert_eq!((one.report().iterations, one.sizes()), (0, vec![30]));
    let all = KMeans::on_kernel(kernel, 30).fit(&x).unwrap();
    assert!(all.report().objective.abs() < 1e-13);
    assert_eq!((all.sizes(), all.report().status), (vec![1; 30], Status::Converged));
    let one_point = KMeans::on_kernel(Linear, 1).fit(&line(&[3.0])).unwrap();
    assert_eq!((one_point.labels(), one_point.report().objective), (&[0][..], 0.0));
}

#[test]
fn an_empty_cluster_gets_the_farthest_point() {
    // Both seeds are one point: nobody is nearer to the second, so it is given the farthest, 9.
    let model = fit_linear(&line(&[0.0, 0.5, 1.0, 9.0, 8.0]), &[0, 0]);
    assert_eq!(model.labels(), [0, 0, 0, 1, 1]);
    let report = details(model.report());
    assert_eq!((report.reseeded, report.empty), (1, 0));
    assert!(report.objectives.is_sorted_by(|a, b| a >= b));
    // Labels may leave clusters out.
    let x = uniform::<f64>(50, 2, 8);
    let machine = KMeans::on_kernel(Rbf::new(3.0).unwrap(), 6);
    let model = machine.seeding(Seeding::Labels(vec![3; 50])).fit(&x).unwrap();
    assert_eq!((details(model.report()).reseeded, details(model.report()).empty), (5, 0));
    assert!(model.sizes().iter().all(|&size| size > 0));
}

#[test]
fn clusters_without_points_of_their_own_stay_empty() {
    let x = line(&[2.0, 2.0, 5.0, 5.0, 5.0, 2.0]);
    for seeding in [Seeding::PlusPlus, Seeding::Random, Seeding::Given(vec![0, 1, 2, 3])] {
        let model = KMeans::on_kernel(Linear, 4).seeding(seeding).fit(&x).unwrap();
        let report = model.report();
        assert_eq!((details(report).empty, report.status), (2, Status::Converged));
        assert!(report.objective.abs() < 1e-12);
        let labels = model.labels();
        assert!(labels[0] == labels[1] && labels[1] == labels[5] && labels[0] != labels[2]);
        assert!(labels[2] == labels[3] && labels[3] == labels[4]);
        let distances = model.distances(&line(&[3.0])).unwrap();
        assert_eq!((0..4).filter(|&c| distances[(0, c)].is_infinite()).count(), 2);
        assert_eq!(model.predict(&line(&[3.0])).unwrap(), [labels[0]]);
    }
}

/// Two rings: the RBF kernel tells them apart, a straight line does not.
#[test]
fn rings_are_separated_by_a_kernel_only() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut rows = Vec::new();
    for i in 0..200 {
        let (angle, noise) =
            (std::f64::consts::TAU * rng.random::<f64>(), 0.1 * rng.random::<f64>());
        let radius = noise + if i % 2 == 0 { 0.3 } else { 3.0 };
        rows.push([radius * angle.cos(), radius * angle.sin()]);
    }
    let x = Samples::from_rows(&rows).unwrap();
    let wrong = |labels: &[usize]| {
        let wrong = labels.iter().enumerate().filter(|&(i, &label)| label != i % 2).count();
        wrong.min(200 - wrong)
    };
    let rbf = KMeans::on_kernel(Rbf::new(0.3).unwrap(), 2).restarts(10).fit(&x).unwrap();
    assert_eq!(wrong(rbf.labels()), 0);
    assert!(details(rbf.report()).run < 10);
    let linear = KMeans::on_kernel(Linear, 2).restarts(10).fit(&x).unwrap();
    assert!(wrong(linear.labels()) > 40);
}

#[test]
fn strings_are_clustered() {
    let words = ["banana", "bananas", "bandana", "oxidation", "oxidations", "oxidise"];
    let words: Vec<String> = words.map(String::from).to_vec();
    let model = KMeans::on_kernel(Spectrum::new(2).unwrap(), 2).restarts(5).fit(&words).unwrap();
    let labels = model.labels();
    assert!(labels[0] == labels[1] && labels[1] == labels[2] && labels[0] != labels[3]);
    assert!(labels[3] == labels[4] && labels[4] == labels[5]);
    assert_eq!(model.predict(&vec!["ananas".to_owned()]).unwrap(), [labels[0]]);
}

/// The bound is attained where clusters are orthogonal blocks: K = I ⊗ 11ᵀ has eigenvalues m, and J = 0 with k blocks;
/// with fewer clusters, merging two blocks costs m.
#[test]
fn the_lower_bound_is_attained() {
    let values = Mat::from_fn(12, 12, |i, j| f64::from(u8::from(i / 3 == j / 3)));
    let given = GivenPoints::of_gram(PrecomputedGram::new(values).unwrap());
    let machine = KMeans::on_kernel(Precomputed, 3).restarts(5).lower_bound(true);
    let model = machine.fit(&given).unwrap();
    let bound = details(model.report()).lower_bound.unwrap();
    assert!((bound - 3.0).abs() < 1e-12 && (model.report().objective - 3.0).abs() < 1e-12);
    // With weights: of each block weight 1 + 2 + 3.
    let weights: Vec<f64> = (0..12).map(|i| f64::from(i % 3 + 1)).collect();
    let model = with_weights(&machine, &given, &weights).unwrap();
    let bound = details(model.report()).lower_bound.unwrap();
    assert!((bound - 6.0).abs() < 1e-12 && (model.report().objective - 6.0).abs() < 1e-12);
}

#[test]
fn a_model_survives_its_file_and_refuses_a_broken_one() {
    let x = uniform::<f64>(40, 2, 12);
    let model = KMeans::on_kernel(Rbf::new(2.0).unwrap(), 4).fit(&x).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let read: Model<Rbf> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.distances(&x).unwrap(), model.distances(&x).unwrap());
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["labels"][3] = 4.into();
    let error = serde_json::from_value::<Model<Rbf>>(value).unwrap_err();
    assert!(error.to_string().contains('4'), "{error}");
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["centres"]["masses"] = serde_json::json!([1.0]);
    assert!(serde_json::from_value::<Model<Rbf>>(value).is_err());
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["format"][0] = 99.into();
    assert!(serde_json::from_value::<Model<Rbf>>(value).is_err());
    // Fewer centres than the function has outputs.
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["centres"]["masses"] = serde_json::json!([1.0, 1.0]);
    value["centres"]["norms"] = serde_json::json!([1.0, 1.0]);
    value["labels"] = serde_json::json!([0, 1]);
    let error = serde_json::from_value::<Model<Rbf>>(value).unwrap_err().to_string();
    assert!(error.starts_with("inner products with centres must be as many"), "{error}");
}

#[test]
fn distances_are_those_of_the_definition() {
    let x = uniform::<f64>(60, 3, 13);
    let kernel = Rbf::new(1.0).unwrap();
    let model = KMeans::on_kernel(kernel, 3).fit(&x).unwrap();
    let queries = uniform::<f64>(10, 3, 14);
    let value = |a: &Samples<f64>, i: usize, j: usize| -> f64 {
        Kernel::<Samples<f64>>::eval(&kernel, a.item(i), x.item(j))
    };
    let distances = model.distances(&queries).unwrap();
    for q in 0..10 {
        for c in 0..3 {
            let members: Vec<usize> = (0..60).filter(|&i| model.labels()[i] == c).collect();
            let m = members.len() as f64;
            let inner: f64 = members.iter().map(|&i| value(&queries, q, i)).sum();
            let pairs = members.iter().flat_map(|&i| members.iter().map(move |&j| (i, j)));
            let norm: f64 = pairs.map(|(i, j)| value(&x, i, j)).sum();
            let squared = 1.0 - 2.0 * inner / m + norm / (m * m);
            assert!((distances[(q, c)].powi(2) - squared).abs() < 1e-13);
        }
        let row = (0..3).min_by(|&a, &b| distances[(q, a)].total_cmp(&distances[(q, b)]));
        assert_eq!(model.predict(&queries).unwrap()[q], row.unwrap());
    }
}

/// A kernel that is not Mercer may let the objective rise; the fit stops before it does.
#[test]
fn an_indefinite_kernel_is_stopped_in_time() {
    let x = uniform::<f64>(80, 2, 15);
    let kernel = AssumeMercer(Sigmoid::new(5.0, -3.0).unwrap());
    for seed in 0..20 {
        let model = KMeans::on_kernel(kernel, 4).seed(seed).fit(&x).unwrap();
        let report = model.report();
        let objectives = &details(report).objectives;
        assert!(objectives.is_sorted_by(|a, b| a >= b));
        assert!(matches!(report.status, Status::Converged | Status::Stalled));
        assert!(close(report.objective, *objectives.last().unwrap(), 1e-12));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let x = uniform::<f64>(5, 2, 16);
    let fit = |machine: KMeans<OnKernel<Linear>>| machine.fit(&x).unwrap_err();
    let new = |k| KMeans::on_kernel(Linear, k);
    let message = "k must be at least 1 and at most the number of points, got ";
    assert_eq!(fit(new(0)).to_string(), format!("{message}0"));
    assert_eq!(fit(new(6)).to_string(), format!("{message}6"));
    assert_eq!(new(1).fit(&x.select(&[]).unwrap()).unwrap_err(), Error::Empty);
    assert!(matches!(fit(new(2).restarts(0)), Error::Count { name: "restarts", .. }));
    assert!(matches!(fit(new(2).trials(0)), Error::Count { name: "trials", .. }));
    assert!(matches!(fit(new(2).seeding(Seeding::Given(vec![1]))), Error::Count { given: 1, .. }));
    let index = |given, len| Error::Core(kern_core::Error::Index { given, len });
    assert_eq!(fit(new(2).seeding(Seeding::Given(vec![1, 5]))), index(5, 5));
    assert_eq!(fit(new(2).seeding(Seeding::Labels(vec![0, 1, 2, 0, 0]))), index(2, 2));
    let short = fit(new(2).seeding(Seeding::Labels(vec![0, 1])));
    assert!(matches!(short, Error::Length { expected: 5, given: 2, .. }));
    let heavy = |weights: &[f64]| with_weights(&new(2), &x, weights).unwrap_err();
    assert!(matches!(heavy(&[1.0; 4]), Error::Length { expected: 5, .. }));
    let negative = [1.0, 1.0, -1.0, 1.0, 1.0];
    assert_eq!(heavy(&negative), Error::Weight { point: 2, given: -1.0 });
    assert_eq!(heavy(&[0.0; 5]), Error::NoWeight { points: 5 });
    // Sums of 5 × 2 doubles, and a column of 5.
    assert!(within(&new(2), &x, MemoryBudget::bytes(120)).is_ok());
    let error = within(&new(2), &x, MemoryBudget::bytes(119)).unwrap_err();
    assert!(matches!(error, Error::Gram(kern_gram::Error::Budget { needed: 120, .. })), "{error}");
    let error = within(&new(2).lower_bound(true), &x, MemoryBudget::bytes(400)).unwrap_err();
    assert!(matches!(error, Error::Gram(kern_gram::Error::Budget { .. })), "{error}");
    let model = new(2).fit(&x).unwrap();
    assert!(model.predict(&uniform(3, 3, 0)).is_err());
}

#[test]
fn values_that_are_not_finite_are_found() {
    let x: Vec<f64> = vec![1.0, 2.0, 3.0, 4.0];
    let value = |bad: f64| {
        AssumeMercer(FnKernel::new(
            move |a: &f64, b: &f64| if (a * b - 6.0).abs() < 0.5 { bad } else { a * b },
        ))
    };
    for bad in [f64::NAN, f64::INFINITY] {
        for budget in [mebibytes(), MemoryBudget::bytes(4 * (2 * 8 + 8))] {
            let error = within(&KMeans::on_kernel(value(bad), 2), &x, budget).unwrap_err();
            assert!(matches!(error, Error::Gram(kern_gram::Error::NotFinite { .. })), "{error}");
        }
    }
    let model = KMeans::on_kernel(value(6.0), 2).fit(&x).unwrap();
    assert_eq!(model.predict(&x).unwrap(), model.labels());
    // Finite values of which the sum is not.
    let huge = PrecomputedGram::new(Mat::from_fn(4, 4, |_, _| 1e308)).unwrap();
    let error = KMeans::on_kernel(Precomputed, 2).fit(&GivenPoints::of_gram(huge)).unwrap_err();
    assert!(matches!(error, Error::Gram(kern_gram::Error::ProductNotFinite { .. })), "{error}");
    let gram = PrecomputedGram::new(mat![[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let model = KMeans::on_kernel(Precomputed, 2).fit(&GivenPoints::of_gram(gram)).unwrap();
    let narrow = GivenPoints::of_cross(mat![[1.0]]).unwrap();
    assert!(model.predict(&narrow).is_err());
}

/// An observer sees the start and every iteration of all runs, and what it stops is the clusters that had been reached.
#[test]
fn an_observer_sees_all_runs_and_may_stop_them() {
    let x = uniform::<f64>(400, 2, 17);
    let data = Data::unlabelled(&x).unwrap();
    let kernel = Rbf::new(8.0).unwrap();
    let machine = KMeans::on_kernel(kernel, 9).restarts(3).seed(5);
    let free = machine.fit(&x).unwrap();
    let mut losses = Vec::new();
    let mut see = |p: &Progress| {
        losses.push((p.iteration, p.loss));
        ControlFlow::Continue(())
    };
    let watched = machine.learn(&data, &mut Run::new().observer(&mut see)).unwrap();
    // Runs that are watched come one after the other, and are the same.
    assert_eq!(watched, free);
    assert!(losses.is_sorted_by_key(|(iteration, _)| *iteration));
    assert_eq!(losses.iter().filter(|(iteration, _)| *iteration == 0).count(), 1);
    let smallest = losses.iter().map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min);
    assert!(close(smallest, free.report().objective, 1e-12));
    let stopped = |machine: &KMeans<OnKernel<Rbf>>, at: usize| {
        let stop = |p: &Progress| match p.iteration >= at {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        machine.learn(&data, &mut Run::new().observer(&mut { stop })).unwrap()
    };
    let model = stopped(&machine, 2);
    assert_eq!((model.report().status, model.report().iterations), (Status::Stopped, 2));
    let two = machine.clone().restarts(1).max_iterations(2).fit(&x).unwrap();
    assert_eq!(model.labels(), two.labels());
    assert_eq!(stopped(&machine, 0).report().iterations, 0);
    let batches = stopped(&machine.clone().batch(64), 1);
    assert_eq!((batches.report().status, batches.report().iterations), (Status::Stopped, 1));
    let features = KMeans::on_features(kern_core::Identity::new(2), 9).restarts(3);
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let model = features.learn(&data, &mut Run::new().observer(&mut stop)).unwrap();
    assert_eq!((model.report().status, model.report().iterations), (Status::Stopped, 0));
    let soft = SoftKMeans::on_kernel(kernel, 3);
    let model = soft.learn(&data, &mut Run::new().observer(&mut stop)).unwrap();
    assert_eq!((model.report().status, model.report().iterations), (Status::Stopped, 0));
}

/// Learners are data: they are compared, written and read.
#[test]
fn learners_survive_their_files() {
    let machine = KMeans::on_kernel(Rbf::new(0.5).unwrap(), 3).batch(10).seeding(Seeding::Random);
    let text = serde_json::to_string(&machine).unwrap();
    assert_eq!(serde_json::from_str::<KMeans<OnKernel<Rbf>>>(&text).unwrap(), machine);
    let soft = SoftKMeans::on_kernel(Linear, 3).beta(2.0);
    let text = serde_json::to_string(&soft).unwrap();
    assert_eq!(serde_json::from_str::<SoftKMeans<OnKernel<Linear>>>(&text).unwrap(), soft);
}
