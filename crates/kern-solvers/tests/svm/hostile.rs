//! Input that support vector machines were not made for: each fit ends, with a certificate that holds or an error that
//! says what was given.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::{Evidence, N, columns, rbf, two, weighted, within};
use kern_core::closure::AssumeMercer;
use kern_core::kernels::{FnKernel, Linear, Rbf, Sigmoid};
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::model::{Classifier, Regressor};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{Data, Error, Report, Run, Status};

/// Steps that fits of these sizes get where they cannot converge.
const STEPS: usize = 200_000;

type Ended = (&'static str, f64, Result<Report, Error>);

/// All machines, with these settings, within a budget, and with weights: name, greatest bound of a coefficient, end.
macro_rules! every {
    ($x:expr, $y:expr, $kernel:expr, $c:expr; $($set:tt)*) => {
        every!($x, $y, $kernel, $c, (MemoryBudget::available(), None); $($set)*)
    };
    ($x:expr, $y:expr, $kernel:expr, $c:expr, $with:expr; $($set:tt)*) => {{
        let (x, y, c, with) = ($x, $y, $c, $with);
        let target = |(i, &y): (usize, &bool)| {
            kern_core::Scalar::from_f64(if y { 1.0 } else { -1.0 } + 0.3 * (i as f64).sin())
        };
        let values: Vec<_> = y.iter().enumerate().map(target).collect();
        let values = kern_solvers::Values::new(values);
        let svc = || Svc::on_kernel($kernel).c(c)$($set)*;
        let svr = || Svr::on_kernel($kernel).c(c)$($set)*;
        let one = OneClass::on_kernel($kernel)$($set)*;
        let classify = |m: Classifier<_, bool>| m.report().clone();
        let regress = |m: Regressor<_>| m.report().clone();
        let ended: Vec<Ended> = vec![
            ("C-SVC", c, within(&svc(), (x, y), with).map(classify)),
            ("C-SVC without intercept", c, within(&svc().intercept(false), (x, y), with).map(classify)),
            ("SVR", c, within(&svr(), (x, values.clone()), with).map(regress)),
            (
                "SVR without intercept",
                c,
                within(&svr().intercept(false), (x, values.clone()), with).map(regress),
            ),
            ("nu-SVC", 1.0, within(&svc().nu(0.2), (x, y), with).map(classify)),
            ("nu-SVR", c, within(&svr().nu(0.5), (x, values.clone()), with).map(regress)),
            ("one class", 1.0, within(&one, (x, ()), with).map(|m| m.report().clone())),
        ];
        ended
    }};
}

/// The certificate holds: finite numbers, a gap that is not negative and that the violation bounds: each of n points
/// adds at most C times the violation. A machine that has converged has a gap of at most its tolerance, or says that only the
/// violation is small. Rounding is relative to the sum of all C times the largest function value.
fn certified(what: &str, n: usize, (name, c, ended): &Ended) -> Report {
    let report = ended.as_ref().unwrap_or_else(|error| panic!("{what}, {name}: {error}"));
    let (primal, dual, status) = (report.objective, report.dual(), report.status);
    let (gap, violation) = (report.gap(), report.violation());
    assert!(primal.is_finite() && dual.is_finite(), "{what}, {name}: {report}");
    assert!(gap >= 0.0 && violation >= 0.0, "{what}, {name}: {report}");
    let rounding = 1e-9 * (1.0 + primal.abs() + dual.abs());
    assert!((primal - dual - gap).abs() <= rounding, "{what}, {name}: {report}");
    let most = n as f64 * c * violation;
    assert!(gap <= most * (1.0 + 1e-9) + rounding, "{what}, {name}: {gap} > {most}: {report}");
    let within = |relative: f64| violation <= 1e-3 && gap <= relative * primal.abs();
    let means = match status {
        Status::Converged => within(1e-3),
        Status::ConvergedByViolation => within(0.01) && !within(1e-3),
        _ => true,
    };
    assert!(means, "{what}, {name}: {report}");
    report.clone()
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
            // No function has a margin here, and that of ν-SVC would be scaled to 1: its gap stays as great as its objective.
            let easy = c <= 1.0 && ended.0 != "nu-SVC";
            assert!(!easy || report.status == Status::Converged, "{c} {} {report}", ended.0);
        }
    }
}

