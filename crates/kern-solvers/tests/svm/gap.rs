//! The laws of duality gaps and of ν, on random data, for fits that converged and for fits that were cut off.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::Evidence;
use kern_approx::Nystrom;
use kern_core::kernels::Rbf;
use kern_core::{Kernel, Points, Samples};
use kern_solvers::model::KernelExpansion;
use kern_solvers::svm::{OneClass, Svc, Svdd, Svr};
use kern_solvers::{Report, Status};
use proptest::prelude::*;

/// Random points of the plane, labels of both kinds, targets, and a width of the kernel.
fn problems() -> impl Strategy<Value = (Samples<f64>, Vec<bool>, Vec<f64>, Rbf)> {
    let point = ([-2.0..2.0_f64, -2.0..2.0], -1.0..1.0_f64, 0.0..1.0_f64);
    (prop::collection::vec(point, 6..40), 0.05..20.0_f64).prop_map(|(points, gamma)| {
        let rows: Vec<[f64; 2]> = points.iter().map(|(row, ..)| *row).collect();
        // Two points of each class at least, so that ν has room; labels are random, so classes overlap.
        let label =
            |(i, p): (usize, &([f64; 2], f64, f64))| if i < 4 { i % 2 == 0 } else { p.2 > 0.5 };
        let y = points.iter().enumerate().map(label).collect();
        let targets = points.iter().map(|(row, noise, _)| row[0] + noise).collect();
        (Samples::from_rows(&rows).unwrap(), y, targets, Rbf::new(gamma).unwrap())
    })
}

/// ½‖f‖² and f without its intercept at all points, from kernel values one by one.
fn expand(model: &KernelExpansion<Samples<f64>, Rbf>, x: &Samples<f64>) -> (f64, Vec<f64>) {
    let (beta, points) = (model.coefficients(), model.points());
    let value = |item: &[f64]| -> f64 {
        let k = |j| Kernel::<Samples<f64>>::eval(model.kernel(), item, points.item(j));
        (0..points.len()).map(|j| beta[(j, 0)] * k(j)).sum()
    };
    let norm: f64 = (0..points.len()).map(|j| beta[(j, 0)] * value(points.item(j))).sum();
    (0.5 * norm, (0..x.len()).map(|i| value(x.item(i))).collect())
}

/// The least primal objective over the bias is at most what is reported for one bias, and at least the dual.
fn between(report: &Report, energy: f64, losses: impl Fn(f64) -> f64, breaks: &[f64]) {
    // The loss is piecewise linear in b, so one of the breaks is best.
    let smallest = breaks.iter().map(|&b| energy + losses(b)).fold(f64::INFINITY, f64::min);
    let rounding = 1e-9 * (1.0 + report.objective.abs());
    assert!(smallest <= report.objective + rounding, "{smallest} > {report}");
    assert!(smallest >= report.dual() - rounding, "{smallest} < {report}");
}

/// The number of support vectors grows in proportion to n where a share of the labels is noise: at least twice the error of the
/// best classifier (Steinwart 2003, Sparseness of Support Vector Machines).
#[test]
fn support_vectors_of_noise_grow_with_the_points() {
    const NOISE: f64 = 0.2;
    let unit = |k: usize| (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0);
    let shares = [200, 400, 800, 1600].map(|n| {
        let rows: Vec<[f64; 2]> = (0..n).map(|i| [unit(3 * i), unit(3 * i + 1)]).collect();
        let label = |(i, row): (usize, &[f64; 2])| (row[0] > 0.5) != (unit(3 * i + 2) < NOISE);
        let y: Vec<bool> = rows.iter().enumerate().map(label).collect();
        let x = Samples::from_rows(&rows).unwrap();
        let model = Svc::on_kernel(Rbf::new(4.0).unwrap()).c(1.0).fit(&x, &y).unwrap();
        model.report().supports() as f64 / n as f64
    });
    for (share, fewer) in shares[1..].iter().zip(&shares) {
        assert!((share / fewer - 1.0).abs() < 0.2, "{shares:?}");
    }
    assert!(shares.iter().all(|&share| share > 2.0 * NOISE), "{shares:?}");
    assert!(shares.iter().all(|&share| share < 4.0 * NOISE), "{shares:?}");
}

