//! Ridge and logistic regression on small real data sets, against scikit-learn 1.9.1 and numpy 2.4.6; ridge on
//! landmarks on four sets of the Gaussian process literature, against published errors; support vector machines
//! against LIBSVM, as scikit-learn has it.
//!
//! Golden values, columns standardised by `(X - X.mean(0)) / X.std(0)`, K = exp(−γ‖x − x'‖²):
//!
//! ```python
//! KernelRidge(alpha=1.0, kernel="rbf", gamma=0.01).fit(X, y).predict(X)[::100]               # diabetes
//! RidgeCV([0.1, 1, 10, 100], store_cv_results=True).fit(X, y).cv_results_.mean(0)            # diabetes
//! # Newton's method on the whole system, to steps below 1e-13: J, Kα and its signs, for λ = 1e-3 and
//! # γ = 1/60 (breast_cancer), 1/8 (iris), 1/26 (wine)
//! ```
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::real::claim;
use crate::support;
use kern::approx::Nystrom;
use kern::faer::ColRef;
use kern::kernels::{Linear, Matern32, Rbf};
use kern::prelude::*;
use kern::solvers::svm::{Svc, Svr};
use kern::solvers::{Criterion, Data, Logistic, MultiClass, Report, Ridge, Run, Status};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// A table with standardised columns.
fn table(name: &str) -> Option<support::Table> {
    support::table(name).map(|(x, y)| (support::standardized(&x), y))
}

#[test]
fn ridge_equals_scikit_learn_on_diabetes() {
    let (x, y) = table("diabetes").unwrap();
    let y: Vec<f64> = y.iter().map(|y| y.parse().unwrap()).collect();
    let n = y.len() as f64;
    let ridge = Ridge::on_kernel(Rbf::new(0.01).unwrap()).lambda(1.0 / n);
    let fitted = ridge.fit(&x, &y).unwrap().predict(&x).unwrap();
    let expected = [
        202.59717793220952,
        168.002819616444,
        98.22899366891296,
        212.39385189061815,
        172.24804515538642,
    ];
    let worst = (0..5).map(|k| (fitted[100 * k] - expected[k]).abs()).fold(0.0, f64::max);
    let what = "five values of scikit-learn's KernelRidge to 1e-8";
    claim(worst < 1e-8, "diabetes", what, format_args!("worst difference {worst:.1e}"));
}

#[test]
fn leave_one_out_chooses_the_lambda_of_scikit_learn_on_diabetes() {
    let (x, y) = table("diabetes").unwrap();
    let y: Vec<f64> = y.iter().map(|y| y.parse().unwrap()).collect();
    let grid = [0.1, 1.0, 10.0, 100.0].map(|alpha| alpha / y.len() as f64);
    let data = Data::new(&x, &y).unwrap();
    let spectrum = Ridge::on_kernel(Linear).intercept(true).decompose(&data, &Run::new()).unwrap();
    let targets = ColRef::from_slice(&y).as_mat();
    let choice = spectrum.choose(&grid, targets, Criterion::LeaveOneOut).unwrap();
    let expected = [3001.44001392902, 3000.0097593475543, 3001.3584809926533, 3029.6488148724334];
    let pairs = || choice.scores.iter().zip(expected);
    let equal = pairs().all(|(given, expected)| (given - expected).abs() < 1e-8 * expected);
    let what = format!(
        "leave-one-out errors of scikit-learn's RidgeCV, {expected:?}, to 1e-8 of them, and the choice of the second"
    );
    let measured = format_args!("{:?}, choice {}", choice.scores, choice.index + 1);
    claim(equal && choice.index == 1, "diabetes", what, measured);
}

#[test]
fn logistic_regression_on_breast_cancer() {
    let (x, y) = table("breast_cancer").unwrap();
    let logistic = Logistic::on_kernel(Rbf::new(1.0 / 60.0).unwrap()).lambda(1e-3);
    let model = logistic.tolerance(1e-14).fit(&x, &y).unwrap();
    let report = model.report();
    let is_certified = report.status == Status::Converged
        && (0.0..=1e-14 * report.objective).contains(&report.gap.unwrap());
    let expected = 0.17033221831859882;
    let what = format!(
        "logistic objective of Newton's method on the whole system, {expected}, to 1e-12; converged, gap at most 1e-14 of it"
    );
    let equal = (report.objective - expected).abs() < 1e-12;
    let measured = format_args!("{}, gap {:.1e}", report.objective, report.gap.unwrap());
    claim(is_certified && equal, "breast_cancer", what, measured);
    let expected = [
        -2.7945949515634303,
        -0.4735122151962641,
        2.2557240703588377,
        -4.947692422782093,
        -4.079098160651553,
        1.8095429115397013,
    ];
    let values = model.decision_values(&x).unwrap();
    for (k, expected) in expected.iter().enumerate() {
        assert!((values[(100 * k, 0)] - expected).abs() < 1e-6, "point {}", 100 * k);
    }
    assert!((model.accuracy(&x, &y).unwrap() - 557.0 / 569.0).abs() < 1e-12);
}

