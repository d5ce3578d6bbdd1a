//! Every estimator has the same bits from AVX-512, AVX2 and scalar code: a process of its own for each, told by the
//! environment.
//!
//! Eigendecompositions are faer's, which chooses for itself: no estimator here needs one.
#![allow(clippy::print_stdout, reason = "a child reports to its parent")]

use kern_approx::{Nystrom, RandomFourier};
use kern_core::kernels::{Laplacian, Linear, Rbf};
use kern_core::{Points, Samples, Scalar};
use kern_solvers::feature_machine::FeatureMachine;
use kern_solvers::gaussian_process::{GaussianProcess, GaussianProcessClassifier};
use kern_solvers::kmeans::{KMeans, SoftKMeans};
use kern_solvers::knn::{KNearest, RadiusNeighbors, VantageTree};
use kern_solvers::logistic::Logistic;
use kern_solvers::perceptron::Perceptron;
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::sgd::Sgd;
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{DecisionValues, Model, MultiClass, Report, Values};
use std::process::Command;
use std::{env, hash, hash::Hash};

/// Tells a child its instruction set.
const SET: &str = "KERN_INSTRUCTION_SET";

/// Marks what a child reports.
const MARK: &str = "bits of ";

/// Points, enough for several tiles, and so many dimensions that squared distances are products, or not.
fn points<T: Scalar>(n: usize, dim: usize) -> Samples<T> {
    let number = |k: usize| T::from_f64(((k * 7919 + 13) % 10_007) as f64 / 10_007.0 - 0.5);
    Samples::from_row_major(dim, (0..n * dim).map(number).collect()).unwrap()
}

/// A number that stands for an answer, its report included.
fn digest<T: Scalar>(values: impl IntoIterator<Item = T>, report: &Report) -> u64 {
    let mut hasher = hash::DefaultHasher::new();
    values.into_iter().for_each(|v| v.to_f64().to_bits().hash(&mut hasher));
    format!("{report:?}").hash(&mut hasher);
    hash::Hasher::finish(&hasher)
}

fn of_values<T: Scalar, P: Points<Scalar = T>>(model: &impl DecisionValues<P>, x: &P) -> u64 {
    let values = model.decision_values(x).unwrap();
    let all: Vec<T> = values.col_iter().flat_map(|column| column.iter().copied()).collect();
    digest(all, model.report())
}

fn of_numbers<T: Scalar, P: Points>(model: &impl Model<P, Answer = Vec<T>>, x: &P) -> u64 {
    digest(model.predict(x).unwrap(), model.report())
}

fn of_labels<P: Points>(model: &impl Model<P, Answer = Vec<usize>>, x: &P) -> u64 {
    digest(model.predict(x).unwrap().into_iter().map(|label| label as f64), model.report())
}

