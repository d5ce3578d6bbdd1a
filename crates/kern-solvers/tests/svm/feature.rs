//! Support vector machines on features: against scikit-learn and the exact machines, the laws of their certificates, hostile
//! data and their errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::{Evidence, N, data, weighted, within};
use faer::{Mat, MatMut, MatRef};
use kern_approx::Nystrom;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{FeatureMap, Identity, Points, Samples, Scratch};
use kern_gram::MemoryBudget;
use kern_solvers::model::{Classifier, FeatureExpansion, Vote};
use kern_solvers::space::OnFeatures;
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{
    ClassWeights, Data, Error, IntoTargets, Learner, MultiClass, Progress, Report, Run, Status,
};
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

fn svc(c: f64) -> Svc<OnFeatures<Identity>> {
    Svc::on_features(Identity::new(5)).c(c).violation(1e-8)
}

fn svr(c: f64, epsilon: f64) -> Svr<OnFeatures<Identity>> {
    Svr::on_features(Identity::new(5)).c(c).epsilon(epsilon).violation(1e-8)
}

/// Room for the features of so many of the 120 points.
fn room(points: u64) -> MemoryBudget {
    MemoryBudget::bytes(64 * points)
}

fn check(expected: f64, report: &Report, what: &str) {
    assert_eq!(report.status, Status::Converged, "{what}: {report}");
    assert!((report.objective / expected - 1.0).abs() < 1e-6, "{what}: {}", report.objective);
    assert!(report.gap() >= 0.0 && report.gap() <= 1e-6 * expected, "{what}: {report}");
    let rounding = 1e-12 * expected;
    assert!(
        (report.objective - report.dual() - report.gap()).abs() <= rounding,
        "{what}: {report}"
    );
}

#[test]
fn classification_equals_liblinear_and_libsvm() {
    let (x, y) = two();
    // Objectives of scikit-learn 1.9.1 at tolerance 1e-10 for X = these monomials. With a bias the dual one of
    // m = SVC(C=C, kernel="linear", tol=1e-10).fit(X, y), pᵀβ − ½‖Xᵀβ‖² for β = m.dual_coef_: LIBSVM's kernel values are in single
    // precision, and its primal objective is greater. Without one the primal objective of LinearSVC(C=C,
    // loss=..., dual=True, tol=1e-10, max_iter=10**7, fit_intercept=False).fit(X, y). That of the squared hinge with a
    // bias is by scipy's BFGS with gtol=1e-12.
    let cases = [
        (0.1, false, true, 3.7263065773215165),
        (1.0, false, true, 34.67263294609605),
        (100.0, false, true, 3437.285959642709),
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
        let model = svc(c).squared(squared).intercept(bias).fit(&x, &y).unwrap();
        check(expected, model.report(), &what);
    }
}

#[test]
fn regression_equals_liblinear_and_libsvm() {
    let (x, y) = monomials();
    // As above: SVR(C=C, epsilon=e, kernel="linear"), LinearSVR(C=C, epsilon=e, loss=..., dual=True,
    // fit_intercept=False).
    let cases = [
        (1.0, 0.1, false, true, 30.09199973377659),
        (50.0, 0.02, false, true, 1935.7235135193082),
        (1.0, 0.1, false, false, 30.10157354180901),
        (50.0, 0.02, false, false, 1938.5134196620963),
        (1.0, 0.1, true, false, 13.087425468833652),
        (50.0, 0.02, true, false, 927.2675792798473),
    ];
    for (c, epsilon, squared, bias, expected) in cases {
        let what = format!("C = {c}, squared: {squared}, bias: {bias}");
        let model = svr(c, epsilon).squared(squared).intercept(bias).fit(&x, &y).unwrap();
        check(expected, model.report(), &what);
    }
}

/// Decision values of the exact machine and of that on features of the same kernel.
fn same(a: &faer::Mat<f64>, b: &faer::Mat<f64>, what: &str) {
    assert_eq!(a.shape(), b.shape());
    assert!((a - b).norm_max() < 1e-4, "{what}: {:e}", (a - b).norm_max());
}

