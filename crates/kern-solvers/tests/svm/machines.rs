//! Support vector machines: against LIBSVM, the laws of their certificates, hostile data and their errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::golden;
use super::golden::Golden;
use super::problem::{Evidence, N, columns, columns_of, data, rbf, two, weighted, within};
use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_gram::MemoryBudget;
use kern_solvers::model::{Classifier, KernelExpansion, NoveltyDetector, Regressor};
use kern_solvers::space::OnKernel;
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{ClassWeights, Data, Error, Learner, MultiClass, Progress, Report, Run, Status};
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

fn svc(c: f64) -> Svc<OnKernel<Rbf>> {
    Svc::on_kernel(rbf()).c(c).violation(1e-9)
}

fn check(golden: &Golden, report: &Report, value: impl Fn(usize) -> f64, what: &str) {
    assert_eq!(report.status, Status::Converged, "{what}: {report}");
    assert!((report.dual() / golden.dual - 1.0).abs() < 1e-6, "{what}: {}", report.dual());
    assert_eq!(report.supports(), golden.support, "{what}");
    assert!(report.gap() >= 0.0 && report.gap() < 1e-6 * golden.dual.abs(), "{what}: {report}");
    for (k, expected) in golden.values.iter().enumerate() {
        assert!((value(k) - expected).abs() < 1e-5, "{what}, value {k}: {}", value(k));
    }
}

#[test]
fn classification_equals_libsvm_with_a_stored_matrix_and_with_few_columns() {
    let (x, y) = two();
    let cases = [
        (svc(1.0), None, golden::SVC_1, "C = 1"),
        (svc(100.0), None, golden::SVC_100, "C = 100"),
        (svc(1.0), Some(weights()), golden::SVC_WEIGHTS, "weights"),
        (svc(1.0).class_weights(ClassWeights::Balanced), None, golden::SVC_BALANCED, "balanced"),
    ];
    for (svc, weights, golden, what) in cases {
        for budget in [MemoryBudget::mebibytes(64), columns(40), columns(8), columns(2)] {
            let model = within(&svc, (&x, &y), (budget, weights.as_deref())).unwrap();
            let f = model.decision_values(&x).unwrap();
            check(&golden, model.report(), |k| f[(17 * k, 0)], &format!("{what}, {budget:?}"));
        }
    }
}

#[test]
fn regression_equals_libsvm_with_a_stored_matrix_and_with_few_columns() {
    let (x, y) = targets();
    let svr = |c, epsilon| Svr::on_kernel(rbf()).c(c).epsilon(epsilon).violation(1e-9);
    let cases = [
        (svr(1.0, 0.1), None, golden::SVR_SMALL, "small C"),
        (svr(50.0, 0.02), None, golden::SVR_LARGE, "large C"),
        (svr(2.0, 0.0), None, golden::SVR_ZERO, "no tube"),
        (svr(1.0, 0.1), Some(weights()), golden::SVR_WEIGHTS, "weights"),
    ];
    for (svr, weights, golden, what) in cases {
        for budget in [MemoryBudget::mebibytes(64), columns(40), columns(8)] {
            let model = within(&svr, (&x, &y), (budget, weights.as_deref())).unwrap();
            let f = model.predict(&x).unwrap();
            check(&golden, model.report(), |k| f[17 * k], &format!("{what}, {budget:?}"));
        }
    }
}

#[test]
fn pairs_of_classes_equal_libsvm() {
    let (x, y) = four();
    for budget in [MemoryBudget::mebibytes(64), columns_of(16, 6, 3)] {
        let model = within(&svc(1.0), (&x, &y), (budget, None)).unwrap();
        let f = model.decision_values(&x).unwrap();
        check(&golden::SVC_FOUR, model.report(), |k| -f[(17 * (k / 6), k % 6)], "four classes");
        assert_eq!(model.predict(&x).unwrap(), golden::FOUR_CLASSES);
    }
}

