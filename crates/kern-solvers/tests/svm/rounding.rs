//! Machines whose kernel values are rounded more than the optimum can bear: none says that it has converged, unless what it
//! returns is as good as it says.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::Scaled;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Samples};
use kern_solvers::logistic::Logistic;
use kern_solvers::svm::Svc;
use kern_solvers::{Report, Status};

/// Two overlapping clouds in the plane, so far from the origin.
fn clouds(shift: f64) -> (Samples<f64>, Vec<bool>) {
    let noise = |k: usize| ((k * 7919 + 31) % 1009) as f64 / 1009.0 - 0.5;
    let row = |i: usize| {
        let side = if i.is_multiple_of(2) { 0.35 } else { -0.35 };
        [2.0 * noise(2 * i) + side + shift, 2.0 * noise(2 * i + 1) + shift]
    };
    let rows: Vec<[f64; 2]> = (0..200).map(row).collect();
    (Samples::from_rows(&rows).unwrap(), (0..200).map(|i| i % 2 == 0).collect())
}

/// A fit that has converged is within its gap of the optimum, on both sides.
fn assert_honest(what: &str, report: &Report, dual: f64, optimum: f64) {
    let Report { status, objective, gap, .. } = report;
    let gap = gap.unwrap_or(f64::INFINITY);
    if *status == Status::Converged {
        assert!(dual <= optimum * (1.0 + 1e-3), "{what}: the dual {dual} exceeds {optimum}");
        assert!(objective - gap <= optimum * (1.0 + 1e-3), "{what}: {report}");
        assert!(gap <= 1e-2 * optimum, "{what}: {report}");
    }
}

#[test]
fn points_far_from_the_origin_converge_as_at_the_origin() {
    let fit = |shift: f64| {
        let (x, y) = clouds(shift);
        let model = Svc::on_kernel(Linear).max_iterations(200_000).fit(&x, &y).unwrap();
        let report = model.report().clone();
        let dual = report.svm().unwrap().dual;
        (report, dual)
    };
    let (exact, optimum) = fit(0.0);
    assert_eq!(exact.status, Status::Converged);
    for shift in [1e3, 1e5, 1e6, 3e6, 1e7, 1e8] {
        let (report, dual) = fit(shift);
        assert_honest(&format!("shift {shift:e}"), &report, dual, optimum);
        assert_eq!(report.status, Status::Converged, "{shift:e}: {report}");
    }
}

#[test]
fn features_far_from_the_origin_do_not_converge_falsely() {
    let fit = |shift: f64| {
        let (x, y) = clouds(shift);
        let svc = Svc::on_features(Identity::new(2)).max_iterations(200_000);
        let report = svc.fit(&x, &y).unwrap().report().clone();
        let dual = report.svm().unwrap().dual;
        (report, dual)
    };
    let (exact, optimum) = fit(0.0);
    assert_eq!(exact.status, Status::Converged);
    for shift in [1e3, 1e6, 1e8] {
        let (report, dual) = fit(shift);
        assert_honest(&format!("features, shift {shift:e}"), &report, dual, optimum);
    }
}

#[test]
fn logistic_regression_far_from_the_origin_does_not_converge_falsely() {
    let fit = |shift: f64| {
        let (x, y) = clouds(shift);
        let logistic = Logistic::on_kernel(Linear).intercept(true).lambda(1e-2);
        logistic.fit(&x, &y).map(|model| model.report().clone())
    };
    let optimum = fit(0.0).unwrap();
    assert_eq!(optimum.status, Status::Converged);
    for shift in [1e2, 1e4, 1e6, 1e8] {
        let Ok(report) = fit(shift) else { continue };
        let excess = report.objective - optimum.objective;
        assert!(
            report.status != Status::Converged || excess.abs() <= 1e-6 * optimum.objective,
            "{shift:e}: {report}, {optimum}"
        );
    }
}

#[test]
fn equal_points_with_a_great_penalty_are_not_certain() {
    let x = Samples::from_rows(&[[1.0, 2.0]; 10]).unwrap();
    let y: Vec<bool> = (0..10).map(|i| i < 4).collect();
    let kernel: Scaled<Rbf> = 1e6 * Rbf::new(0.5).unwrap();
    let model = Svc::on_kernel(kernel).c(1e10).max_iterations(100_000).fit(&x, &y).unwrap();
    let report = model.report();
    let dual = report.svm().unwrap().dual;
    // Four points at C, and as much of the others.
    assert_honest("ten equal points", report, dual, 8e10);
    assert!(report.status != Status::Converged || (dual / 8e10 - 1.0).abs() < 1e-6, "{report}");
}

#[test]
fn a_small_share_of_support_vectors_is_judged_by_its_own_scale() {
    let (x, y) = clouds(0.0);
    for scale in [1.0, 1e-3, 1e-6] {
        let kernel = scale * Rbf::new(0.5).unwrap();
        let model = Svc::on_kernel(kernel).nu(0.6).fit(&x, &y).unwrap();
        let report = model.report();
        let share = report.gap.unwrap() / report.objective.abs();
        assert!(report.status != Status::Converged || share < 1e-2, "{scale:e}: {report}");
    }
}

#[test]
fn penalties_at_the_ends_of_the_numbers_have_a_gap_that_says_so() {
    let (x, y) = clouds(0.0);
    for c in [1e-300, 1e-30, 1e12] {
        let svc = Svc::on_kernel(Rbf::new(0.5).unwrap()).c(c).max_iterations(100_000);
        let Ok(model) = svc.fit(&x, &y) else { continue };
        let report = model.report();
        // A violation that is allowed costs C for each point, which may be all of the objective.
        let (gap, violation) = (report.gap.unwrap(), report.svm().unwrap().violation);
        assert!(gap <= 200.0 * c * violation * (1.0 + 1e-9), "{c:e}: {report}");
        assert!(c > 1.0 || gap <= 1e-2 * report.objective, "{c:e}: {report}");
    }
    // Forty equal points with both labels: no margin is hard.
    let x = Samples::from_rows(&[[1.0, 2.0]; 40]).unwrap();
    let y: Vec<bool> = (0..40).map(|i| i % 2 == 0).collect();
    let svc = Svc::on_kernel(Rbf::new(0.5).unwrap()).c(f64::INFINITY).max_iterations(100_000);
    if let Ok(model) = svc.fit(&x, &y) {
        assert!(model.report().status != Status::Converged, "{}", model.report());
    }
}
