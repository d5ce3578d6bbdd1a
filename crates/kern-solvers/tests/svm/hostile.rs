//! Input that support vector machines were not made for: each fit ends, with a certificate that holds or an error that
//! says what was given.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::{N, columns, rbf, two};
use kern_core::closure::AssumeMercer;
use kern_core::kernels::{FnKernel, Linear, Rbf, Sigmoid};
use kern_core::{Points, Samples};
use kern_gram::{MemoryBudget, PrecomputedGram};
use kern_solvers::svm::{NuSvc, NuSvr, OneClassSvm, Svc, SvmReport, Svr};
use kern_solvers::{Error, Status};

/// Steps that fits of these sizes get where they cannot converge.
const STEPS: usize = 200_000;

type Ended = (&'static str, f64, Result<SvmReport, Error>);

/// All machines, with these settings: name, greatest bound of a coefficient, how it ended.
macro_rules! every {
    ($x:expr, $y:expr, $kernel:expr, $c:expr; $($set:tt)*) => {{
        let (x, y, c) = ($x, $y, $c);
        let target = |(i, &y): (usize, &bool)| {
            kern_core::Scalar::from_f64(if y { 1.0 } else { -1.0 } + 0.3 * (i as f64).sin())
        };
        let values: Vec<_> = y.iter().enumerate().map(target).collect();
        let svc = || Svc::new($kernel).c(c)$($set)*;
        let svr = || Svr::new($kernel).c(c)$($set)*;
        let ended: Vec<Ended> = vec![
            ("C-SVC", c, svc().fit(x, y).map(|m| *m.report())),
            ("C-SVC without bias", c, svc().bias(false).fit(x, y).map(|m| *m.report())),
            ("SVR", c, svr().fit(x, &values).map(|m| *m.report())),
            ("SVR without bias", c, svr().bias(false).fit(x, &values).map(|m| *m.report())),
            ("nu-SVC", 1.0, NuSvc::new($kernel).nu(0.2)$($set)*.fit(x, y).map(|m| *m.report())),
            ("nu-SVR", c, NuSvr::new($kernel).c(c)$($set)*.fit(x, &values).map(|m| *m.report())),
            ("one class", 1.0, OneClassSvm::new($kernel)$($set)*.fit(x).map(|m| *m.report())),
        ];
        ended
    }};
}

/// The certificate holds: finite numbers, a gap that is not negative and that the violation bounds: each of n points
/// adds at most C times the violation. Rounding is relative to the sum of all C times the largest function value.
fn certified(what: &str, n: usize, (name, c, ended): &Ended) -> SvmReport {
    let report = ended.as_ref().unwrap_or_else(|error| panic!("{what}, {name}: {error}"));
    let SvmReport { primal, dual, gap, violation, status, .. } = *report;
    assert!(primal.is_finite() && dual.is_finite(), "{what}, {name}: {report}");
    assert!(gap >= 0.0 && violation >= 0.0, "{what}, {name}: {report}");
    let rounding = 1e-9 * (1.0 + primal.abs() + dual.abs());
    assert!((primal - dual - gap).abs() <= rounding, "{what}, {name}: {report}");
    let most = n as f64 * c * violation;
    assert!(gap <= most * (1.0 + 1e-9) + rounding, "{what}, {name}: {gap} > {most}: {report}");
    assert!(status != Status::Converged || violation <= 1e-3, "{what}, {name}: {report}");
    *report
}

fn twice() -> (Samples<f64>, Vec<bool>) {
    let (x, y) = two();
    let rows: Vec<usize> = (0..N).chain(0..N).collect();
    let opposite = y.iter().copied().chain(y.iter().map(|y| !y)).collect();
    (x.select(&rows).unwrap(), opposite)
}

#[test]
fn every_point_with_both_labels() {
    let (x, y) = twice();
    for c in [1e-10, 1.0, 1e10] {
        for ended in every!(&x, &y, rbf(), c; .max_iterations(STEPS)) {
            let report = certified(&format!("C = {c}"), 2 * N, &ended);
            assert!(c > 1.0 || report.status == Status::Converged, "{c} {} {report}", ended.0);
        }
    }
}

#[test]
fn what_cannot_be_separated_has_no_hard_margin() {
    let (x, y) = twice();
    for bias in [true, false] {
        for budget in [MemoryBudget::mebibytes(64), columns(64)] {
            let svc = Svc::new(rbf()).c(f64::INFINITY).bias(bias).budget(budget);
            let model = svc.max_iterations(4_000_000).fit(&x, &y).unwrap();
            let report = model.report();
            assert!(report.status != Status::Converged && report.dual.is_finite(), "{report}");
            assert!(report.gap.is_infinite(), "{report}");
            // With the whole matrix at hand it is seen before the steps are over.
            assert!(budget == columns(64) || report.status == Status::Stalled, "{report}");
        }
    }
    // Classes that overlap without a point in common: it may take all steps, and says so.
    let (x, y) = two();
    let svc = Svc::new(Linear).c(f64::INFINITY).max_iterations(STEPS);
    let model = svc.fit(&x, &y).unwrap();
    let report = model.report();
    assert!(report.status != Status::Converged && report.gap == f64::INFINITY, "{report}");
    assert!(report.dual.is_finite(), "{report}");
}

#[test]
fn kernels_that_see_nothing_or_everything() {
    let (x, y) = two();
    let constant = Samples::from_rows(&[[1.0, -2.0]; N]).unwrap();
    let zero = Samples::from_rows(&[[0.0, 0.0]; N]).unwrap();
    let ones = Rbf::new(1e-12).unwrap();
    let identity = Rbf::new(1e6).unwrap();
    for c in [1e-10, 1.0, 1e10] {
        let cases = [
            ("identity", every!(&x, &y, identity, c; .max_iterations(STEPS))),
            ("ones", every!(&x, &y, ones, c; .max_iterations(STEPS))),
            ("constant", every!(&constant, &y, rbf(), c; .max_iterations(STEPS))),
            ("constant, linear", every!(&constant, &y, Linear, c; .max_iterations(STEPS))),
            ("zero", every!(&zero, &y, Linear, c; .max_iterations(STEPS))),
        ];
        for (what, all) in cases {
            for ended in all {
                let report = certified(what, N, &ended);
                let easy = c <= 1.0 || what == "identity";
                assert!(!easy || report.status == Status::Converged, "{what} {c} {}", ended.0);
            }
        }
    }
}

#[test]
fn a_diagonal_kernel_matrix_has_its_solution_in_closed_form() {
    // K = I without bias: α = min(1, C) each, and the dual is n(α − α²/2).
    let (x, y) = two();
    for c in [0.25, 1e10] {
        let svc = Svc::new(Rbf::new(1e6).unwrap()).c(c).bias(false).tolerance(1e-12);
        let report = *svc.fit(&x, &y).unwrap().report();
        let alpha = f64::min(c, 1.0);
        let dual = N as f64 * (alpha - 0.5 * alpha * alpha);
        assert!((report.dual - dual).abs() < 1e-9 && report.gap < 1e-9, "{report}");
        assert_eq!((report.status, report.support_vectors), (Status::Converged, N));
    }
}

#[test]
fn very_few_points() {
    let one = Samples::from_rows(&[[3.0]]).unwrap();
    let refused = Svc::new(rbf()).fit(&one, &[true]).unwrap_err();
    assert!(matches!(refused, Error::OneClass { points: 1 }));
    assert!(matches!(NuSvc::new(rbf()).fit(&one, &[true]), Err(Error::OneClass { points: 1 })));
    for bias in [true, false] {
        let model = Svr::new(rbf()).bias(bias).fit(&one, &[7.0]).unwrap();
        certified("one point", 1, &("SVR", 1.0, Ok(*model.report())));
        let expected: f64 = if bias { 7.0 } else { 1.0 };
        assert!((model.predict(&one).unwrap()[0] - expected).abs() < 0.11);
    }
    let model = NuSvr::new(rbf()).fit(&one, &[7.0]).unwrap();
    certified("one point", 1, &("nu-SVR", 1.0, Ok(*model.report())));
    assert!((model.predict(&one).unwrap()[0] - 7.0_f64).abs() < 1e-9);
    for nu in [0.01, 1.0] {
        let model = OneClassSvm::new(rbf()).nu(nu).fit(&one).unwrap();
        certified("one point", 1, &("one class", 1.0, Ok(*model.report())));
        assert!(model.decision_values(&one).unwrap()[0].abs() < 1e-12);
    }
    let pair = Samples::from_rows(&[[0.0], [1.0]]).unwrap();
    for ended in every!(&pair, &[false, true], rbf(), 1.0; .tolerance(1e-9)) {
        let report = certified("two points", 2, &ended);
        assert_eq!(report.status, Status::Converged);
    }
    let nothing = one.select(&[]).unwrap();
    assert!(matches!(OneClassSvm::new(rbf()).fit(&nothing), Err(Error::Empty)));
    assert!(matches!(Svr::new(rbf()).fit(&nothing, &[]), Err(Error::Empty)));
    assert!(matches!(NuSvr::new(rbf()).fit(&nothing, &[]), Err(Error::Empty)));
}

/// A plane of points around which labels flip.
fn waves(n: usize) -> (Samples<f64>, Vec<bool>) {
    let wave = |i: usize, rate: f64| (rate * i as f64).sin();
    let rows: Vec<[f64; 2]> = (0..n).map(|i| [3.0 * wave(i, 1.3), 2.0 * wave(i, 2.9)]).collect();
    let label = |(i, x): (usize, &[f64; 2])| x[0] + (2.0 * x[1]).sin() + wave(i, 7.7) > 0.0;
    let y = rows.iter().enumerate().map(label).collect();
    (Samples::from_rows(&rows).unwrap(), y)
}

#[test]
fn sizes_around_those_of_blocks() {
    for n in [511, 512, 513, 1023, 1024, 1025] {
        let (x, y) = waves(n);
        // Vectors, and some hundred columns with their block.
        let few = MemoryBudget::bytes(n as u64 * (512 + 16 * 100));
        let whole = every!(&x, &y, rbf(), 1.0; .tolerance(1e-5));
        let cached = every!(&x, &y, rbf(), 1.0; .tolerance(1e-5).budget(few));
        for (a, b) in whole.iter().zip(&cached) {
            let what = format!("{n} points");
            let (a, b) = (certified(&what, n, a), certified(&what, n, b));
            assert_eq!((a.status, b.status), (Status::Converged, Status::Converged), "{what}");
            let apart = (a.dual - b.dual).abs();
            assert!(apart <= a.gap.max(b.gap) + 1e-9 * a.dual.abs(), "{what}: {a}; {b}");
        }
    }
}

#[test]
fn numbers_that_are_none() {
    for given in [f64::NAN, f64::INFINITY] {
        assert!(Samples::from_rows(&[[1.0], [given]]).is_err());
        let (x, y) = two();
        let mut weights = vec![1.0; N];
        weights[5] = given;
        let all = every!(&x, &y, rbf(), 1.0; .sample_weights(weights.clone()));
        for (name, _, ended) in all {
            assert!(matches!(ended, Err(Error::Weight { point: 5, .. })), "{name}: {ended:?}");
        }
        let mut values = vec![0.5; N];
        values[7] = given;
        let errors = [
            Svr::new(rbf()).fit(&x, &values).unwrap_err(),
            NuSvr::new(rbf()).fit(&x, &values).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::NotFinite { point: 7, .. }), "{error}");
        }
        for error in [
            Svr::new(rbf()).c(given).fit(&x, &vec![0.5; N]).unwrap_err(),
            NuSvr::new(rbf()).c(given).fit(&x, &vec![0.5; N]).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Core(_)), "{error}");
        }
    }
}