#[test]
fn one_against_the_rest_is_as_many_binary_problems() {
    let (x, y) = four();
    let model = svc(2.0).multi_class(MultiClass::OneVsRest).fit(&x, &y).unwrap();
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
            let model = Svc::on_kernel(rbf()).c(c).violation(tolerance).fit(&x, &y).unwrap();
            let report = model.report();
            let (gap, violation) = (report.gap(), report.violation());
            let (primal, dual) = (report.objective, report.dual());
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
    let model = svc(10.0).tolerance(1e-2).fit(&x, &y).unwrap();
    let exact = svc(10.0).fit(&x, &y).unwrap();
    assert_eq!(model.report().status, Status::Converged);
    assert!(model.report().gap() <= 1e-2 * model.report().objective);
    assert!(exact.report().dual() - model.report().dual() <= model.report().gap());
}

#[test]
fn integer_weights_repeat_points_and_zero_drops_them() {
    let (x, y) = two();
    let weights: Vec<f64> = (0..N).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..N).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let labels: Vec<bool> = repeated.iter().map(|&i| y[i]).collect();
    let points = kern_core::Points::select(&x, &repeated).unwrap();
    let weighted = self::weighted(&svc(1.0), (&x, &y), &weights).unwrap();
    let plain = svc(1.0).fit(&points, &labels).unwrap();
    assert!((weighted.report().dual() / plain.report().dual() - 1.0).abs() < 1e-8);
    let (a, b) = (weighted.decision_values(&x).unwrap(), plain.decision_values(&x).unwrap());
    assert!((a - b).norm_max() < 1e-6);
    assert!(weighted.report().details().support.iter().all(|i| i % 3 > 0));
}

#[test]
fn threads_do_not_change_a_bit() {
    let (x, y) = four();
    let fit = |threads: usize, budget| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let svc = Svc::on_kernel(rbf()).c(10.0);
        pool.install(|| within(&svc, (&x, &y), (budget, None)).unwrap())
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
    let a = Svc::on_kernel(rbf()).violation(1e-5).fit(&single, &y).unwrap();
    let b = Svc::on_kernel(rbf()).violation(1e-5).fit(&x, &y).unwrap();
    assert_eq!(a.report().status, Status::Converged);
    assert!((a.report().dual() / b.report().dual() - 1.0).abs() < 1e-5);
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
        ("opposite labels", Svc::on_kernel(rbf()).fit(&points, &opposite)),
        ("opposite labels, C = 1e4", Svc::on_kernel(rbf()).c(1e4).fit(&points, &opposite)),
        ("constant", Svc::on_kernel(rbf()).fit(&constant, &y)),
        ("gamma = 1e6", Svc::on_kernel(Rbf::new(1e6).unwrap()).fit(&x, &y)),
        ("C = 1e-10", Svc::on_kernel(rbf()).c(1e-10).fit(&x, &y)),
    ];
    for (what, model) in cases {
        let model = model.unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged, "{what}: {report}");
        assert!(report.gap().is_finite() && report.gap() >= 0.0, "{what}: {report}");
        let scale = 1.0 + report.objective.abs();
        assert!((report.objective - report.dual() - report.gap()).abs() < 1e-9 * scale, "{what}");
    }
    let (wide, labels) = (points, opposite);
    let model = Svc::on_kernel(rbf()).c(1e10).max_iterations(200_000).fit(&wide, &labels).unwrap();
    let report = model.report();
    assert!(report.status != Status::Converged || report.violation() <= 1e-3, "{report}");
    assert!(report.gap().is_finite() && report.gap() >= 0.0, "{report}");
}

