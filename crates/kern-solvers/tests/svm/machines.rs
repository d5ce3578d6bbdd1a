//! Support vector machines: against LIBSVM, the laws of their certificates, hostile data and their errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::golden;
use super::golden::Golden;
use super::problem::{N, columns, columns_of, data, rbf, two};
use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_gram::MemoryBudget;
use kern_solvers::svm::{Decomposition, Svc, SvmReport, Svr};
use kern_solvers::{ClassWeights, Error, Progress, Status};
use std::ops::ControlFlow;

fn four() -> (Samples<f64>, Vec<usize>) {
    let (x, values) = data();
    let class = |v: f64| ((v + 6.0) / 12.0 * 8.0 - 2.0).clamp(0.0, 3.5) as usize;
    (x, values.into_iter().map(class).collect())
}

fn targets() -> (Samples<f64>, Vec<f64>) {
    let (x, values) = data();
    (x, values.into_iter().map(|v| v / 3.0).collect())
}

fn weights() -> Vec<f64> {
    (0..N).map(|i| 0.5 + (i % 4) as f64 * 0.5).collect()
}

fn svc(c: f64) -> Svc<Rbf> {
    Svc::new(rbf()).c(c).tolerance(1e-9)
}

fn check(golden: &Golden, report: &SvmReport, value: impl Fn(usize) -> f64, what: &str) {
    assert_eq!(report.status, Status::Converged, "{what}: {report}");
    assert!((report.dual / golden.dual - 1.0).abs() < 1e-6, "{what}: {}", report.dual);
    assert_eq!(report.support_vectors, golden.support, "{what}");
    assert!(report.gap >= 0.0 && report.gap < 1e-6 * golden.dual.abs(), "{what}: {report}");
    for (k, expected) in golden.values.iter().enumerate() {
        assert!((value(k) - expected).abs() < 1e-5, "{what}, value {k}: {}", value(k));
    }
}

#[test]
fn classification_equals_libsvm_with_a_stored_matrix_and_with_few_columns() {
    let (x, y) = two();
    let cases = [
        (svc(1.0), golden::SVC_1, "C = 1"),
        (svc(100.0), golden::SVC_100, "C = 100"),
        (svc(1.0).sample_weights(weights()), golden::SVC_WEIGHTS, "weights"),
        (svc(1.0).class_weights(ClassWeights::Balanced), golden::SVC_BALANCED, "balanced"),
    ];
    for (svc, golden, what) in cases {
        for budget in [MemoryBudget::mebibytes(64), columns(40), columns(8), columns(2)] {
            let model = svc.clone().budget(budget).fit(&x, &y).unwrap();
            let f = model.decision_values(&x).unwrap();
            check(&golden, model.report(), |k| f[(17 * k, 0)], &format!("{what}, {budget:?}"));
        }
    }
}

#[test]
fn regression_equals_libsvm_with_a_stored_matrix_and_with_few_columns() {
    let (x, y) = targets();
    let svr = |c, epsilon| Svr::new(rbf()).c(c).epsilon(epsilon).tolerance(1e-9);
    let cases = [
        (svr(1.0, 0.1), golden::SVR_SMALL, "small C"),
        (svr(50.0, 0.02), golden::SVR_LARGE, "large C"),
        (svr(2.0, 0.0), golden::SVR_ZERO, "no tube"),
        (svr(1.0, 0.1).sample_weights(weights()), golden::SVR_WEIGHTS, "weights"),
    ];
    for (svr, golden, what) in cases {
        for budget in [MemoryBudget::mebibytes(64), columns(40), columns(8)] {
            let model = svr.clone().budget(budget).fit(&x, &y).unwrap();
            let f = model.predict(&x).unwrap();
            check(&golden, model.report(), |k| f[17 * k], &format!("{what}, {budget:?}"));
        }
    }
}

#[test]
fn pairs_of_classes_equal_libsvm() {
    let (x, y) = four();
    for budget in [MemoryBudget::mebibytes(64), columns_of(16, 6, 3)] {
        let model = svc(1.0).budget(budget).fit(&x, &y).unwrap();
        let f = model.decision_values(&x).unwrap();
        check(&golden::SVC_FOUR, model.report(), |k| -f[(17 * (k / 6), k % 6)], "four classes");
        assert_eq!(model.predict(&x).unwrap(), golden::FOUR_CLASSES);
    }
}