/// A status is what it says: the gap is within the tolerance that was given, or without one the violation; or only the violation is
/// what was asked for, and the gap a hundredth of the objective at most.
fn means_what_it_says(report: &Report, violation: f64, tolerance: Option<f64>) {
    let within = |relative: f64| report.gap() <= relative * report.objective.abs();
    let asked = tolerance.unwrap_or(violation);
    // A problem whose optimum is 0 has a gap of nothing but rounding.
    let is_zero = report.dual() == 0.0 && report.gap() <= 1e-12;
    let holds = match report.status {
        Status::Converged => within(asked) || is_zero,
        Status::ConvergedByViolation => {
            report.violation() <= violation && within(violation.max(0.01)) && !within(asked)
        }
        _ => true,
    };
    assert!(holds, "violation {violation}, tolerance {tolerance:?}: {report}");
}

/// A constant target is the intercept's alone: the function is 0, and what is left of its losses is rounding.
#[test]
fn a_constant_target_has_converged() {
    let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [7.0]]).unwrap();
    for constant in [0.0_f64, 3.7, 1e6, 1e-9, -0.1] {
        for epsilon in [0.0, 0.1] {
            let svr = Svr::on_kernel(Rbf::new(0.5).unwrap()).c(10.0).epsilon(epsilon);
            let model = svr.fit(&x, &[constant; 4]).unwrap();
            assert_eq!(model.report().status, Status::Converged, "{constant} {}", model.report());
            let answers = model.predict(&x).unwrap();
            let is_near =
                |answer: &f64| (answer - constant).abs() <= epsilon + 1e-12 * constant.abs();
            assert!(answers.iter().all(is_near), "{constant}: {answers:?}");
        }
    }
}

/// Targets that differ by their rounding are a constant, too: what no function explains is no gap.
#[test]
fn a_constant_with_rounding_has_converged() {
    let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [7.0]]).unwrap();
    for scale in [1e6_f64, -1e6] {
        let (sum, same) = ((0.1 + 0.2) * scale, 0.3 * scale);
        assert_ne!(f64::to_bits(sum), f64::to_bits(same));
        let svr = Svr::on_kernel(Rbf::new(0.5).unwrap()).c(1000.0).epsilon(0.0);
        let model = svr.fit(&x, &[same, sum, same, same]).unwrap();
        let report = model.report();
        assert!(report.gap() > 1e-10 && report.dual() == 0.0, "{report}");
        assert_eq!(report.status, Status::Converged, "{report}");
    }
}

/// A start is not an end: the function 0 has a dual objective of 0, too, and losses that are no rounding.
#[test]
fn the_function_zero_has_not_converged_where_it_has_losses() {
    let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [7.0]]).unwrap();
    let kernel = Rbf::new(0.5).unwrap();
    let svc = Svc::on_kernel(kernel).tolerance(0.5).max_iterations(0);
    let svr = Svr::on_kernel(kernel).epsilon(0.5).tolerance(0.5).max_iterations(0);
    let class = svc.fit(&x, &[false, true, true, false]).unwrap();
    let value = svr.fit(&x, &[1.0_f64, -2.0, 5.0, 0.0]).unwrap();
    for report in [class.report(), value.report()] {
        assert_eq!(report.status, Status::IterationsDone, "{report}");
        assert!(report.dual() == 0.0 && report.gap() > 0.5, "{report}");
    }
}

/// Twelve points of two classes that overlap.
fn overlapping() -> (Samples<f64>, Vec<bool>) {
    let rows: Vec<[f64; 2]> =
        (0..12).map(|i| [f64::from(i % 5), f64::from(i * i % 7) / 2.0]).collect();
    (Samples::from_rows(&rows).unwrap(), (0..12).map(|i| i * 5 % 12 < 6).collect())
}

/// ν-machines measure violations in units of their margin, which grows with the kernel. A power of two moves no bit.
#[test]
fn violations_of_nu_machines_have_no_scale() {
    let (x, y) = overlapping();
    let at = |scale: f64| {
        let kernel = scale * Rbf::new(0.3).unwrap();
        let model = Svc::on_kernel(kernel).nu(0.6).violation(1e-2).fit(&x, &y).unwrap();
        let report = model.report();
        (report.iterations, report.details().violation, report.status)
    };
    let one = at(1.0);
    assert!(one.1 > 0.0 && one.1 <= 1e-2, "{one:?}");
    for scale in [2.0_f64.powi(-8), 2.0_f64.powi(-20)] {
        assert_eq!(at(scale), one);
    }
}