#[test]
fn sums_and_products_that_overflow() {
    let (x, y) = two();
    for (name, c, ended) in every!(&x, &y, rbf(), 1e10; .sample_weights(vec![1e308; N])) {
        // One class and ν-SVC have C = 1, but the sum overflows, too.
        assert!(
            matches!(ended, Err(Error::Range { given, .. }) if given.is_infinite()),
            "{name} {c}"
        );
    }
    let far = Samples::from_rows(&[[-1e150], [1e150], [2e150], [-3e150]]).unwrap();
    let labels = [false, true, true, false];
    for (name, _, ended) in every!(&far, &labels, Linear, 1e10; .max_iterations(STEPS)) {
        match ended {
            Ok(report) => assert!(report.dual.is_finite() && report.gap >= 0.0, "{name} {report}"),
            Err(error) => assert!(matches!(error, Error::Range { .. } | Error::Gram(_)), "{error}"),
        }
    }
    let path = Svc::new(rbf()).max_iterations(STEPS).fit_path(&x, &y, &[1e-300, 1e300]);
    for model in path.unwrap() {
        assert!(model.report().dual.is_finite() && model.report().gap >= 0.0, "{}", model.report());
    }
}

#[test]
fn single_precision_at_its_ends() {
    let labels = [false, true, true, false];
    let line =
        |scale: f32| Samples::from_rows(&[[-1.0], [1.0], [2.0], [-3.0]].map(|[x]| [x * scale]));
    // Squares are beyond 3.4e38.
    for (name, _, ended) in every!(&line(1e30).unwrap(), &labels, Linear, 1.0;) {
        assert!(matches!(ended, Err(Error::Gram(kern_gram::Error::NotFinite { .. }))), "{name}");
    }
    for scale in [1e15, 1e-15] {
        for ended in every!(&line(scale).unwrap(), &labels, Linear, 1.0; .max_iterations(STEPS)) {
            certified(&format!("features of {scale}"), 4, &ended);
        }
    }
    // A coefficient that single precision has no number for.
    let same = Samples::from_rows(&[[1.0_f32], [1.0]]).unwrap();
    let error = Svc::new(Linear).c(1e200).max_iterations(STEPS).fit(&same, &[0, 1]);
    if let Ok(model) = &error {
        let coefficients = model.decision().coefficients();
        assert!(coefficients.col_iter().all(|c| c.iter().all(|a| a.is_finite())));
    }
    let error = Svr::new(Linear).bias(false).c(1e300).fit(&line(1e-30).unwrap(), &[1e30; 4]);
    assert!(matches!(error, Err(Error::Range { what: "a coefficient", .. })), "{error:?}");
}