#[test]
fn functions_equal_those_of_the_exact_machines() {
    let (x, y) = two();
    let weights: Vec<f64> = (0..N).map(|i| (i % 3) as f64).collect();
    for bias in [true, false] {
        let exact = Svc::on_kernel(Linear).c(0.3).violation(1e-8).intercept(bias);
        let exact = exact.class_weights(ClassWeights::Balanced);
        let on = svc(0.3).intercept(bias).class_weights(ClassWeights::Balanced);
        let exact = weighted(&exact, (&x, &y), &weights).unwrap();
        let on = weighted(&on, (&x, &y), &weights).unwrap();
        let what = format!("bias: {bias}");
        same(&exact.decision_values(&x).unwrap(), &on.decision_values(&x).unwrap(), &what);
        assert!((exact.report().dual() / on.report().dual() - 1.0).abs() < 1e-7, "{what}");
        assert_eq!(exact.report().supports(), on.report().supports(), "{what}");
        assert_eq!(exact.report().bounded(), on.report().bounded(), "{what}");
    }
    let (x, t) = monomials();
    let exact = Svr::on_kernel(Linear).c(0.3).violation(1e-8);
    let exact = weighted(&exact, (&x, &t), &weights).unwrap();
    let on = weighted(&svr(0.3, 0.1), (&x, &t), &weights).unwrap();
    assert!((exact.report().dual() / on.report().dual() - 1.0).abs() < 1e-7);
    for (a, b) in exact.predict(&x).unwrap().iter().zip(on.predict(&x).unwrap()) {
        assert!((a - b).abs() < 1e-4);
    }
}

#[test]
fn several_classes_equal_the_exact_machine() {
    let (x, y) = four();
    for decomposition in [MultiClass::OneVsOne, MultiClass::OneVsRest] {
        let exact =
            Svc::on_kernel(Linear).violation(1e-8).multi_class(decomposition).fit(&x, &y).unwrap();
        let on = svc(1.0).multi_class(decomposition).fit(&x, &y).unwrap();
        assert_eq!(on.vote() == Vote::Pairs, decomposition == MultiClass::OneVsOne);
        let what = format!("{decomposition:?}");
        assert!((exact.report().dual() / on.report().dual() - 1.0).abs() < 1e-7, "{what}");
        same(&exact.decision_values(&x).unwrap(), &on.decision_values(&x).unwrap(), &what);
    }
}

#[test]
fn blocks_of_features_lead_to_the_same_optimum() {
    let (x, y) = four();
    let stored = svc(1.0).violation(1e-5).fit(&x, &y).unwrap();
    let most = stored.report().objective;
    // The least budget is the features of all 120 points, which are fewer than 256.
    let rows: Vec<usize> = (0..8 * N).map(|i| i % N).collect();
    let (x, y) = (x.select(&rows).unwrap(), rows.iter().map(|&i| y[i]).collect::<Vec<_>>());
    for points in [256, 300, 500] {
        let fit = || within(&svc(0.125).violation(1e-5), (&x, &y), (room(points), None)).unwrap();
        let model = fit();
        let report = model.report();
        assert_eq!(report.status, Status::Converged, "{points}: {report}");
        assert!((report.objective / most - 1.0).abs() < 1e-5, "{points}: {report}, {most}");
        assert!(report.gap() >= 0.0 && report.gap() < 1e-5 * most, "{points}: {report}");
        assert_eq!(fit(), model, "{points}");
    }
    let refused = within(&svc(1.0), (&x, &y), (room(255), None));
    assert!(matches!(refused, Err(Error::Gram(_))));
}