#[test]
fn one_against_the_rest_is_as_many_binary_problems() {
    let (x, y) = four();
    let model = svc(2.0).multi_class(Decomposition::OneVsRest).fit(&x, &y).unwrap();
    let all = model.decision_values(&x).unwrap();
    for class in 0..4 {
        let is: Vec<bool> = y.iter().map(|&y| y == class).collect();
        let alone = svc(2.0).fit(&x, &is).unwrap().decision_values(&x).unwrap();
        for i in 0..N {
            assert!((all[(i, class)] - alone[(i, 0)]).abs() < 1e-6, "class {class}, point {i}");
        }
    }
    let best = |i: usize| (1..4).fold(0, |a, c| if all[(i, c)] > all[(i, a)] { c } else { a });
    assert_eq!(model.predict(&x).unwrap(), (0..N).map(best).collect::<Vec<_>>());
}

#[test]
fn the_gap_is_bounded_by_the_violation() {
    let (x, y) = two();
    for c in [0.1, 1.0, 100.0] {
        let mut last = f64::INFINITY;
        for tolerance in [1.0, 0.1, 1e-2, 1e-4, 1e-7] {
            let model = Svc::new(rbf()).c(c).tolerance(tolerance).fit(&x, &y).unwrap();
            let SvmReport { gap, violation, primal, dual, .. } = *model.report();
            assert!(gap >= 0.0 && violation <= tolerance && primal >= dual);
            assert!(gap <= N as f64 * c * violation / 2.0 * (1.0 + 1e-9) + 1e-9, "{c} {gap}");
            assert!(gap <= last * 2.0 + 1e-9, "C = {c}: {gap} after {last}");
            last = gap;
        }
    }
}

#[test]
fn the_gap_can_be_what_stops() {
    let (x, y) = two();
    let model = svc(10.0).relative_gap(1e-2).fit(&x, &y).unwrap();
    let exact = svc(10.0).fit(&x, &y).unwrap();
    assert_eq!(model.report().status, Status::Converged);
    assert!(model.report().gap <= 1e-2 * model.report().primal);
    assert!(exact.report().dual - model.report().dual <= model.report().gap);
}

#[test]
fn integer_weights_repeat_points_and_zero_drops_them() {
    let (x, y) = two();
    let weights: Vec<f64> = (0..N).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..N).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let labels: Vec<bool> = repeated.iter().map(|&i| y[i]).collect();
    let points = kern_core::Points::select(&x, &repeated).unwrap();
    let weighted = svc(1.0).sample_weights(weights).fit(&x, &y).unwrap();
    let plain = svc(1.0).fit(&points, &labels).unwrap();
    assert!((weighted.report().dual / plain.report().dual - 1.0).abs() < 1e-8);
    let (a, b) = (weighted.decision_values(&x).unwrap(), plain.decision_values(&x).unwrap());
    assert!((a - b).norm_max() < 1e-6);
    assert!(weighted.support().iter().all(|i| i % 3 > 0));
}

#[test]
fn threads_do_not_change_a_bit() {
    let (x, y) = four();
    let fit = |threads: usize, budget| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Svc::new(rbf()).c(10.0).budget(budget).fit(&x, &y).unwrap())
    };
    for budget in [MemoryBudget::mebibytes(64), columns_of(16, 6, 3)] {
        let one = fit(1, budget);
        for threads in [2, 8] {
            let many = fit(threads, budget);
            assert_eq!(many.decision(), one.decision(), "{threads} threads");
            assert_eq!(many.report(), one.report(), "{threads} threads");
        }
    }
}

#[test]
fn single_precision_agrees_with_double() {
    let (x, y) = two();
    let row = |i| kern_core::Points::item(&x, i);
    let rows: Vec<[f32; 2]> = (0..N).map(|i| [row(i)[0] as f32, row(i)[1] as f32]).collect();
    let single = Samples::from_rows(&rows).unwrap();
    let a = Svc::new(rbf()).tolerance(1e-5).fit(&single, &y).unwrap();
    let b = Svc::new(rbf()).tolerance(1e-5).fit(&x, &y).unwrap();
    assert_eq!(a.report().status, Status::Converged);
    assert!((a.report().dual / b.report().dual - 1.0).abs() < 1e-5);
    assert_eq!(a.predict(&single).unwrap(), b.predict(&x).unwrap());
}

