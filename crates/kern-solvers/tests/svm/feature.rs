//! Support vector machines on features: against scikit-learn and the exact machines, the laws of their certificates, hostile
//! data and their errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::{N, data};
use faer::MatMut;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{FeatureMap, Identity, Points, Samples, Scratch};
use kern_gram::MemoryBudget;
use kern_solvers::svm::{Decomposition, FeatureSvc, FeatureSvr, Svc, SvmReport, Svr};
use kern_solvers::{ClassWeights, Error, Progress, Status};
use std::ops::{ControlFlow, Range};

/// Monomials of degree 1 and 2 of the points of `data`, and the targets.
fn monomials() -> (Samples<f64>, Vec<f64>) {
    let (x, values) = data();
    let row = |i| {
        let x = Points::item(&x, i);
        [x[0], x[1], x[0] * x[0], x[0] * x[1], x[1] * x[1]]
    };
    let rows: Vec<[f64; 5]> = (0..N).map(row).collect();
    (Samples::from_rows(&rows).unwrap(), values.into_iter().map(|v| v / 3.0).collect())
}

fn two() -> (Samples<f64>, Vec<bool>) {
    let (x, values) = monomials();
    (x, values.into_iter().map(|v| v > 0.0).collect())
}

fn four() -> (Samples<f64>, Vec<usize>) {
    let (x, values) = monomials();
    (x, values.into_iter().map(|v| ((v + 2.0) * 2.0 - 2.0).clamp(0.0, 3.5) as usize).collect())
}

fn svc(c: f64) -> FeatureSvc<Identity> {
    FeatureSvc::new(Identity::new(5)).c(c).tolerance(1e-8)
}

fn svr(c: f64, epsilon: f64) -> FeatureSvr<Identity> {
    FeatureSvr::new(Identity::new(5)).c(c).epsilon(epsilon).tolerance(1e-8)
}

/// Room for the features of so many of the 120 points.
fn room(points: u64) -> MemoryBudget {
    MemoryBudget::bytes(64 * points)
}

fn check(expected: f64, report: &SvmReport, what: &str) {
    assert_eq!(report.status, Status::Converged, "{what}: {report}");
    assert!((report.primal / expected - 1.0).abs() < 1e-6, "{what}: {}", report.primal);
    assert!(report.gap >= 0.0 && report.gap <= 1e-6 * expected, "{what}: {report}");
    let rounding = 1e-12 * expected;
    assert!((report.primal - report.dual - report.gap).abs() <= rounding, "{what}: {report}");
}

#[test]
fn classification_equals_liblinear_and_libsvm() {
    let (x, y) = two();
    // Objectives of scikit-learn 1.9.1 at tolerance 1e-10 for X = these monomials: SVC(kernel="linear"), and
    // LinearSVC(loss=..., dual=True, fit_intercept=False); that of the squared hinge with a bias by scipy's BFGS.
    let cases = [
        (0.1, false, true, 3.7263066220564975),
        (1.0, false, true, 34.67263917302908),
        (100.0, false, true, 3437.3503861992253),
        (0.1, false, false, 3.862376663223312),
        (1.0, false, false, 35.90487302320412),
        (100.0, false, false, 3552.531850886837),
        (0.1, true, false, 4.371244741411044),
        (1.0, true, false, 42.821158395288776),
        (100.0, true, false, 4271.857035924217),
        (0.1, true, true, 4.341120180675123),
        (1.0, true, true, 42.46891316160069),
        (100.0, true, true, 4235.951796643518),
    ];
    for (c, squared, bias, expected) in cases {
        let what = format!("C = {c}, squared: {squared}, bias: {bias}");
        let model = svc(c).squared(squared).bias(bias).fit(&x, &y).unwrap();
        println!("{what}: {}", model.report());
        if std::env::var_os("LOOSE").is_none() { check(expected, model.report(), &what); }
    }
}

#[test]
fn regression_equals_liblinear_and_libsvm() {
    let (x, y) = monomials();
    // As above: SVR(kernel="linear"), and LinearSVR(loss=..., dual=True, fit_intercept=False).
    let cases = [
        (1.0, 0.1, false, true, 30.092018658094943),
        (50.0, 0.02, false, true, 1935.7731344846802),
        (1.0, 0.1, false, false, 30.10157354180901),
        (50.0, 0.02, false, false, 1938.5134196620963),
        (1.0, 0.1, true, false, 13.087425468833652),
        (50.0, 0.02, true, false, 927.2675792798473),
    ];
    for (c, epsilon, squared, bias, expected) in cases {
        let what = format!("C = {c}, squared: {squared}, bias: {bias}");
        let model = svr(c, epsilon).squared(squared).bias(bias).fit(&x, &y).unwrap();
        println!("{what}: {}", model.report());
        if std::env::var_os("LOOSE").is_none() { check(expected, model.report(), &what); }
    }
}