#[test]
fn the_gap_is_bounded_by_the_violation_or_is_what_stops() {
    let (x, y) = two();
    for bias in [true, false] {
        for tolerance in [1.0, 0.1, 1e-2, 1e-4] {
            let model = svc(1.0).intercept(bias).violation(tolerance).fit(&x, &y).unwrap();
            let report = model.report();
            let (gap, violation) = (report.gap(), report.violation());
            let (primal, dual) = (report.objective, report.dual());
            assert_eq!(report.status, Status::Converged);
            assert!(gap >= 0.0 && violation <= tolerance && primal >= dual);
            // A bias in the middle leaves half the violation to each coefficient, no bias all of it.
            assert!(gap <= N as f64 * violation * (1.0 + 1e-9) + 1e-9, "{gap} {violation}");
        }
        let exact = svc(1.0).intercept(bias).fit(&x, &y).unwrap();
        let rough = svc(1.0).intercept(bias).tolerance(1e-2).fit(&x, &y).unwrap();
        let (rough, exact) = (rough.report(), exact.report());
        assert_eq!(rough.status, Status::Converged);
        assert!(rough.gap() <= 1e-2 * rough.objective && rough.iterations < exact.iterations);
        assert!(
            exact.dual() - rough.dual() <= rough.gap()
                && rough.objective - exact.objective <= rough.gap()
        );
    }
}

#[test]
fn threads_do_not_change_a_bit_and_seeds_do() {
    let (x, y) = four();
    let fit = |threads: usize, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Svc::on_features(Identity::new(5)).c(10.0).seed(seed).fit(&x, &y).unwrap())
    };
    let one = fit(1, 0);
    for threads in [2, 8] {
        assert_eq!(fit(threads, 0), one, "{threads} threads");
    }
    assert_ne!(fit(1, 1).decision(), one.decision());
}

#[test]
fn single_precision_agrees_with_double() {
    let (x, y) = two();
    let rows: Vec<f32> = x.as_slice().iter().map(|&v| v as f32).collect();
    let single = Samples::from_row_major(5, rows).unwrap();
    let a = Svc::on_features(Identity::new(5)).violation(1e-5).fit(&single, &y).unwrap();
    let b = svc(1.0).fit(&x, &y).unwrap();
    assert_eq!(a.report().status, Status::Converged);
    assert!((a.report().objective / b.report().objective - 1.0).abs() < 1e-5);
    assert_eq!(a.predict(&single).unwrap(), b.predict(&x).unwrap());
}

/// A fit on a kernel that starts from these coefficients.
fn from<A, Y>(
    learner: &A,
    (x, y): (&Samples<f64>, Y),
    start: MatRef<'_, f64>,
) -> Result<A::Model, Error>
where
    Y: IntoTargets,
    A: Learner<Samples<f64>, Y::Targets>,
{
    learner.learn(&Data::new(x, y)?, &mut Run::new().start(start))
}

/// Coefficients of all points.
fn spread(coefficients: MatRef<'_, f64>, report: &Report) -> Mat<f64> {
    let mut all = Mat::zeros(N, coefficients.ncols());
    for (row, &i) in report.details().support.iter().enumerate() {
        all.row_mut(i).copy_from(coefficients.row(row));
    }
    all
}

