//! Duality gaps of ridge and logistic regression on every real data set: not negative, and as small as was asked
//! for.
//!
//! Exact solvers take up to 600 rows of each set, evenly spaced; solvers on landmarks take all.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::ptr_arg, reason = "a collection of points is a vector, not a slice")]

use crate::real::{self, claim};
use crate::support::{self, Table, standardized};
use kern::approx::Nystrom;
use kern::closure::Normalized;
use kern::kernels::{Rbf, Spectrum, WeightedDegree, WeisfeilerLehman};
use kern::prelude::*;
use kern::solvers::svm::{Svc, Svr};
use kern::solvers::{Logistic, Report, Ridge, RidgeSolver, Status};
use std::collections::BTreeSet;

const ROWS: usize = 600;

/// The greatest number of targets that are taken for classes.
const CLASSES: usize = 30;

fn assert_certified(what: &str, report: &Report, tolerance: f64) {
    let (set, solver) = what.split_once(", ").unwrap_or((what, "fit"));
    let is_certified = report.status == Status::Converged
        && report.gap.is_some_and(|gap| (0.0..=tolerance * report.objective).contains(&gap));
    let what = format!("{solver}: converged, gap at most {tolerance:e} of the objective");
    claim(is_certified, set, what, report);
}

/// Ridge and, for few different targets, logistic regression, exact.
fn certify_exact<P: Points<Scalar = f64>>(
    name: &str,
    kernel: &impl Mercer<P>,
    points: &P,
    targets: &[String],
) {
    let step = points.len().div_ceil(ROWS);
    let rows: Vec<usize> = (0..points.len()).step_by(step).collect();
    let points = points.select(&rows).unwrap();
    let targets: Vec<&str> = rows.iter().map(|&i| &*targets[i]).collect();
    let classes = BTreeSet::from_iter(&targets).len();
    if let Some(y) = numbers(&targets) {
        let model = Ridge::on_kernel(kernel).lambda(1e-4).fit(&points, &y).unwrap();
        assert_certified(&format!("{name}, ridge"), model.report(), 1e-18);
        let ridge = Ridge::on_kernel(kernel).lambda(1e-4).intercept(true);
        let ridge = ridge.solver(RidgeSolver::ConjugateGradients);
        let model = ridge.fit(&points, &y).unwrap();
        assert_certified(&format!("{name}, conjugate gradients"), model.report(), 1e-10);
    }
    if (2..=CLASSES).contains(&classes) {
        let model = Logistic::on_kernel(kernel).lambda(1e-3).fit(&points, &targets).unwrap();
        assert_certified(&format!("{name}, logistic"), model.report(), 1e-8);
        let ridge = Ridge::on_kernel(kernel).lambda(1e-4).intercept(true);
        let model = ridge.fit(&points, &targets).unwrap();
        assert_certified(&format!("{name}, ridge classifier"), model.report(), 1e-18);
    }
}

/// Ridge on landmarks, all rows.
fn certify_landmarks(name: &str, x: &Samples<f64>, targets: &[String]) {
    let kernel = Rbf::new(0.5 / x.dim() as f64).unwrap();
    let nystrom = Nystrom::new(kernel).landmarks(100.min(x.len() / 2)).seed(1);
    let ridge = Ridge::on_landmarks(nystrom.clone()).lambda(1e-5).intercept(true).tolerance(1e-6);
    let targets: Vec<&str> = targets.iter().map(|y| &**y).collect();
    let report = match numbers(&targets) {
        Some(y) => ridge.fit(x, &y).unwrap().report().clone(),
        None => ridge.fit(x, &targets).unwrap().report().clone(),
    };
    assert_certified(&format!("{name}, {} rows on landmarks", x.len()), &report, 1e-6);
    // Each class is a fit of its own.
    if x.len() <= 50_000 && (2..=10).contains(&BTreeSet::from_iter(&targets).len()) {
        let logistic = Logistic::on_landmarks(nystrom).lambda(1e-4).intercept(true);
        let model = logistic.tolerance(1e-6).fit(x, &targets).unwrap();
        assert_certified(&format!("{name}, logistic on landmarks"), model.report(), 1e-6);
    }
}

/// Standardised numbers, if the targets are numbers.
fn numbers(targets: &[&str]) -> Option<Vec<f64>> {
    let y: Vec<f64> = targets.iter().map(|y| y.parse().ok()).collect::<Option<_>>()?;
    Some(standardized(&Samples::from_row_major(1, y).unwrap()).as_slice().to_vec())
}

fn certify_vectors(name: &str, table: Option<Table>) {
    let Some((x, targets)) = table else { return };
    let x = standardized(&x);
    certify_exact(name, &Rbf::new(0.5 / x.dim() as f64).unwrap(), &x, &targets);
    certify_landmarks(name, &x, &targets);
}

#[test]
fn tables() {
    let sets = [
        "iris",
        "wine",
        "breast_cancer",
        "digits",
        "diabetes",
        "concrete",
        "elevators",
        "pol",
        "kin40k",
        "protein",
        "letter",
    ];
    for name in sets {
        certify_vectors(name, support::table(name));
    }
}