#[test]
fn kernels_that_are_not_positive_semi_definite() {
    let (x, y) = two();
    let sigmoid = || AssumeMercer(Sigmoid::new(1.0, -1.0).unwrap());
    let negative = || AssumeMercer(FnKernel::new(|x: &[f64], y: &[f64]| -(x[0] - y[0]).powi(2)));
    for c in [1.0, 1e10] {
        let cases = [
            every!(&x, &y, sigmoid(), c; .max_iterations(STEPS)),
            every!(&x, &y, negative(), c; .max_iterations(STEPS)),
        ];
        for ended in cases.into_iter().flatten() {
            certified("indefinite", N, &ended);
        }
    }
    let entries = kern_core::faer::Mat::from_fn(N, N, |i, j| ((i * j) as f64).sin());
    let gram = PrecomputedGram::new(entries).unwrap();
    let fit = |c| Svc::precomputed().c(c).max_iterations(STEPS).fit_gram(&gram, &y);
    certified("indefinite matrix", N, &("C-SVC", 1.0, fit(1.0).map(|m| *m.report())));
    // Without bounds the dual has no maximum, and coefficients soon overflow.
    let error = fit(f64::INFINITY).unwrap_err();
    assert!(matches!(error, Error::Gram(kern_gram::Error::ProductNotFinite { .. })), "{error}");
}