#[test]
fn the_exact_machine_starts_from_coefficients() {
    let (x, y) = two();
    let exact = || Svc::on_kernel(Rbf::new(0.5).unwrap()).c(10.0).violation(1e-6);
    let cold = exact().fit(&x, &y).unwrap();
    let beta = spread(cold.decision().coefficients(), cold.report());
    let warm = from(&exact(), (&x, &y), beta.as_ref()).unwrap();
    assert!(warm.report().status.has_converged());
    assert!((warm.report().dual() / cold.report().dual() - 1.0).abs() < 1e-6);
    let steps = (warm.report().iterations, cold.report().iterations);
    assert!(steps.0 * 10 < steps.1, "{steps:?}");
    // Coefficients out of bounds with a wrong sum are a start, too.
    let wild = Mat::from_fn(N, 1, |i, _| (i as f64 - 7.0) * 3.0);
    for bias in [true, false] {
        let cold = exact().intercept(bias).fit(&x, &y).unwrap();
        let warm = from(&exact().intercept(bias), (&x, &y), wild.as_ref()).unwrap();
        assert!((warm.report().dual() / cold.report().dual() - 1.0).abs() < 1e-6, "bias: {bias}");
    }
    let two_columns = Mat::zeros(N, 2);
    let error = from(&exact(), (&x, &y), two_columns.as_ref()).unwrap_err();
    assert!(matches!(error, Error::Count { given: 2, .. }));
    let error = from(&exact(), (&x, &y), wild.subrows(1, N - 1)).unwrap_err();
    assert!(matches!(error, Error::Length { .. }));
    let broken = Mat::from_fn(N, 1, |_, _| f64::NAN);
    let error = from(&exact(), (&x, &y), broken.as_ref()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { .. }));
    let (x, t) = monomials();
    let svr = || Svr::on_kernel(Linear).c(0.5).violation(1e-6);
    let cold = svr().fit(&x, &t).unwrap();
    let beta = spread(cold.decision().coefficients(), cold.report());
    let warm = from(&svr(), (&x, &t), beta.as_ref()).unwrap();
    assert!((warm.report().dual() / cold.report().dual() - 1.0).abs() < 1e-7);
    assert!(warm.report().iterations * 10 < cold.report().iterations, "{}", warm.report());
}

#[test]
fn pairs_of_classes_start_from_coefficients() {
    let (x, y) = four();
    let exact = || Svc::on_kernel(Linear).violation(1e-6);
    let cold = exact().fit(&x, &y).unwrap();
    let beta = spread(cold.decision().coefficients(), cold.report());
    let warm = from(&exact(), (&x, &y), beta.as_ref()).unwrap();
    assert!((warm.report().dual() / cold.report().dual() - 1.0).abs() < 1e-7);
    assert!(warm.report().iterations * 10 < cold.report().iterations, "{}", warm.report());
}

#[test]
fn one_class_equals_the_exact_machine() {
    let (x, _) = two();
    let weights: Vec<f64> = (0..N).map(|i| 0.5 + (i % 3) as f64).collect();
    for nu in [0.1, 0.5, 1.0] {
        let exact = OneClass::on_kernel(Linear).nu(nu).violation(1e-8);
        let exact = weighted(&exact, (&x, ()), &weights).unwrap();
        let on = OneClass::on_features(Identity::new(5)).nu(nu).violation(1e-8);
        let on = weighted(&on, (&x, ()), &weights).unwrap();
        assert_eq!(on.report().status, Status::Converged, "{}", on.report());
        let scale = 1.0 + exact.report().dual().abs();
        assert!((exact.report().dual() - on.report().dual()).abs() < 1e-7 * scale, "{nu}");
        assert!((0.0..1e-6 * scale).contains(&on.report().gap()), "{nu}: {}", on.report());
        let (f, g) = (exact.decision_values(&x).unwrap(), on.decision_values(&x).unwrap());
        assert!((f - g).norm_max() < 1e-4 * scale, "{nu}");
    }
}

