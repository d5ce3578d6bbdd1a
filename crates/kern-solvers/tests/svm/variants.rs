//! Variants of support vector machines: ν-problems and one class against LIBSVM, machines without bias and with hard
//! margins, paths of C, several outputs.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::golden;
use super::golden::Golden;
use super::problem::{Evidence, N, columns, columns_of, data, rbf, two, within};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Points, Samples};
use kern_gram::{CrossGram, GivenPoints, MemoryBudget, Precomputed, PrecomputedGram};
use kern_solvers::model::{Classifier, KernelExpansion};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{ClassWeights, Data, Error, MultiClass, Run, Status};

fn check(golden: &Golden, values: &[f64], support: usize, what: &str) {
    assert_eq!(support, golden.support, "{what}");
    for (k, expected) in golden.values.iter().enumerate() {
        let given = values[17 * k];
        assert!((given - expected).abs() < 1e-5, "{what}, value {k}: {given}, not {expected}");
    }
}

#[test]
fn nu_classification_equals_libsvm_and_keeps_its_promise() {
    let (x, y) = two();
    for (nu, golden) in [(0.3, golden::NU_SVC_3), (0.6, golden::NU_SVC_6)] {
        for budget in [MemoryBudget::mebibytes(64), columns(16)] {
            let svc = Svc::on_kernel(rbf()).nu(nu).violation(1e-9);
            let model = within(&svc, (&x, &y), (budget, None)).unwrap();
            let report = model.report();
            assert_eq!(report.status, Status::Converged, "{report}");
            assert!(report.gap() >= 0.0 && report.gap() < 1e-6, "{report}");
            let f = model.decision_values(&x).unwrap();
            check(&golden, f.col_as_slice(0), report.supports(), "nu");
            let margin = |i: usize| if y[i] { f[(i, 0)] } else { -f[(i, 0)] };
            let errors = (0..N).filter(|&i| margin(i) < 1.0 - 1e-6).count();
            assert!(errors as f64 <= nu * N as f64 + 1e-9, "{errors} errors");
            assert!(report.supports() as f64 >= nu * N as f64 - 1e-9);
        }
    }
    let error = Svc::on_kernel(rbf()).nu(0.999).fit(&x, &y).unwrap_err();
    assert!(matches!(error, Error::Nu { largest, .. } if (largest - 118.0 / 120.0).abs() < 1e-9));
    for nu in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(matches!(Svc::on_kernel(rbf()).nu(nu).fit(&x, &y), Err(Error::Core(_))), "{nu}");
    }
    let svc = Svc::on_kernel(rbf()).nu(0.5);
    let refused = [
        svc.clone().intercept(false).fit(&x, &y).map(|_| ()),
        svc.class_weights(ClassWeights::Balanced).fit(&x, &y).map(|_| ()),
        Svr::on_kernel(rbf()).nu(0.5).intercept(false).fit(&x, &[0.5; N]).map(|_| ()),
        Svc::on_kernel(rbf()).multi_class(MultiClass::Softmax).fit(&x, &y).map(|_| ()),
    ];
    assert!(refused.iter().all(|error| matches!(error, Err(Error::Unsupported { .. }))));
}