#[test]
fn one_kernel_value_that_is_none() {
    let points: Vec<f64> = (0..60).map(f64::from).collect();
    let y: Vec<bool> = (0..60).map(|i| i % 3 == 0).collect();
    for (a, b) in [(17.0, 42.0), (0.0, 59.0), (30.0, 30.0)] {
        for given in [f64::NAN, f64::NEG_INFINITY] {
            let kernel = AssumeMercer(FnKernel::new(move |x: &f64, y: &f64| {
                let is = x.min(*y).total_cmp(&a).is_eq() && x.max(*y).total_cmp(&b).is_eq();
                if is { given } else { (-(x - y).powi(2)).exp() }
            }));
            let few = MemoryBudget::bytes(60 * (512 + 16 * 8));
            for budget in [MemoryBudget::mebibytes(1), few] {
                for (name, _, ended) in every!(&points, &y, &kernel, 1.0; .budget(budget)) {
                    let found =
                        matches!(ended, Err(Error::Gram(kern_gram::Error::NotFinite { .. })));
                    assert!(found, "({a}, {b}), {budget:?}, {name}: {ended:?}");
                }
            }
        }
    }
}

#[test]
fn classes_without_weight() {
    let (x, y) = two();
    let weights: Vec<f64> = y.iter().map(|&y| if y { 0.0 } else { 2.0 }).collect();
    let svc = Svc::new(rbf()).sample_weights(weights.clone()).fit(&x, &y).unwrap_err();
    let nu = NuSvc::new(rbf()).sample_weights(weights).fit(&x, &y).unwrap_err();
    assert!(matches!(
        (svc, nu),
        (Error::NoClassWeight { class: 1 }, Error::NoClassWeight { class: 1 })
    ));
    for (name, _, ended) in every!(&x, &y, rbf(), 1.0; .sample_weights(vec![0.0; N])) {
        assert!(matches!(ended, Err(Error::NoWeight { points: N })), "{name}: {ended:?}");
    }
    // Weights that hardly are: C times the weight underflows, and the point has no say.
    for (name, _, ended) in every!(&x, &y, rbf(), 1e-200; .sample_weights(vec![1e-200; N])) {
        let report = ended.unwrap();
        assert!(report.gap >= 0.0 && report.primal.is_finite(), "{name}: {report}");
    }
}