#[test]
fn landmarks_of_all_points_are_the_exact_machine() {
    let (x, y) = four();
    let (_, t) = monomials();
    let kernel = Rbf::new(0.3).unwrap();
    let nystrom = || Nystrom::new(kernel).landmarks(N);
    let same = |a: &Report, b: &Report, what: &str| {
        assert_eq!(b.status, Status::Converged, "{what}: {b}");
        assert!((a.objective / b.objective - 1.0).abs() < 1e-5, "{what}: {a}; {b}");
        assert!((b.objective - b.dual() - b.gap()).abs() < 1e-9 * b.objective, "{what}: {b}");
    };
    for multi in [MultiClass::OneVsOne, MultiClass::OneVsRest] {
        let exact = Svc::on_kernel(kernel).multi_class(multi).violation(1e-7).fit(&x, &y).unwrap();
        let on = Svc::on_landmarks(nystrom()).multi_class(multi).violation(1e-6);
        let on = on.fit(&x, &y).unwrap();
        same(exact.report(), on.report(), "classes");
        assert_eq!(exact.predict(&x).unwrap(), on.predict(&x).unwrap());
        assert!(on.decision().points().len() <= N);
    }
    let exact = Svr::on_kernel(kernel).violation(1e-7).fit(&x, &t).unwrap();
    let on = Svr::on_landmarks(nystrom()).violation(1e-6).fit(&x, &t).unwrap();
    same(exact.report(), on.report(), "values");
    let exact = OneClass::on_kernel(kernel).violation(1e-7).fit(&x).unwrap();
    let on = OneClass::on_landmarks(nystrom()).violation(1e-6).fit(&x).unwrap();
    assert!((exact.report().dual() / on.report().dual() - 1.0).abs() < 1e-5, "{}", on.report());
    let refused = Svc::on_landmarks(nystrom()).nu(0.2).fit(&x, &y).unwrap_err();
    assert!(matches!(refused, Error::Unsupported { .. }));
    let refused = Svr::on_features(Identity::new(5)).nu(0.2).fit(&x, &t).unwrap_err();
    assert!(matches!(refused, Error::Unsupported { .. }));
}

#[test]
fn steps_are_no_more_than_allowed_at_the_finest_tolerance() {
    let (x, y) = two();
    let (_, t) = monomials();
    for most in [1, 500, 1500, 10_000, 100_000] {
        for bias in [true, false] {
            let finest = svc(100.0).intercept(bias).violation(1e-9).max_iterations(most);
            let report = finest.fit(&x, &y).unwrap().report().clone();
            assert!(report.iterations <= most, "{most}: {report}");
            let finest = svr(100.0, 0.0).intercept(bias).violation(1e-9).max_iterations(most);
            let report = finest.fit(&x, &t).unwrap().report().clone();
            assert!(report.iterations <= most, "{most}: {report}");
        }
    }
}

#[test]
fn hostile_data_ends_with_a_certificate() {
    let (x, y) = two();
    let twice: Vec<usize> = (0..N).chain(0..N).collect();
    let points = x.select(&twice).unwrap();
    let opposite: Vec<bool> = y.iter().copied().chain(y.iter().map(|y| !y)).collect();
    let constant = Samples::from_rows(&[[1.0, 2.0, 0.0, -1.0, 0.5]; N]).unwrap();
    let zero = Samples::from_rows(&[[0.0; 5]; N]).unwrap();
    let tiny =
        Samples::from_row_major(5, x.as_slice().iter().map(|v| 1e-160 * v).collect()).unwrap();
    for bias in [true, false] {
        let on = |c: f64| Svc::on_features(Identity::new(5)).c(c).intercept(bias);
        let cases = [
            ("opposite labels", on(1.0).fit(&points, &opposite)),
            ("constant", on(1.0).fit(&constant, &y)),
            ("zero", on(1.0).fit(&zero, &y)),
            ("zero, squared", on(1.0).squared(true).fit(&zero, &y)),
            ("tiny", on(1.0).fit(&tiny, &y)),
            ("C = 1e-10", on(1e-10).fit(&x, &y)),
            ("C = 1e-10, squared", on(1e-10).squared(true).fit(&x, &y)),
        ];
        for (what, model) in cases {
            let model = model.unwrap();
            let report = model.report();
            assert_eq!(report.status, Status::Converged, "{what}, {bias}: {report}");
            assert!(report.gap().is_finite() && report.gap() >= 0.0, "{what}, {bias}: {report}");
            let scale = 1.0 + report.objective.abs();
            assert!(
                (report.objective - report.dual() - report.gap()).abs() < 1e-9 * scale,
                "{what}"
            );
        }
        for (points, labels) in [(&points, &opposite), (&x, &y)] {
            let model = on(1e10).max_iterations(200_000).fit(points, labels).unwrap();
            let report = model.report();
            assert!(report.status != Status::Converged || report.violation() <= 1e-3, "{report}");
            assert!(report.gap().is_finite() && report.gap() >= 0.0, "{report}");
        }
    }
}