#[test]
fn three_classes_of_iris_and_wine() {
    let cases =
        [("iris", 8.0, 0.17005260297516211, 0.98), ("wine", 26.0, 0.14256607782287373, 1.0)];
    for (name, width, objective, accuracy) in cases {
        let (x, y) = table(name).unwrap();
        let logistic = || Logistic::on_kernel(Rbf::new(1.0 / width).unwrap()).lambda(1e-3);
        let model = logistic().fit(&x, &y).unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged);
        let gap = report.gap.unwrap();
        assert!((0.0..=1e-8 * report.objective).contains(&gap), "{name}: {report}");
        let excess = report.objective - objective;
        let what = format!(
            "softmax objective of Newton's method on the whole system, {objective}, exceeded by the gap at most, to 1e-13"
        );
        let measured = format_args!("{}, gap {gap:.1e}", report.objective);
        claim(excess >= -1e-13 && excess <= gap + 1e-13, name, what, measured);
        assert!((model.accuracy(&x, &y).unwrap() - accuracy).abs() < 1e-12, "{name}");
        let rest = logistic().multi_class(MultiClass::OneVsRest).fit(&x, &y).unwrap();
        assert_eq!(rest.report().status, Status::Converged);
        assert!(rest.accuracy(&x, &y).unwrap() >= 0.97, "{name}");
    }
}

/// Wang et al. (2019), *Exact Gaussian Processes on a Million Data Points*, Table 1: root mean square errors in standard deviations
/// of the target of sparse Gaussian processes with trained inducing points (SGPR with 512, SVGP with 1024), and of the exact one.
/// The last number is how many times the error of the exact process the error here may be; measured: 1.28, 0.94, 2.48 and 1.15.
const GAUSSIAN_PROCESSES: [(&str, [f64; 2], f64, f64); 4] = [
    ("pol", [0.217, 0.215], 0.151, 1.4),
    ("elevators", [0.437, 0.399], 0.394, 1.0),
    ("kin40k", [0.273, 0.268], 0.099, 2.7),
    ("protein", [0.656, 0.668], 0.536, 1.25),
];

/// Length scales in units of √d.
const SCALES: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// As there, 4/9 of the rows are for training and 3/9 for testing; the rows are others. The length scale and λ are those with the
/// smallest generalised cross-validation error of the training part on 400 landmarks. The errors are below those of the sparse
/// processes on all four sets, and below that of the exact one on elevators only.
#[test]
fn ridge_on_landmarks_is_better_than_published_sparse_gaussian_processes() {
    for (name, sparse, exact, most) in GAUSSIAN_PROCESSES {
        let Some((x, targets)) = support::table(name) else { continue };
        let y: Vec<f64> = targets.iter().map(|y| y.parse().unwrap()).collect();
        let y = Samples::from_row_major(1, y).unwrap();
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
        let (train, rest) = order.split_at(4 * x.len() / 9);
        let test = &rest[2 * x.len() / 9..];
        // Means and deviations are those of the training part, too.
        let part = |all: &Samples<f64>, rows: &[usize]| {
            let (own, rows) = (all.select(train).unwrap(), all.select(rows).unwrap());
            support::standardized_as(&rows, &own)
        };
        let [(x_train, y_train), (x_test, y_test)] =
            [train, test].map(|rows| (part(&x, rows), part(&y, rows)));
        let data = Data::new(&x_train, y_train.as_slice()).unwrap();
        let ridge = |scale: f64, landmarks: usize| {
            let kernel = Matern32::new(scale * (x.dim() as f64).sqrt()).unwrap();
            Ridge::on_landmarks(Nystrom::new(kernel).landmarks(landmarks).seed(1)).intercept(true)
        };
        let choose =
            |scale| (scale, ridge(scale, 400).choose_lambda(&data, &mut Run::new()).unwrap());
        let choices = SCALES.map(choose);
        let (scale, choice) =
            choices.iter().min_by(|(_, a), (_, b)| a.error.total_cmp(&b.error)).unwrap();
        let ridge = ridge(*scale, 1500).lambda(choice.lambda);
        let model = ridge.fit(&x_train, y_train.as_slice()).unwrap();
        assert_eq!(model.report().status, Status::Converged);
        let predicted = model.predict(&x_test).unwrap();
        let squares = predicted.iter().zip(y_test.as_slice()).map(|(f, y)| (f - y).powi(2));
        let error = (squares.sum::<f64>() / predicted.len() as f64).sqrt();
        let [sgpr, svgp] = sparse;
        let what = format!(
            "ridge on 1500 landmarks, scale and λ chosen on the training part: error below those of sparse Gaussian \
             processes, {sgpr} and {svgp}, Wang et al. (2019)"
        );
        let measured = format!("{error:.4} (scale {scale} √d, λ {:.1e})", choice.lambda);
        claim(error < sgpr.min(svgp), name, what, measured);
        let what = format!(
            "ridge on 1500 landmarks, chosen so: error at most {most} times that of the exact Gaussian process, {exact}, \
             Wang et al. (2019)"
        );
        let ratio = error / exact;
        let word = if ratio < 1.0 { "better" } else { "worse" };
        claim(ratio <= most, name, what, format_args!("{ratio:.2} times, {word}"));
    }
}