#[test]
fn the_observer_sees_the_objective_fall_and_can_stop() {
    let (x, y) = two();
    let mut seen = Vec::new();
    let mut watch = |p: &Progress| {
        seen.push(p.loss);
        ControlFlow::Continue(())
    };
    let data = Data::new(&x, &y).unwrap();
    svc(10.0).learn(&data, &mut Run::new().memory(columns(8)).observer(&mut watch)).unwrap();
    assert!(seen.len() > 5 && seen.windows(2).all(|w| w[1] <= w[0] + 1e-12));
    let mut stop = |p: &Progress| match p.iteration {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let run = &mut Run::new().memory(columns(8)).observer(&mut stop);
    let model = svc(10.0).learn(&data, run).unwrap();
    assert_eq!((model.report().status, model.report().rounds()), (Status::Stopped, 1));
    let model = svc(10.0).max_iterations(3).fit(&x, &y).unwrap();
    assert_eq!((model.report().status, model.report().iterations), (Status::IterationsDone, 3));
    assert!(model.report().gap() > 0.0);
}

#[test]
fn what_cannot_be_is_refused() {
    let (x, y) = two();
    for c in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(svc(c).fit(&x, &y), Err(Error::Core(_))), "C = {c}");
    }
    assert!(matches!(svc(1.0).violation(0.0).fit(&x, &y), Err(Error::Core(_))));
    assert!(matches!(svc(1.0).fit(&x, &[true; N]), Err(Error::OneClass { points: N })));
    assert!(matches!(svc(1.0).fit(&x, &y[1..]), Err(Error::Length { .. })));
    let nothing = kern_core::Points::select(&x, &[]).unwrap();
    assert!(matches!(svc(1.0).fit(&nothing, &[true; 0]), Err(Error::Empty)));
    let weights = vec![f64::NAN; N];
    assert!(matches!(weighted(&svc(1.0), (&x, &y), &weights), Err(Error::Weight { .. })));
    let one_sided: Vec<f64> = y.iter().map(|&y| f64::from(u8::from(y))).collect();
    let error = weighted(&svc(1.0), (&x, &y), &one_sided).unwrap_err();
    assert!(matches!(error, Error::NoClassWeight { class: 0 }));
    assert!(matches!(within(&svc(1.0), (&x, &y), (columns(1), None)), Err(Error::Gram(_))));
    let mut values = vec![0.0; N];
    values[7] = f64::INFINITY;
    let error = Svr::on_kernel(rbf()).fit(&x, &values).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 7, .. }));
    assert!(matches!(Svr::on_kernel(rbf()).epsilon(-0.1).fit(&x, &[0.0; N]), Err(Error::Core(_))));
}

#[test]
fn models_survive_a_file() {
    let (x, y) = four();
    let model = svc(1.0).fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let back: Classifier<KernelExpansion<Samples<f64>, Rbf>, usize> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(back, model);
}

#[test]
fn learners_survive_a_file() {
    fn check<A>(learner: &A)
    where
        A: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let text = serde_json::to_string(learner).unwrap();
        assert_eq!(&serde_json::from_str::<A>(&text).unwrap(), learner);
    }
    for c in [0.3, f64::INFINITY] {
        check(&svc(c).intercept(false).class_weights(ClassWeights::Each(vec![1.0, 2.5])));
    }
    check(&svc(1.0).nu(0.2).multi_class(MultiClass::OneVsRest).tolerance(1e-3));
    check(&Svr::on_kernel(rbf()).nu(0.3).max_iterations(7));
    check(&Svr::on_features(kern_core::Identity::new(2)).epsilon(0.2).squared(true).seed(3));
    check(&OneClass::on_landmarks(kern_approx::Nystrom::new(rbf())).nu(0.1));
}

#[test]
fn damaged_files_are_errors() {
    let (x, y) = targets();
    type Function = KernelExpansion<Samples<f64>, Rbf>;
    let model = Svr::on_kernel(rbf()).fit(&x, &y).unwrap();
    let good = serde_json::to_value(&model).unwrap();
    let refused = |path: &str, with: serde_json::Value, expected: &str| {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = with;
        let error = serde_json::from_value::<Regressor<Function>>(bad).unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    };
    let decision = "/model/decision";
    refused(&format!("{decision}/intercepts"), serde_json::json!([]), "the number of intercepts");
    refused(&format!("{decision}/points"), serde_json::to_value(&x).unwrap(), "the coefficients");
    refused(&format!("{decision}/kernel/1/gamma"), serde_json::json!(-1.0), "finite number");
    refused("/model/format/0", serde_json::json!(7), "the file has 7");
    // A classifier of several functions is no detector.
    let (x, y) = four();
    let several = svc(1.0).fit(&x, &y).unwrap();
    let mut value = serde_json::to_value(&several).unwrap();
    value.as_object_mut().unwrap().remove("classes");
    value.as_object_mut().unwrap().remove("vote");
    value["format"][1] = "novelty_detector".into();
    let error = serde_json::from_value::<NoveltyDetector<Function>>(value).unwrap_err().to_string();
    assert!(error.contains("the number of outputs"), "{error}");
    let mut value = serde_json::to_value(&several).unwrap();
    value["classes"] = serde_json::json!([0, 2, 1, 3]);
    let error = serde_json::from_value::<Classifier<Function, usize>>(value).unwrap_err();
    assert!(error.to_string().contains("in order"), "{error}");
}