#[test]
fn the_observer_can_stop_and_steps_are_counted() {
    let (x, y) = two();
    let mut seen = Vec::new();
    let mut watch = |p: &Progress| {
        seen.push(p.loss);
        if seen.len() < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let (data, free) = (Data::new(&x, &y).unwrap(), svc(1.0).intercept(false));
    let model = free.learn(&data, &mut Run::new().observer(&mut watch)).unwrap();
    assert_eq!((model.report().status, model.report().rounds()), (Status::Stopped, 3));
    assert!(model.report().gap().is_finite() && model.report().gap() > 0.0);
    // Without a bias every step is on the dual objective itself.
    assert!(seen.windows(2).all(|w| w[1] <= w[0] + 1e-12), "{seen:?}");
    let model = svc(1.0).max_iterations(3).fit(&x, &y).unwrap();
    assert_eq!((model.report().status, model.report().iterations), (Status::IterationsDone, 3));
    assert!(model.report().gap() > 0.0);
}

/// A map whose feature of one point is not a number.
#[derive(Clone, Debug)]
struct Broken(usize);

impl FeatureMap<Samples<f64>> for Broken {
    fn dim(&self) -> usize {
        self.0
    }

    fn transform_into(
        &self,
        points: &Samples<f64>,
        range: Range<usize>,
        mut out: MatMut<'_, f64>,
        _: &mut Scratch<f64>,
    ) {
        for (c, i) in range.enumerate() {
            out.as_mut().col_mut(c).fill(if points.item(i)[0] < -2.9 { f64::NAN } else { 1.0 });
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let (x, y) = two();
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(svc(c).fit(&x, &y), Err(Error::Core(_))), "C = {c}");
    }
    assert!(matches!(svc(1.0).violation(0.0).fit(&x, &y), Err(Error::Core(_))));
    assert!(matches!(svc(1.0).tolerance(-1.0).fit(&x, &y), Err(Error::Core(_))));
    assert!(matches!(svc(1.0).fit(&x, &[true; N]), Err(Error::OneClass { points: N })));
    assert!(matches!(svc(1.0).fit(&x, &y[1..]), Err(Error::Length { .. })));
    let nothing = x.select(&[]).unwrap();
    assert!(matches!(svc(1.0).fit(&nothing, &[true; 0]), Err(Error::Empty)));
    assert!(matches!(svr(1.0, 0.1).fit(&nothing, &[0.0; 0]), Err(Error::Empty)));
    let weights = vec![f64::NAN; N];
    assert!(matches!(weighted(&svc(1.0), (&x, &y), &weights), Err(Error::Weight { .. })));
    assert!(matches!(svr(1.0, -0.1).fit(&x, &[0.0; N]), Err(Error::Core(_))));
    let mut values = vec![0.0; N];
    values[7] = f64::INFINITY;
    let error = svr(1.0, 0.1).fit(&x, &values).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 7, .. }));
    let wrong = Svc::on_features(Identity::new(4)).fit(&x, &y);
    assert!(matches!(wrong, Err(Error::Core(kern_core::Error::Dimension { .. }))));
    // The point is named by its number among those that were given.
    let error = Svc::on_features(Broken(3)).fit(&x, &y).unwrap_err();
    let Error::Core(kern_core::Error::FeatureNotFinite { sample, feature: 0, .. }) = error else {
        panic!("{error}")
    };
    assert!(x.item(sample)[0] < -2.9);
    assert!(matches!(Svc::on_features(Broken(0)).fit(&x, &y), Err(Error::Count { given: 0, .. })));
    let huge = Samples::from_row_major(5, x.as_slice().iter().map(|v| 1e200 * v).collect());
    assert!(matches!(svc(1.0).fit(&huge.unwrap(), &y), Err(Error::Core(_))));
}

#[test]
fn models_survive_a_file() {
    let (x, y) = four();
    let model = svc(1.0).violation(1e-3).fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let back: Classifier<FeatureExpansion<Identity, f64>, usize> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(back, model);
}