/// The rounding of a ball's squared distances is that of sums of a few kernel values of at most 1, in units of its radius.
#[test]
fn the_rounding_of_a_ball_is_small() {
    let (x, _) = overlapping();
    let ball = Svdd::on_kernel(Rbf::new(0.3).unwrap()).nu(0.5).fit(&x).unwrap();
    let rounding_error = ball.report().details().rounding_error;
    assert!(rounding_error > 0.0 && rounding_error < 1e-14, "{rounding_error}");
    assert_eq!(ball.report().status, Status::Converged);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Also where it is hard: of points with random labels, great penalties are a race of coefficients.
    #[test]
    fn converged_is_what_was_asked_for(
        (x, y, targets, kernel) in problems(), exponent in prop::sample::select(vec![-3, 0, 3, 5, 7, 10]),
        violation in prop::sample::select(vec![0.1, 1e-3, 1e-6]),
        tolerance in prop::sample::select(vec![None, Some(1e-2), Some(1e-6)]), is_free: bool,
    ) {
        const STEPS: usize = 20_000;
        let c = 10_f64.powi(exponent);
        macro_rules! ends {
            ($machine:expr, $known:expr) => {{
                let machine = $machine.violation(violation).max_iterations(STEPS);
                let machine = match tolerance {
                    Some(tolerance) => machine.tolerance(tolerance),
                    None => machine,
                };
                means_what_it_says(machine.fit(&x, $known).unwrap().report(), violation, tolerance);
            }};
        }
        ends!(Svc::on_kernel(kernel).c(c).intercept(!is_free), &y);
        ends!(Svr::on_kernel(kernel).c(c).intercept(!is_free), &targets);
        ends!(Svc::on_landmarks(Nystrom::new(kernel).landmarks(5)).c(c).intercept(!is_free), &y);
        ends!(Svr::on_kernel(kernel).nu(0.4).c(c), &targets);
        ends!(Svc::on_kernel(kernel).nu(0.1), &y);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn classification_bounds_its_primal(
        (x, y, _, kernel) in problems(), exponent in -2.0..4.0_f64, steps in 0..60_usize,
    ) {
        let (n, c) = (x.len() as f64, 10_f64.powf(exponent));
        for most in [steps, usize::MAX] {
            let model = Svc::on_kernel(kernel).c(c).max_iterations(most).fit(&x, &y).unwrap();
            let report = model.report().clone();
            let bound = n * c * report.violation() / 2.0 + 1e-9 * (1.0 + report.objective);
            prop_assert!((0.0..=bound).contains(&report.gap()), "{}", report);
            let (energy, f) = expand(model.decision(), &x);
            let sign = |i: usize| if y[i] { 1.0 } else { -1.0 };
            let losses = |b: f64| -> f64 {
                (0..f.len()).map(|i| c * (1.0 - sign(i) * (f[i] + b)).max(0.0)).sum()
            };
            let breaks: Vec<f64> = (0..f.len()).map(|i| sign(i) - f[i]).collect();
            between(&report, energy, losses, &breaks);
            if report.status == Status::Converged {
                let b = model.decision().intercepts()[0];
                prop_assert!(energy + losses(b) >= report.dual() - 1e-9 * (1.0 + report.dual()));
            }
            // Without a bias the primal objective is at a function, not at the best of many.
            let free = Svc::on_kernel(kernel).c(c).intercept(false).max_iterations(most).fit(&x, &y).unwrap();
            let (energy, f) = expand(free.decision(), &x);
            let loss: f64 = (0..f.len()).map(|i| c * (1.0 - sign(i) * f[i]).max(0.0)).sum();
            let off = (energy + loss - free.report().objective).abs();
            prop_assert!(off <= 1e-9 * (1.0 + energy + loss), "{} is not {}", energy + loss, free.report());
            let bound = n * c * free.report().violation() + 1e-9 * (1.0 + free.report().objective);
            prop_assert!((0.0..=bound).contains(&free.report().gap()));
        }
    }

    #[test]
    fn regression_bounds_its_primal(
        (x, _, y, kernel) in problems(), exponent in -2.0..4.0_f64, epsilon in 0.0..0.5_f64,
        steps in 0..60_usize,
    ) {
        let (n, c) = (x.len() as f64, 10_f64.powf(exponent));
        for most in [steps, usize::MAX] {
            let svr = Svr::on_kernel(kernel).c(c).epsilon(epsilon).max_iterations(most);
            let model = svr.fit(&x, &y).unwrap();
            let report = model.report().clone();
            let bound = n * c * report.violation() / 2.0 + 1e-9 * (1.0 + report.objective);
            prop_assert!((0.0..=bound).contains(&report.gap()), "{}", report);
            let (energy, f) = expand(model.decision(), &x);
            let losses = |b: f64| -> f64 {
                (0..f.len()).map(|i| c * ((y[i] - f[i] - b).abs() - epsilon).max(0.0)).sum()
            };
            let sides = |i: usize| [y[i] - f[i] - epsilon, y[i] - f[i] + epsilon];
            let breaks: Vec<f64> = (0..f.len()).flat_map(sides).collect();
            between(&report, energy, losses, &breaks);
        }
    }

    #[test]
    fn a_relative_gap_is_the_one_that_is_reached(
        (x, y, targets, kernel) in problems(), exponent in -1.0..3.0_f64, gap in -6.0..-1.0_f64,
    ) {
        let (c, gap) = (10_f64.powf(exponent), 10_f64.powf(gap));
        let svc = Svc::on_kernel(kernel).c(c).violation(1e-12).tolerance(gap).fit(&x, &y).unwrap();
        let svr = Svr::on_kernel(kernel).c(c).violation(1e-12).tolerance(gap).fit(&x, &targets).unwrap();
        for report in [svc.report(), svr.report()] {
            prop_assert!(report.gap() <= gap * report.objective.abs() + 1e-12, "{} {}", gap, report);
            prop_assert!(report.status == Status::Converged, "{}", report);
        }
    }

    #[test]
    fn nu_bounds_errors_and_support_vectors(
        (x, y, targets, kernel) in problems(), nu in 0.05..1.0_f64, steps in 0..40_usize,
    ) {
        let n = x.len() as f64;
        let positive = y.iter().filter(|&&y| y).count() as f64;
        let feasible = nu.min(2.0 * positive.min(n - positive) / n);
        for most in [steps, 1_000_000] {
            let svc = Svc::on_kernel(kernel).nu(feasible).violation(1e-8).max_iterations(most);
            let svc = svc.fit(&x, &y).unwrap();
            let svr = Svr::on_kernel(kernel).nu(nu).violation(1e-8).max_iterations(most);
            let svr = svr.fit(&x, &targets).unwrap();
            let one = OneClass::on_kernel(kernel).nu(nu).violation(1e-8).max_iterations(most);
            let one = one.fit(&x).unwrap();
            let sizes = [(svc.report(), feasible), (svr.report(), nu), (one.report(), nu)];
            for (report, nu) in sizes {
                let bound = n * report.violation() + 1e-9 * (1.0 + report.objective.abs());
                prop_assert!((0.0..=bound).contains(&report.gap()), "{}", report);
                // The sums hold for any iterate, but before the end, and in a tube of no width, a point of ν-SVR may have coefficients
                // of both signs.
                let is_clear = most > steps && svr.report().details().widths[0] > 1e-9;
                let counts = is_clear || !std::ptr::eq(report, svr.report());
                prop_assert!(!counts || report.supports() as f64 >= nu * n - 1e-6, "{} {}", nu, report);
                prop_assert!(report.bounded() as f64 <= nu * n + 1e-6, "{} {}", nu, report);
            }
            if most == steps {
                continue;
            }
            let values = one.decision_values(&x).unwrap();
            let outside = values.col_as_slice(0).iter().filter(|&&f| f < -1e-6).count() as f64;
            prop_assert!(outside <= nu * n + 1e-6, "{} {}", outside, one.report());
            let f = svr.predict(&x).unwrap();
            let beyond = |i: &usize| (f[*i] - targets[*i]).abs() > svr.report().details().widths[0] + 1e-6;
            let outside = (0..x.len()).filter(beyond).count() as f64;
            prop_assert!(outside <= nu * n + 1e-6, "{} {}", outside, svr.report());
        }
    }
}