#[test]
fn what_cannot_be_separated_has_no_hard_margin() {
    let (x, y) = twice();
    for bias in [true, false] {
        for budget in [MemoryBudget::mebibytes(64), columns(64)] {
            let svc = Svc::on_kernel(rbf()).c(f64::INFINITY).intercept(bias);
            let svc = svc.max_iterations(4_000_000);
            let model = within(&svc, (&x, &y), (budget, None)).unwrap();
            let report = model.report();
            assert!(report.status != Status::Converged && report.dual().is_finite(), "{report}");
            assert!(report.gap().is_infinite(), "{report}");
            // With the whole matrix at hand it is seen before the steps are over.
            assert!(budget == columns(64) || report.status == Status::Stalled, "{report}");
        }
    }
    // Classes that overlap without a point in common: it may take all steps, and says so.
    let (x, y) = two();
    let svc = Svc::on_kernel(Linear).c(f64::INFINITY).max_iterations(STEPS);
    let model = svc.fit(&x, &y).unwrap();
    let report = model.report();
    assert!(report.status != Status::Converged && report.gap() == f64::INFINITY, "{report}");
    assert!(report.dual().is_finite(), "{report}");
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
                // Of 10¹⁰ per point, rounding of the tube leaves more than a hundredth of the objective.
                // Seen from one of its points, a kernel of ones is a linear one, and no function has a margin for that ν.
                let easy = c <= 1.0 && (what, ended.0) != ("ones", "nu-SVC")
                    || what == "identity" && ended.0 != "nu-SVR";
                assert!(!easy || report.status.has_converged(), "{what} {c} {}", ended.0);
            }
        }
    }
}

#[test]
fn a_diagonal_kernel_matrix_has_its_solution_in_closed_form() {
    // K = I without bias: α = min(1, C) each, and the dual is n(α − α²/2).
    let (x, y) = two();
    for c in [0.25, 1e10] {
        let svc = Svc::on_kernel(Rbf::new(1e6).unwrap()).c(c).intercept(false).violation(1e-12);
        let report = svc.fit(&x, &y).unwrap().report().clone();
        let alpha = f64::min(c, 1.0);
        let dual = N as f64 * (alpha - 0.5 * alpha * alpha);
        assert!((report.dual() - dual).abs() < 1e-9 && report.gap() < 1e-9, "{report}");
        assert_eq!((report.status, report.supports()), (Status::Converged, N));
    }
}