#[test]
fn large_tables() {
    certify_vectors("kddcup99", support::table("kddcup99_10pct"));
    certify_vectors("beijing_air", beijing_air());
    certify_vectors("mnist", mnist());
}

#[test]
fn files_of_libsvm() {
    let sets = [("heart_scale", 13), ("svmguide1_train", 4), ("a9a_train", 123)];
    for (name, dim) in sets {
        certify_vectors(name, support::svm_file(name, dim));
    }
}

#[test]
fn strings_and_graphs() {
    if let Some((labels, texts)) = support::corpus("splice_dna") {
        let kernel = Normalized::new(WeightedDegree::new(4).unwrap());
        certify_exact("splice_dna", &kernel, &texts, &labels);
    }
    if let Some((labels, texts)) = support::corpus("sms_spam") {
        let kernel = Normalized::new(Spectrum::new(3).unwrap());
        certify_exact("sms_spam", &kernel, &texts, &labels);
    }
    if let Some((graphs, classes)) = support::mutag() {
        let labels: Vec<String> = classes.iter().map(bool::to_string).collect();
        let kernel = Normalized::new(WeisfeilerLehman::new(3).unwrap());
        certify_exact("mutag", &kernel, &graphs, &labels);
    }
}

/// Arrays of numpy: a header whose length is in bytes 8 and 9, then `f32`.
fn beijing_air() -> Option<Table> {
    let floats = |name| {
        let bytes = real::bytes(name)?;
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let numbers = bytes[start..].chunks_exact(4);
        let number = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        Some(numbers.map(number).collect::<Vec<f64>>())
    };
    let (x, y) = (floats("beijing_air_X")?, floats("beijing_air_y")?);
    let targets = y.iter().map(f64::to_string).collect();
    Some((Samples::from_row_major(12, x).unwrap(), targets))
}

/// Images after 16 bytes, labels after 8. Every tenth image.
fn mnist() -> Option<Table> {
    let images = real::bytes("mnist_train_images")?;
    let labels = real::bytes("mnist_train_labels")?;
    let rows = images[16..].chunks_exact(784).step_by(10);
    let x = rows.flatten().map(|&pixel| f64::from(pixel)).collect();
    let targets = labels[8..].iter().step_by(10).map(u8::to_string).collect();
    Some((Samples::from_row_major(784, x).unwrap(), targets))
}

/// Few steps: not all of these problems have a solution that they reach.
const STEPS: usize = 300_000;

#[test]
fn support_vector_machines_with_extreme_parameters_end_with_a_certificate() {
    for name in ["iris", "breast_cancer"] {
        let (x, y) = support::table(name).unwrap();
        let x = standardized(&x);
        let classes: Vec<String> = BTreeSet::from_iter(&y).into_iter().cloned().collect();
        let values: Vec<f64> =
            y.iter().map(|y| classes.iter().position(|c| c == y).unwrap() as f64).collect();
        for gamma in [1e-12, 1.0 / x.dim() as f64, 1e6] {
            let rbf = Rbf::new(gamma).unwrap();
            for c in [1e-10, 1e10] {
                let svc = Svc::on_kernel(rbf).c(c).max_iterations(STEPS);
                let svr = Svr::on_kernel(rbf).c(c).max_iterations(STEPS);
                let classify = |svc: &Svc<_>| svc.fit(&x, &y).unwrap().report().clone();
                let regress = |svr: &Svr<_>| svr.fit(&x, &values).unwrap().report().clone();
                let reports = [
                    ("C-SVC", classify(&svc)),
                    ("C-SVC without intercept", classify(&svc.clone().intercept(false))),
                    ("SVR", regress(&svr)),
                    ("SVR without intercept", regress(&svr.clone().intercept(false))),
                    ("nu-SVR", regress(&svr.clone().nu(0.5))),
                ];
                for (machine, report) in reports {
                    let (gap, violation) = (report.gap.unwrap(), report.svm().unwrap().violation);
                    // Rounding of sums of C times values of size one.
                    let bound = 3.0 * x.len() as f64 * c * violation.max(1e-12);
                    let (says, most) = match report.status {
                        Status::Converged => ("converged", 1e-3 * report.objective),
                        Status::ConvergedByViolation => ("by violation", 0.01 * report.objective),
                        _ => ("has not converged", bound),
                    };
                    let easy = c < 1.0 || gamma > 1.0;
                    let is_bounded = gap >= 0.0 && gap <= bound.min(most);
                    let what = format!(
                        "{machine}, gamma {gamma:e}, C {c:e}: {says}, gap at most {:.1e}",
                        bound.min(most)
                    );
                    let holds = is_bounded
                        && report.objective.is_finite()
                        && (!easy || report.status.has_converged());
                    let measured =
                        format_args!("gap {gap:.1e}, objective {:.1e}", report.objective);
                    claim(holds, name, what, measured);
                }
            }
        }
    }
}