/// Every so many rows of a set with standardised columns.
fn every(name: &str, step: usize) -> Option<(Samples<f64>, Vec<String>)> {
    let (x, targets) = match name {
        "heart_scale" => support::svm_file("heart_scale", 13)?,
        "svmguide1_train" => support::svm_file("svmguide1_train", 4)?,
        "a9a_train" => support::svm_file("a9a_train", 123)?,
        _ => support::table(name)?,
    };
    let rows: Vec<usize> = (0..x.len()).step_by(step).collect();
    let targets = rows.iter().map(|&i| targets[i].clone()).collect();
    Some((support::standardized(&x).select(&rows).unwrap(), targets))
}

/// Dual objectives within 1e-6 of LIBSVM's, numbers of support vectors within 0.5 % (or one, whose
/// coefficient is 0 to the tolerance), and gaps of at most 1e-5 of the objective.
fn assert_equals_libsvm(
    name: &str,
    (report, vectors): (&Report, &Samples<f64>),
    (dual, support): (f64, usize),
) {
    // Equal points share a coefficient in any way, so they count once.
    let rows = vectors.as_slice().chunks(vectors.dim());
    let distinct =
        BTreeSet::from_iter(rows.map(|row| row.iter().map(|v| v.to_bits()).collect::<Vec<_>>()));
    let (found, gap) = (report.svm().unwrap().dual, report.gap.unwrap());
    assert!(report.status.has_converged(), "{name}: {report}");
    let allowed = (support / 200).max(1);
    let holds = (found / dual - 1.0).abs() < 1e-6
        && distinct.len().abs_diff(support) <= allowed
        && (0.0..=1e-5 * dual).contains(&gap);
    let what = format!(
        "dual objective of LIBSVM, {dual}, to 1e-6 of it, its {support} support vectors to {allowed}, gap at most 1e-5 of it"
    );
    let measured = format_args!("{found}, {} support vectors, gap {gap:.1e}", distinct.len());
    claim(holds, name, what, measured);
}

/// Set, step, C, γ, the dual objective summed over pairs of classes, and the distinct support vectors of
/// `SVC(tol=1e-6)`.
const CLASSIFIERS: [(&str, usize, f64, f64, f64, usize); 9] = [
    ("iris", 1, 1.0, 0.25, 31.3246686330394, 51),
    ("wine", 1, 1.0, 0.07692307692307693, 29.201604049085827, 69),
    ("breast_cancer", 1, 10.0, 0.03333333333333333, 197.75126975667098, 93),
    ("digits", 1, 10.0, 0.015625, 937.5049600587637, 813),
    ("heart_scale", 1, 1.0, 0.07692307692307693, 88.00238299666186, 150),
    ("svmguide1_train", 1, 2.0, 0.5, 516.8148529979412, 359),
    ("letter", 10, 10.0, 0.0625, 11490.377405627401, 1526),
    ("a9a_train", 20, 1.0, 0.008130081300813009, 547.1211380943923, 764),
    ("kddcup99_10pct", 300, 1.0, 0.024390243902439025, 101.95585563118755, 99),
];