#[test]
fn nu_regression_equals_libsvm_and_the_regression_of_its_tube() {
    let (x, values) = data();
    let y: Vec<f64> = values.into_iter().map(|v| v / 3.0).collect();
    for (nu, golden) in [(0.2, golden::NU_SVR_2), (0.7, golden::NU_SVR_7)] {
        for budget in [MemoryBudget::mebibytes(64), columns(16)] {
            let svr = Svr::on_kernel(rbf()).c(2.0).nu(nu).violation(1e-9);
            let model = within(&svr, (&x, &y), (budget, None)).unwrap();
            let (epsilon, supports) =
                (model.report().details().widths[0], model.report().supports());
            assert_eq!(model.report().status, Status::Converged);
            let f = model.predict(&x).unwrap();
            check(&golden, &f, supports, "nu");
            let outside = |i: &usize| (f[*i] - y[*i]).abs() > epsilon + 1e-6;
            assert!((0..N).filter(outside).count() as f64 <= nu * N as f64);
            assert!(supports as f64 >= nu * N as f64);
            let tube = Svr::on_kernel(rbf()).c(2.0).epsilon(epsilon).violation(1e-9);
            let same = tube.fit(&x, &y).unwrap().predict(&x).unwrap();
            assert!(f.iter().zip(&same).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }
}

#[test]
fn one_class_equals_libsvm_and_keeps_its_promise() {
    let (x, _) = data();
    for (nu, golden) in [(0.1, golden::ONE_CLASS_1), (0.5, golden::ONE_CLASS_5)] {
        for budget in [MemoryBudget::mebibytes(64), columns(16)] {
            let svm = OneClass::on_kernel(rbf()).nu(nu).violation(1e-9);
            let model = within(&svm, (&x, ()), (budget, None)).unwrap();
            let report = model.report();
            assert_eq!(report.status, Status::Converged);
            assert!((report.dual() / golden.dual - 1.0).abs() < 1e-6, "{report}");
            let f = model.decision_values(&x).unwrap();
            let f = f.col_as_slice(0);
            check(&golden, f, model.report().supports(), "one class");
            let outside = f.iter().filter(|&&f| f < -1e-6).count();
            assert!(
                outside as f64 <= nu * N as f64
                    && model.report().supports() as f64 >= nu * N as f64
            );
        }
    }
}

#[test]
fn without_bias_the_conditions_of_the_uncoupled_problem_hold() {
    let (x, y) = two();
    let mut duals = Vec::new();
    for budget in [MemoryBudget::mebibytes(64), columns(16), columns(2)] {
        let svc = Svc::on_kernel(rbf()).c(10.0).intercept(false).violation(1e-8);
        let model = within(&svc, (&x, &y), (budget, None)).unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged, "{report}");
        assert!(model.decision().intercepts()[0] == 0.0);
        assert!(report.gap() >= 0.0 && report.gap() < 1e-5, "{report}");
        let f = model.decision_values(&x).unwrap();
        let mut alpha = [0.0; N];
        let coefficients = model.decision().coefficients();
        for (k, &i) in model.report().details().support.iter().enumerate() {
            alpha[i] = coefficients[(k, 0)].abs();
        }
        for i in 0..N {
            let margin = if y[i] { f[(i, 0)] } else { -f[(i, 0)] };
            assert!(alpha[i] < 10.0 || margin <= 1.0 + 1e-7);
            assert!(alpha[i] > 0.0 || margin >= 1.0 - 1e-7);
        }
        duals.push(report.dual());
    }
    assert!(duals.iter().all(|d| (d / duals[0] - 1.0).abs() < 1e-9), "{duals:?}");
    let (x, values) = data();
    let svr = Svr::on_kernel(rbf()).intercept(false).violation(1e-8).fit(&x, &values).unwrap();
    assert!(svr.report().gap() < 1e-5 && svr.report().status == Status::Converged);
}

#[test]
fn a_hard_margin_is_that_of_the_closest_points() {
    // The greatest margin between x ≤ 0 and x ≥ 3 is 3 wide.
    let x = Samples::from_rows(&[[-2.0, 1.0], [0.0, 0.0], [3.0, 0.0], [5.0, -1.0]]).unwrap();
    let y = [0, 0, 1, 1];
    let model = Svc::on_kernel(Linear).c(f64::INFINITY).violation(1e-9).fit(&x, &y).unwrap();
    let report = model.report();
    assert_eq!(report.status, Status::Converged);
    // ½‖w‖² = ½(2/3)².
    assert!(
        (report.dual() - 2.0 / 9.0).abs() < 1e-9 && (0.0..1e-8).contains(&report.gap()),
        "{report}"
    );
    assert_eq!(model.report().details().support, [1, 2]);
    let f = model.decision_values(&x).unwrap();
    assert!((f[(1, 0)] + 1.0_f64).abs() < 1e-9 && (f[(2, 0)] - 1.0_f64).abs() < 1e-9);
    // A soft margin with a C that no coefficient reaches is the same; without bias the plane passes 0.
    let soft = Svc::on_kernel(Linear).c(1e3).violation(1e-9).fit(&x, &y).unwrap();
    assert!((soft.report().dual() - report.dual()).abs() < 1e-9);
    let (x, y) = two();
    let narrow = Rbf::new(50.0).unwrap();
    for bias in [true, false] {
        let svc = Svc::on_kernel(narrow).c(f64::INFINITY).intercept(bias).violation(1e-7);
        let model = svc.fit(&x, &y).unwrap();
        assert!(model.report().status.has_converged(), "{}", model.report());
        assert!(model.report().gap() < 1e-3, "{}", model.report());
        assert_eq!(model.predict(&x).unwrap(), y);
    }
    // What no function separates has no hard margin, and says so.
    let both = Samples::from_rows(&[[0.0], [0.0], [1.0]]).unwrap();
    let svc = Svc::on_kernel(Linear).c(f64::INFINITY).max_iterations(1000);
    let model = svc.fit(&both, &[0, 1, 1]).unwrap();
    assert!(model.report().status != Status::Converged && model.report().gap() == f64::INFINITY);
}

#[test]
fn a_path_agrees_with_fits_from_nothing_and_takes_fewer_steps() {
    let (x, y) = two();
    let penalties = [0.5, 1.0, 2.0, 4.0, 2.0, f64::INFINITY, 3.0];
    let svc = || Svc::on_kernel(Rbf::new(5.0).unwrap()).violation(1e-7);
    let data = Data::new(&x, &y).unwrap();
    let path = svc().path(&data, &penalties, &mut Run::new()).unwrap();
    for (model, c) in path.iter().zip(penalties) {
        let alone = svc().c(c).fit(&x, &y).unwrap();
        assert!((model.report().dual() / alone.report().dual() - 1.0).abs() < 1e-9, "C = {c}");
        assert_eq!(model.report().details().support, alone.report().details().support, "C = {c}");
    }
    let steps = |model: &Classifier<KernelExpansion<_, Rbf>, bool>| model.report().iterations;
    let fresh = svc().c(2.0).fit(&x, &y).unwrap();
    assert!(steps(&path[2]) < steps(&fresh), "{} of {}", steps(&path[2]), steps(&fresh));
    assert!(matches!(svc().path(&data, &[1.0, -1.0], &mut Run::new()), Err(Error::Core(_))));
}

#[test]
fn several_outputs_are_as_many_regressions() {
    let (x, values) = data();
    let y = faer::Mat::from_fn(N, 3, |i, k| values[(i + 7 * k) % N] / 3.0);
    let svr = Svr::on_kernel(rbf()).violation(1e-9);
    for svr in [svr.clone(), svr.nu(0.3)] {
        let model = svr.fit(&x, &y).unwrap();
        let (f, mut sum) = (model.predict(&x).unwrap(), 0.0);
        for k in 0..3 {
            let alone = svr.fit(&x, y.col_as_slice(k)).unwrap();
            let g = alone.predict(&x).unwrap();
            assert!(g.iter().enumerate().all(|(i, g)| (g - f[(i, k)]).abs() < 1e-12));
            sum += alone.report().objective;
        }
        assert!((model.report().objective / sum - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_given_gram_matrix_is_as_good_as_its_points() {
    let (x, values) = data();
    let y: Vec<usize> = values.iter().map(|v| ((v + 4.0) / 2.0).clamp(0.0, 3.0) as usize).collect();
    let kernel = rbf();
    let entries = || {
        let all = CrossGram::new(&kernel, &x, &x).unwrap();
        PrecomputedGram::new(all.to_dense(&MemoryBudget::mebibytes(64)).unwrap()).unwrap()
    };
    let queries = x.select(&[3, 50, 99]).unwrap();
    let cross = CrossGram::new(&kernel, &queries, &x).unwrap();
    let cross =
        GivenPoints::of_cross(cross.to_dense(&MemoryBudget::mebibytes(1)).unwrap()).unwrap();
    let given = GivenPoints::of_gram(entries());
    for multi_class in [MultiClass::OneVsOne, MultiClass::OneVsRest] {
        let from_points = Svc::on_kernel(rbf()).multi_class(multi_class).violation(1e-9);
        let from_points = from_points.fit(&x, &y).unwrap();
        let expected = from_points.decision_values(&queries).unwrap();
        // Points of a Gram matrix are not copied, and what they hold is not counted.
        for budget in [MemoryBudget::mebibytes(64), columns_of(16, 6, 4)] {
            let svc = Svc::on_kernel(Precomputed).multi_class(multi_class).violation(1e-9);
            let model = within(&svc, (&given, &y), (budget, None)).unwrap();
            let difference = model.decision_values(&cross).unwrap() - &expected;
            assert!(difference.norm_max() < 1e-6);
            assert_eq!(model.predict(&cross).unwrap(), from_points.predict(&queries).unwrap());
            assert_eq!(model.report().supports(), from_points.report().supports());
        }
    }
    let labels: Vec<bool> = y.iter().map(|&y| y > 1).collect();
    let on = Svc::on_kernel(Precomputed).violation(1e-9).fit(&given, &labels).unwrap();
    let from_points = Svc::on_kernel(rbf()).violation(1e-9).fit(&x, &labels).unwrap();
    let (dual, expected) = (on.report().dual(), from_points.report());
    assert!((dual - expected.dual()).abs() <= expected.gap() + 1e-12 * dual);
    let svr = Svr::on_kernel(Precomputed).violation(1e-9).fit(&given, &values).unwrap();
    let expected = Svr::on_kernel(rbf()).violation(1e-9).fit(&x, &values).unwrap();
    let pairs = svr.predict(&cross).unwrap();
    let pairs = pairs.iter().zip(expected.predict(&queries).unwrap());
    assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6));
}