#[test]
fn very_few_points() {
    let one = Samples::from_rows(&[[3.0]]).unwrap();
    let refused = Svc::on_kernel(rbf()).fit(&one, &[true]).unwrap_err();
    assert!(matches!(refused, Error::OneClass { points: 1 }));
    let refused = Svc::on_kernel(rbf()).nu(0.5).fit(&one, &[true]);
    assert!(matches!(refused, Err(Error::OneClass { points: 1 })));
    for bias in [true, false] {
        let model = Svr::on_kernel(rbf()).intercept(bias).fit(&one, &[7.0_f64]).unwrap();
        certified("one point", 1, &("SVR", 1.0, Ok(model.report().clone())));
        let expected: f64 = if bias { 7.0 } else { 1.0 };
        assert!((model.predict(&one).unwrap()[0] - expected).abs() < 0.11);
    }
    let model = Svr::on_kernel(rbf()).nu(0.5).fit(&one, &[7.0_f64]).unwrap();
    certified("one point", 1, &("nu-SVR", 1.0, Ok(model.report().clone())));
    assert!((model.predict(&one).unwrap()[0] - 7.0_f64).abs() < 1e-9);
    for nu in [0.01, 1.0] {
        let model = OneClass::on_kernel(rbf()).nu(nu).fit(&one).unwrap();
        certified("one point", 1, &("one class", 1.0, Ok(model.report().clone())));
        let value: f64 = model.decision_values(&one).unwrap()[(0, 0)];
        assert!(value.abs() < 1e-12);
    }
    let pair = Samples::from_rows(&[[0.0], [1.0]]).unwrap();
    for ended in every!(&pair, &[false, true], rbf(), 1.0; .violation(1e-9)) {
        let report = certified("two points", 2, &ended);
        assert_eq!(report.status, Status::Converged);
    }
    let nothing = one.select(&[]).unwrap();
    assert!(matches!(OneClass::on_kernel(rbf()).fit(&nothing), Err(Error::Empty)));
    assert!(matches!(Svr::on_kernel(rbf()).fit(&nothing, &[0.0; 0]), Err(Error::Empty)));
    let nu = Svr::on_kernel(rbf()).nu(0.5);
    assert!(matches!(nu.fit(&nothing, &[0.0; 0]), Err(Error::Empty)));
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
        let whole = every!(&x, &y, rbf(), 1.0; .violation(1e-5));
        let cached = every!(&x, &y, rbf(), 1.0, (few, None); .violation(1e-5));
        for (a, b) in whole.iter().zip(&cached) {
            let what = format!("{n} points");
            let (a, b) = (certified(&what, n, a), certified(&what, n, b));
            assert_eq!((a.status, b.status), (Status::Converged, Status::Converged), "{what}");
            let apart = (a.dual() - b.dual()).abs();
            assert!(apart <= a.gap().max(b.gap()) + 1e-9 * a.dual().abs(), "{what}: {a}; {b}");
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
        let with = (MemoryBudget::available(), Some(&*weights));
        let all = every!(&x, &y, rbf(), 1.0, with;);
        for (name, _, ended) in all {
            assert!(matches!(ended, Err(Error::Weight { point: 5, .. })), "{name}: {ended:?}");
        }
        let mut values = vec![0.5; N];
        values[7] = given;
        let errors = [
            Svr::on_kernel(rbf()).fit(&x, &values).unwrap_err(),
            Svr::on_kernel(rbf()).nu(0.5).fit(&x, &values).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::NotFinite { point: 7, .. }), "{error}");
        }
        for error in [
            Svr::on_kernel(rbf()).c(given).fit(&x, &vec![0.5; N]).unwrap_err(),
            Svr::on_kernel(rbf()).nu(0.5).c(given).fit(&x, &vec![0.5; N]).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Core(_)), "{error}");
        }
    }
}