#[test]
fn support_vector_classifiers_equal_libsvm() {
    for (name, step, c, gamma, dual, support) in CLASSIFIERS {
        let Some((x, labels)) = every(name, step) else { continue };
        let svc = Svc::on_kernel(Rbf::new(gamma).unwrap()).c(c).violation(1e-6);
        let model = svc.fit(&x, &labels).unwrap();
        assert_equals_libsvm(name, (model.report(), model.decision().points()), (dual, support));
    }
}

/// Set, step, C, γ, dual objective and distinct support vectors of
/// `SVR(epsilon=0.1, tol=1e-6)` with standardised targets.
const REGRESSORS: [(&str, usize, f64, f64, f64, usize); 3] = [
    ("diabetes", 1, 10.0, 0.1, 1058.4337937621092, 378),
    ("concrete", 1, 10.0, 0.125, 1177.0526523105586, 658),
    ("elevators", 10, 1.0, 0.05555555555555555, 385.99779721536135, 1315),
];

#[test]
fn support_vector_regressions_equal_libsvm() {
    for (name, step, c, gamma, dual, support) in REGRESSORS {
        let Some((x, targets)) = support::table(name) else { continue };
        let y: Vec<f64> = targets.iter().map(|y| y.parse().unwrap()).collect();
        let y = support::standardized(&Samples::from_row_major(1, y).unwrap());
        let rows: Vec<usize> = (0..x.len()).step_by(step).collect();
        let (x, y) = (support::standardized(&x).select(&rows), y.select(&rows));
        let svr = Svr::on_kernel(Rbf::new(gamma).unwrap()).c(c).epsilon(0.1).violation(1e-6);
        let model = svr.fit(&x.unwrap(), y.unwrap().as_slice()).unwrap();
        assert_equals_libsvm(name, (model.report(), model.decision().points()), (dual, support));
    }
}

/// Sums over one-against-the-rest problems of the objectives of scikit-learn 1.9.1 on standardised columns with C = 1 and
/// tol=1e-10: the dual one of `SVC(kernel="linear")`, and the primal one of
/// `LinearSVC(loss="hinge", dual=True, fit_intercept=False, max_iter=10**7)`.
const LINEAR_CLASSIFIERS: [(&str, f64, f64); 2] = [
    ("iris", 104.09610392154286, 162.3547701602312),
    ("breast_cancer", 26.525455159802153, 26.5370382066087),
];

#[test]
fn support_vector_machines_on_features_equal_liblinear_and_libsvm() {
    for (name, with_bias, without) in LINEAR_CLASSIFIERS {
        let Some((x, labels)) = every(name, 1) else { continue };
        for (bias, expected) in [(true, with_bias), (false, without)] {
            let svc = Svc::on_features(kern::approx::Identity::new(x.dim())).intercept(bias);
            let model = svc.violation(1e-7).fit(&x, &labels).unwrap();
            assert_objective(name, model.report(), expected);
        }
    }
    let (x, targets) = support::table("diabetes").unwrap();
    let y: Vec<f64> = targets.iter().map(|y| y.parse().unwrap()).collect();
    let y = support::standardized(&Samples::from_row_major(1, y).unwrap());
    let x = support::standardized(&x);
    // SVR(kernel="linear"), and LinearSVR(loss="epsilon_insensitive", dual=True, fit_intercept=False), epsilon=0.1.
    for (bias, expected) in [(true, 205.62499345002118), (false, 205.663687320245)] {
        let svr = Svr::on_features(kern::approx::Identity::new(x.dim())).intercept(bias);
        let svr = svr.violation(1e-7);
        assert_objective("diabetes", svr.fit(&x, y.as_slice()).unwrap().report(), expected);
    }
}

fn assert_objective(name: &str, report: &Report, expected: f64) {
    assert!(report.status.has_converged(), "{name}: {report}");
    let gap = report.gap.unwrap();
    let equal = (report.objective / expected - 1.0).abs() < 1e-6;
    let what = format!(
        "objective of LIBSVM or LIBLINEAR on features, {expected}, to 1e-6 of it, gap at most 1e-6 of it"
    );
    let measured = format_args!("{}, gap {gap:.1e}", report.objective);
    claim(equal && (0.0..=1e-6 * expected).contains(&gap), name, what, measured);
}