#[test]
fn budgets_that_are_too_small_say_what_is_needed() {
    let (x, y) = two();
    for budget in [0, 1 << 10, 16 << 10] {
        let all = every!(&x, &y, rbf(), 1.0; .budget(MemoryBudget::bytes(budget)));
        for (name, _, ended) in all {
            let Err(Error::Gram(kern_gram::Error::Budget { needed, allowed, .. })) = ended else {
                panic!("{name}: {ended:?}");
            };
            assert!(allowed == budget && (16 << 10..100 << 10).contains(&needed), "{needed}");
        }
    }
    // What it needs is enough.
    let refused = Svc::new(rbf()).budget(MemoryBudget::bytes(0)).fit(&x, &y);
    let Err(Error::Gram(kern_gram::Error::Budget { needed, .. })) = refused else { panic!() };
    let fit = |bytes| Svc::new(rbf()).budget(MemoryBudget::bytes(bytes)).fit(&x, &y);
    assert_eq!(fit(needed).unwrap().report().status, Status::Converged);
    assert!(fit(needed - 1).is_err());
    // A thousand classes are half a million functions.
    let many: Vec<usize> = (0..N).collect();
    let refused = Svc::new(rbf()).budget(MemoryBudget::mebibytes(4)).fit(&x, &many);
    assert!(matches!(refused, Err(Error::Gram(kern_gram::Error::Budget { .. }))));
}

#[test]
fn few_steps_and_the_finest_tolerances() {
    let (x, y) = two();
    for most in [0, 1] {
        for budget in [MemoryBudget::mebibytes(1), columns(16)] {
            for ended in every!(&x, &y, rbf(), 1.0; .max_iterations(most).budget(budget)) {
                let report = certified("few steps", N, &ended);
                assert_eq!((report.status, report.iterations), (Status::IterationsDone, most));
            }
        }
    }
    for given in [0.0, -1.0, f64::NAN] {
        for (name, _, ended) in every!(&x, &y, rbf(), 1.0; .tolerance(given)) {
            assert!(matches!(ended, Err(Error::Core(_))), "{name}: {ended:?}");
        }
    }
    for budget in [MemoryBudget::mebibytes(1), columns(16)] {
        let all =
            every!(&x, &y, rbf(), 10.0; .tolerance(1e-15).max_iterations(STEPS).budget(budget));
        for ended in all {
            let report = certified("1e-15", N, &ended);
            assert!(report.violation < 1e-8, "{}: {report}", ended.0);
        }
    }
}