#[test]
fn sums_and_products_that_overflow() {
    let (x, y) = two();
    let with = (MemoryBudget::available(), Some(&[1e308; N][..]));
    for (name, c, ended) in every!(&x, &y, rbf(), 1e10, with;) {
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
            Ok(report) => {
                assert!(report.dual().is_finite() && report.gap() >= 0.0, "{name} {report}");
            }
            Err(error) => assert!(matches!(error, Error::Range { .. } | Error::Gram(_)), "{error}"),
        }
    }
    let (data, svc) = (Data::new(&x, &y).unwrap(), Svc::on_kernel(rbf()).max_iterations(STEPS));
    let path = svc.path(&data, &[1e-300, 1e300], &mut Run::new());
    for model in path.unwrap() {
        assert!(
            model.report().dual().is_finite() && model.report().gap() >= 0.0,
            "{}",
            model.report()
        );
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
    let error = Svc::on_kernel(Linear).c(1e200).max_iterations(STEPS).fit(&same, &[0, 1]);
    if let Ok(model) = &error {
        let coefficients = model.decision().coefficients();
        assert!(coefficients.col_iter().all(|c| c.iter().all(|a| a.is_finite())));
    }
    let error =
        Svr::on_kernel(Linear).intercept(false).c(1e300).fit(&line(1e-30).unwrap(), &[1e30_f32; 4]);
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
    // A matrix of any numbers.
    let rows: Vec<f64> = (0..N).map(|i| i as f64).collect();
    let any = || AssumeMercer(FnKernel::new(|i: &f64, j: &f64| (i * j).sin()));
    let fit = |c| Svc::on_kernel(any()).c(c).max_iterations(STEPS).fit(&rows, &y);
    certified("indefinite matrix", N, &("C-SVC", 1.0, fit(1.0).map(|m| m.report().clone())));
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
                for (name, _, ended) in every!(&points, &y, &kernel, 1.0, (budget, None);) {
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
    let svc = weighted(&Svc::on_kernel(rbf()), (&x, &y), &weights).unwrap_err();
    let nu = weighted(&Svc::on_kernel(rbf()).nu(0.5), (&x, &y), &weights).unwrap_err();
    assert!(matches!(
        (svc, nu),
        (Error::NoClassWeight { class: 1 }, Error::NoClassWeight { class: 1 })
    ));
    let with = (MemoryBudget::available(), Some(&[0.0; N][..]));
    for (name, _, ended) in every!(&x, &y, rbf(), 1.0, with;) {
        assert!(matches!(ended, Err(Error::NoWeight { points: N })), "{name}: {ended:?}");
    }
    // Weights that hardly are: C times the weight underflows, and the point has no say.
    let with = (MemoryBudget::available(), Some(&[1e-200; N][..]));
    for (name, _, ended) in every!(&x, &y, rbf(), 1e-200, with;) {
        let report = ended.unwrap();
        assert!(report.gap() >= 0.0 && report.objective.is_finite(), "{name}: {report}");
    }
}

#[test]
fn budgets_that_are_too_small_say_what_is_needed() {
    let (x, y) = two();
    for budget in [0, 1 << 10, 16 << 10] {
        let all = every!(&x, &y, rbf(), 1.0, (MemoryBudget::bytes(budget), None););
        for (name, _, ended) in all {
            let Err(Error::Gram(kern_gram::Error::Budget { needed, allowed, .. })) = ended else {
                panic!("{name}: {ended:?}");
            };
            assert!(allowed == budget && (16 << 10..100 << 10).contains(&needed), "{needed}");
        }
    }
    // What it needs is enough.
    let fit = |bytes| within(&Svc::on_kernel(rbf()), (&x, &y), (MemoryBudget::bytes(bytes), None));
    let refused = fit(0);
    let Err(Error::Gram(kern_gram::Error::Budget { needed, .. })) = refused else { panic!() };
    assert_eq!(fit(needed).unwrap().report().status, Status::Converged);
    assert!(fit(needed - 1).is_err());
    // A thousand classes are half a million functions.
    let many: Vec<usize> = (0..N).collect();
    let with = (MemoryBudget::mebibytes(4), None);
    let refused = within(&Svc::on_kernel(rbf()), (&x, &many), with);
    assert!(matches!(refused, Err(Error::Gram(kern_gram::Error::Budget { .. }))));
}

#[test]
fn few_steps_and_the_finest_tolerances() {
    let (x, y) = two();
    for most in [0, 1] {
        for budget in [MemoryBudget::mebibytes(1), columns(16)] {
            for ended in every!(&x, &y, rbf(), 1.0, (budget, None); .max_iterations(most)) {
                let report = certified("few steps", N, &ended);
                assert_eq!((report.status, report.iterations), (Status::IterationsDone, most));
            }
        }
    }
    for given in [0.0, -1.0, f64::NAN] {
        for (name, _, ended) in every!(&x, &y, rbf(), 1.0; .violation(given)) {
            assert!(matches!(ended, Err(Error::Core(_))), "{name}: {ended:?}");
        }
    }
    for budget in [MemoryBudget::mebibytes(1), columns(16)] {
        let all =
            every!(&x, &y, rbf(), 10.0, (budget, None); .violation(1e-15).max_iterations(STEPS));
        for ended in all {
            let report = certified("1e-15", N, &ended);
            assert!(report.violation() < 1e-8, "{}: {report}", ended.0);
        }
    }
}