#[test]
fn hostile_data_ends_with_a_certificate() {
    let (x, y) = two();
    let twice: Vec<usize> = (0..N).chain(0..N).collect();
    let points = kern_core::Points::select(&x, &twice).unwrap();
    let opposite: Vec<bool> = y.iter().copied().chain(y.iter().map(|y| !y)).collect();
    let constant = Samples::from_rows(&[[1.0, 2.0]; N]).unwrap();
    let cases = [
        ("opposite labels", Svc::new(rbf()).fit(&points, &opposite)),
        ("opposite labels, C = 1e4", Svc::new(rbf()).c(1e4).fit(&points, &opposite)),
        ("constant", Svc::new(rbf()).fit(&constant, &y)),
        ("gamma = 1e6", Svc::new(Rbf::new(1e6).unwrap()).fit(&x, &y)),
        ("C = 1e-10", Svc::new(rbf()).c(1e-10).fit(&x, &y)),
    ];
    for (what, model) in cases {
        let model = model.unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged, "{what}: {report}");
        assert!(report.gap.is_finite() && report.gap >= 0.0, "{what}: {report}");
        let scale = 1.0 + report.primal.abs();
        assert!((report.primal - report.dual - report.gap).abs() < 1e-9 * scale, "{what}");
    }
    let (wide, labels) = (points, opposite);
    let model = Svc::new(rbf()).c(1e10).max_iterations(200_000).fit(&wide, &labels).unwrap();
    let report = model.report();
    assert!(report.status != Status::Converged || report.violation <= 1e-3, "{report}");
    assert!(report.gap.is_finite() && report.gap >= 0.0, "{report}");
}

#[test]
fn the_observer_sees_the_objective_fall_and_can_stop() {
    let (x, y) = two();
    let mut seen = Vec::new();
    let mut watch = |p: &Progress| {
        seen.push(p.loss);
        ControlFlow::Continue(())
    };
    svc(10.0).budget(columns(8)).fit_observed(&x, &y, &mut watch).unwrap();
    assert!(seen.len() > 5 && seen.windows(2).all(|w| w[1] <= w[0] + 1e-12));
    let mut stop = |p: &Progress| match p.iteration {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let model = svc(10.0).budget(columns(8)).fit_observed(&x, &y, &mut stop).unwrap();
    assert_eq!((model.report().status, model.report().rounds), (Status::Stopped, 1));
    let model = svc(10.0).max_iterations(3).fit(&x, &y).unwrap();
    assert_eq!((model.report().status, model.report().iterations), (Status::IterationsDone, 3));
    assert!(model.report().gap > 0.0);
}

#[test]
fn what_cannot_be_is_refused() {
    let (x, y) = two();
    for c in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(svc(c).fit(&x, &y), Err(Error::Core(_))), "C = {c}");
    }
    assert!(matches!(svc(1.0).tolerance(0.0).fit(&x, &y), Err(Error::Core(_))));
    assert!(matches!(svc(1.0).fit(&x, &[true; N]), Err(Error::OneClass { points: N })));
    assert!(matches!(svc(1.0).fit(&x, &y[1..]), Err(Error::Length { .. })));
    let nothing = kern_core::Points::select(&x, &[]).unwrap();
    assert!(matches!(svc(1.0).fit::<_, bool>(&nothing, &[]), Err(Error::Empty)));
    let weights = vec![f64::NAN; N];
    assert!(matches!(svc(1.0).sample_weights(weights).fit(&x, &y), Err(Error::Weight { .. })));
    let one_sided: Vec<f64> = y.iter().map(|&y| f64::from(u8::from(y))).collect();
    let error = svc(1.0).sample_weights(one_sided).fit(&x, &y).unwrap_err();
    assert!(matches!(error, Error::NoClassWeight { class: 0 }));
    assert!(matches!(svc(1.0).budget(columns(1)).fit(&x, &y), Err(Error::Gram(_))));
    let mut values = vec![0.0; N];
    values[7] = f64::INFINITY;
    let error = Svr::new(rbf()).fit(&x, &values).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 7, .. }));
    assert!(matches!(Svr::new(rbf()).epsilon(-0.1).fit(&x, &[0.0; N]), Err(Error::Core(_))));
}

#[test]
fn models_survive_a_file() {
    let (x, y) = four();
    let model = svc(1.0).fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let back: kern_solvers::svm::SvmClassifier<Samples<f64>, Rbf, usize> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(back, model);
}