/// Every estimator on points of one type and dimension.
#[expect(clippy::too_many_lines, reason = "a table")]
fn all<T: Scalar>(n: usize, dim: usize) -> Vec<(&'static str, u64)> {
    let x = &points::<T>(n, dim);
    let f = |i: usize| x.item(i)[0].to_f64() + (5.0 * x.item(i)[1].to_f64()).sin();
    let y = || Values::new((0..n).map(|i| T::from_f64(f(i))).collect::<Vec<T>>());
    let two: &Vec<bool> = &(0..n).map(|i| f(i) > 0.0).collect();
    let three: &Vec<usize> = &(0..n).map(|i| ((f(i) + 2.0) * 0.75) as usize).collect();
    let rbf = Rbf::new(2.0 / dim as f64).unwrap();
    let few = || Nystrom::new(rbf).landmarks(24).seed(3);
    let map = RandomFourier::new(rbf).dim(64).seed(5).sample(dim).unwrap();
    let cg = Ridge::on_kernel(rbf).lambda(1e-3).solver(RidgeSolver::ConjugateGradients);
    let softmax = Logistic::on_kernel(rbf).multi_class(MultiClass::Softmax).lambda(1e-2);
    let classes = GaussianProcessClassifier::on_kernel(rbf);
    let distance = || KNearest::by_distance(rbf).neighbors(3);
    let tree = distance().search(VantageTree::new());
    let laplacian = Laplacian::new(0.5).unwrap();
    let batches = KMeans::on_kernel(rbf, 3).batch(30).truncation(20);
    vec![
        (
            "ridge",
            of_numbers(&Ridge::on_kernel(rbf).lambda(1e-3).intercept(true).fit(x, y()).unwrap(), x),
        ),
        ("ridge, iterated", of_numbers(&cg.fit(x, y()).unwrap(), x)),
        (
            "ridge, landmarks",
            of_numbers(&Ridge::on_landmarks(few()).lambda(1e-3).fit(x, y()).unwrap(), x),
        ),
        (
            "ridge, features",
            of_numbers(&Ridge::on_features(map.clone()).lambda(1e-3).fit(x, y()).unwrap(), x),
        ),
        (
            "feature machine",
            of_numbers(
                &FeatureMachine::on_kernel(rbf).lambda(1e-3).rounds(1).fit(x, y()).unwrap(),
                x,
            ),
        ),
        ("process", of_numbers(&GaussianProcess::on_kernel(rbf).fit(x, y()).unwrap(), x)),
        (
            "process, landmarks",
            of_numbers(&GaussianProcess::on_landmarks(few()).fit(x, y()).unwrap(), x),
        ),
        ("process, classes", of_values(&classes.fit(x, two).unwrap(), x)),
        ("logistic", of_values(&Logistic::on_kernel(rbf).lambda(1e-2).fit(x, two).unwrap(), x)),
        ("softmax", of_values(&softmax.fit(x, three).unwrap(), x)),
        (
            "logistic, landmarks",
            of_values(&Logistic::on_landmarks(few()).lambda(1e-2).fit(x, two).unwrap(), x),
        ),
        (
            "logistic, features",
            of_values(&Logistic::on_features(map.clone()).lambda(1e-2).fit(x, two).unwrap(), x),
        ),
        ("svc", of_values(&Svc::on_kernel(rbf).fit(x, three).unwrap(), x)),
        ("svc, linear", of_values(&Svc::on_kernel(Linear).fit(x, two).unwrap(), x)),
        ("svc, nu", of_values(&Svc::on_kernel(rbf).nu(0.2).fit(x, two).unwrap(), x)),
        ("svc, landmarks", of_values(&Svc::on_landmarks(few()).fit(x, two).unwrap(), x)),
        ("svc, features", of_values(&Svc::on_features(map.clone()).fit(x, two).unwrap(), x)),
        ("svr", of_numbers(&Svr::on_kernel(rbf).fit(x, y()).unwrap(), x)),
        ("svr, features", of_numbers(&Svr::on_features(map.clone()).fit(x, y()).unwrap(), x)),
        ("one-class", {
            let model = OneClass::on_kernel(laplacian).nu(0.3).fit(x).unwrap();
            let values = model.decision_values(x).unwrap();
            digest(values.col_as_slice(0).to_vec(), model.report())
        }),
        ("perceptron", of_values(&Perceptron::on_kernel(rbf).fit(x, two).unwrap(), x)),
        (
            "perceptron, features",
            of_values(&Perceptron::on_features(map.clone()).fit(x, two).unwrap(), x),
        ),
        ("sgd", of_numbers(&Sgd::on_kernel(rbf).epochs(5).fit(x, y()).unwrap(), x)),
        (
            "sgd, features",
            of_numbers(&Sgd::on_features(map.clone()).epochs(5).fit(x, y()).unwrap(), x),
        ),
        ("k-means", of_labels(&KMeans::on_kernel(rbf, 3).fit(x).unwrap(), x)),
        ("k-means, features", of_labels(&KMeans::on_features(map, 3).fit(x).unwrap(), x)),
        ("k-means, landmarks", of_labels(&KMeans::on_landmarks(few(), 3).fit(x).unwrap(), x)),
        ("k-means, batches", of_labels(&batches.fit(x).unwrap(), x)),
        ("soft k-means", of_labels(&SoftKMeans::on_kernel(rbf, 3).fit(x).unwrap(), x)),
        ("k nearest", of_numbers(&distance().fit(x, y()).unwrap(), x)),
        ("k nearest, tree", of_numbers(&tree.fit(x, y()).unwrap(), x)),
        ("radius", {
            let model = RadiusNeighbors::by_distance(rbf, 0.9).fit(x, y()).unwrap();
            digest(model.predict(x).unwrap().into_iter().flatten(), model.report())
        }),
    ]
}

/// The report of a child, a line for each estimator.
fn report() {
    let scalar = matches!(kern_core::instruction_set(), pulp::Arch::Scalar);
    assert_eq!(scalar, env::var(SET).is_ok_and(|set| set == "scalar"));
    for (name, digest) in all::<f64>(90, 3).into_iter().chain(all::<f64>(90, 150)) {
        println!("{MARK}{name}, double: {digest}");
    }
    for (name, digest) in all::<f32>(90, 3).into_iter().chain(all::<f32>(90, 150)) {
        println!("{MARK}{name}, single: {digest}");
    }
}

#[test]
fn every_instruction_set_has_the_bits_of_scalar_code() {
    if env::var_os(SET).is_some() {
        return report();
    }
    let under = |set: &str| -> Vec<String> {
        let program = env::current_exe().unwrap();
        let test = "instruction_sets::every_instruction_set_has_the_bits_of_scalar_code";
        let output = Command::new(program)
            .args(["--exact", test, "--nocapture"])
            .env(SET, set)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter_map(|line| line.split_once(MARK)).map(|(_, of)| of.to_owned()).collect()
    };
    let scalar = under("scalar");
    assert_eq!(scalar.len(), 4 * 32, "{scalar:?}");
    for set in ["avx2", "best"] {
        let differing: Vec<_> =
            under(set).into_iter().zip(&scalar).filter(|(a, b)| a != *b).collect();
        assert!(differing.is_empty(), "{set}: {differing:#?}");
    }
}
