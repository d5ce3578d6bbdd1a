//! Ridge and logistic regression on small real data sets, against scikit-learn 1.9.1 and numpy 2.4.6.
//!
//! Golden values, columns standardised by `(X - X.mean(0)) / X.std(0)`, K = exp(−γ‖x − x'‖²):
//!
//! ```python
//! KernelRidge(alpha=1.0, kernel="rbf", gamma=0.01).fit(X, y).predict(X)[::100]               # diabetes
//! RidgeCV([0.1, 1, 10, 100], store_cv_results=True).fit(X, y).cv_results_.mean(0)            # diabetes
//! # Newton's method on the whole system, to steps below 1e-13: J, Kα and its signs, for λ = 1e-3 and
//! # γ = 1/60 (breast_cancer), 1/8 (iris), 1/26 (wine)
//! ```
//! Tests of data that is not there are skipped, with a notice.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

mod support;

use kern::faer::ColRef;
use kern::kernels::{Linear, Rbf};
use kern::solvers::{Criterion, KernelLogistic, KernelRidge, MultiClass, Status};

/// A table with standardised columns.
fn table(name: &str) -> Option<support::Table> {
    support::table(name).map(|(x, y)| (support::standardized(&x), y))
}

#[test]
fn ridge_equals_scikit_learn_on_diabetes() {
    let Some((x, y)) = table("diabetes.csv.gz") else { return };
    let y: Vec<f64> = y.iter().map(|y| y.parse().unwrap()).collect();
    let n = y.len() as f64;
    let ridge = KernelRidge::new(Rbf::new(0.01).unwrap()).lambda(1.0 / n);
    let fitted = ridge.fit(&x, &y).unwrap().predict(&x).unwrap();
    let expected = [
        202.59717793220952,
        168.002819616444,
        98.22899366891296,
        212.39385189061815,
        172.24804515538642,
    ];
    for (k, expected) in expected.iter().enumerate() {
        assert!((fitted[100 * k] - expected).abs() < 1e-8, "point {}", 100 * k);
    }
}

#[test]
fn leave_one_out_chooses_the_lambda_of_scikit_learn_on_diabetes() {
    let Some((x, y)) = table("diabetes.csv.gz") else { return };
    let y: Vec<f64> = y.iter().map(|y| y.parse().unwrap()).collect();
    let grid = [0.1, 1.0, 10.0, 100.0].map(|alpha| alpha / y.len() as f64);
    let spectrum = KernelRidge::new(Linear).intercept(true).decompose(&x).unwrap();
    let targets = ColRef::from_slice(&y).as_mat();
    let choice = spectrum.choose(&grid, targets, Criterion::LeaveOneOut).unwrap();
    let expected = [3001.44001392902, 3000.0097593475543, 3001.3584809926533, 3029.6488148724334];
    for (given, expected) in choice.scores.iter().zip(expected) {
        assert!((given - expected).abs() < 1e-8 * expected, "{given} {expected}");
    }
    assert_eq!(choice.index, 1);
}

#[test]
fn logistic_regression_on_breast_cancer() {
    let Some((x, y)) = table("breast_cancer.csv.gz") else { return };
    let logistic = KernelLogistic::new(Rbf::new(1.0 / 60.0).unwrap()).lambda(1e-3);
    let model = logistic.tolerance(1e-14).fit(&x, &y).unwrap();
    let report = model.report();
    assert_eq!(report.status, Status::Converged);
    assert!((0.0..=1e-14 * report.objective).contains(&report.gap.unwrap()), "{report}");
    assert!((report.objective - 0.17033221831859882).abs() < 1e-12, "{report}");
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
    let cases = [
        ("iris.csv.gz", 8.0, 0.17005260297516211, 0.98),
        ("wine.csv.gz", 26.0, 0.14256607782287373, 1.0),
    ];
    for (name, width, objective, accuracy) in cases {
        let Some((x, y)) = table(name) else { return };
        let logistic = || KernelLogistic::new(Rbf::new(1.0 / width).unwrap()).lambda(1e-3);
        let model = logistic().fit(&x, &y).unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged);
        let gap = report.gap.unwrap();
        assert!((0.0..=1e-8 * report.objective).contains(&gap), "{name}: {report}");
        let excess = report.objective - objective;
        assert!(excess >= -1e-13 && excess <= gap + 1e-13, "{name}: {report}");
        assert!((model.accuracy(&x, &y).unwrap() - accuracy).abs() < 1e-12, "{name}");
        let rest = logistic().multi_class(MultiClass::OneVsRest).fit(&x, &y).unwrap();
        assert_eq!(rest.report().status, Status::Converged);
        assert!(rest.accuracy(&x, &y).unwrap() >= 0.97, "{name}");
    }
}
