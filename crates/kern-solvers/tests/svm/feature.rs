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
        let model = svc(c).squared(squared).bias(bias).fit(&x, &y).unwrap();
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
        let model = svr(c, epsilon).squared(squared).bias(bias).fit(&x, &y).unwrap();
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
        let exact = Svc::new(Linear).c(0.3).tolerance(1e-8).bias(bias);
        let (exact, on) = (exact.sample_weights(weights.clone()), svc(0.3).bias(bias));
        let on = on.sample_weights(weights.clone()).class_weights(ClassWeights::Balanced);
        let exact = exact.class_weights(ClassWeights::Balanced).fit(&x, &y).unwrap();
        let on = on.fit(&x, &y).unwrap();
        let what = format!("bias: {bias}");
        same(&exact.decision_values(&x).unwrap(), &on.decision_values(&x).unwrap(), &what);
        assert!((exact.report().dual / on.report().dual - 1.0).abs() < 1e-7, "{what}");
        assert_eq!(exact.report().support_vectors, on.report().support_vectors, "{what}");
        assert_eq!(exact.report().bounded, on.report().bounded, "{what}");
    }
    let (x, t) = monomials();
    let exact = Svr::new(Linear).c(0.3).tolerance(1e-8).sample_weights(weights.clone());
    let exact = exact.fit(&x, &t).unwrap();
    let on = svr(0.3, 0.1).sample_weights(weights).fit(&x, &t).unwrap();
    assert!((exact.report().dual / on.report().dual - 1.0).abs() < 1e-7);
    for (a, b) in exact.predict(&x).unwrap().iter().zip(on.predict(&x).unwrap()) {
        assert!((a - b).abs() < 1e-4);
    }
}

#[test]
fn several_classes_equal_the_exact_machine() {
    let (x, y) = four();
    for decomposition in [Decomposition::OneVsOne, Decomposition::OneVsRest] {
        let exact =
            Svc::new(Linear).tolerance(1e-8).multi_class(decomposition).fit(&x, &y).unwrap();
        let on = svc(1.0).multi_class(decomposition).fit(&x, &y).unwrap();
        assert_eq!(on.decomposition(), decomposition);
        let what = format!("{decomposition:?}");
        assert!((exact.report().dual / on.report().dual - 1.0).abs() < 1e-7, "{what}");
        same(&exact.decision_values(&x).unwrap(), &on.decision_values(&x).unwrap(), &what);
    }
}

#[test]
fn blocks_of_features_lead_to_the_same_optimum() {
    let (x, y) = four();
    let stored = svc(1.0).tolerance(1e-5).fit(&x, &y).unwrap();
    let most = stored.report().primal;
    // The least budget is the features of all 120 points, which are fewer than 256.
    let rows: Vec<usize> = (0..8 * N).map(|i| i % N).collect();
    let (x, y) = (x.select(&rows).unwrap(), rows.iter().map(|&i| y[i]).collect::<Vec<_>>());
    for points in [256, 300, 500] {
        let svc = svc(0.125).tolerance(1e-5).budget(room(points));
        let model = svc.clone().fit(&x, &y).unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged, "{points}: {report}");
        assert!((report.primal / most - 1.0).abs() < 1e-5, "{points}: {report}, {most}");
        assert!(report.gap >= 0.0 && report.gap < 1e-5 * most, "{points}: {report}");
        assert_eq!(svc.fit(&x, &y).unwrap(), model, "{points}");
    }
    let refused = svc(1.0).budget(room(255)).fit(&x, &y);
    assert!(matches!(refused, Err(Error::Gram(_))));
}

#[test]
fn the_gap_is_bounded_by_the_violation_or_is_what_stops() {
    let (x, y) = two();
    for bias in [true, false] {
        for tolerance in [1.0, 0.1, 1e-2, 1e-4] {
            let model = svc(1.0).bias(bias).tolerance(tolerance).fit(&x, &y).unwrap();
            let SvmReport { gap, violation, status, primal, dual, .. } = *model.report();
            assert_eq!(status, Status::Converged);
            assert!(gap >= 0.0 && violation <= tolerance && primal >= dual);
            // A bias in the middle leaves half the violation to each coefficient, no bias all of it.
            assert!(gap <= N as f64 * violation * (1.0 + 1e-9) + 1e-9, "{gap} {violation}");
        }
        let exact = svc(1.0).bias(bias).fit(&x, &y).unwrap();
        let rough = svc(1.0).bias(bias).relative_gap(1e-2).fit(&x, &y).unwrap();
        let (rough, exact) = (rough.report(), exact.report());
        assert_eq!(rough.status, Status::Converged);
        assert!(rough.gap <= 1e-2 * rough.primal && rough.iterations < exact.iterations);
        assert!(exact.dual - rough.dual <= rough.gap && rough.primal - exact.primal <= rough.gap);
    }
}

#[test]
fn threads_do_not_change_a_bit_and_seeds_do() {
    let (x, y) = four();
    let fit = |threads: usize, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| FeatureSvc::new(Identity::new(5)).c(10.0).seed(seed).fit(&x, &y).unwrap())
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
    let a = FeatureSvc::new(Identity::new(5)).tolerance(1e-5).fit(&single, &y).unwrap();
    let b = svc(1.0).fit(&x, &y).unwrap();
    assert_eq!(a.report().status, Status::Converged);
    assert!((a.report().primal / b.report().primal - 1.0).abs() < 1e-5);
    assert_eq!(a.predict(&single).unwrap(), b.predict(&x).unwrap());
}

#[test]
fn the_exact_machine_starts_from_coefficients() {
    let (x, y) = two();
    let exact = || Svc::new(Rbf::new(0.5).unwrap()).c(10.0).tolerance(1e-6);
    let cold = exact().fit(&x, &y).unwrap();
    let map = || {
        let nystrom = kern_approx::Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(N);
        nystrom.fit(&x, &MemoryBudget::mebibytes(8)).unwrap()
    };
    let (_, beta) = FeatureSvc::new(map()).c(10.0).tolerance(1e-6).fit_dual(&x, &y).unwrap();
    let warm = exact().fit_from(&x, &y, beta.as_ref()).unwrap();
    assert_eq!(warm.report().status, Status::Converged);
    assert!((warm.report().dual / cold.report().dual - 1.0).abs() < 1e-6);
    assert!(
        warm.report().iterations * 10 < cold.report().iterations,
        "{}, {}",
        warm.report(),
        cold.report()
    );
    // Coefficients out of bounds with a wrong sum are a start, too.
    let wild = faer::Mat::from_fn(N, 1, |i, _| (i as f64 - 7.0) * 3.0);
    for bias in [true, false] {
        let cold = exact().bias(bias).fit(&x, &y).unwrap();
        let warm = exact().bias(bias).fit_from(&x, &y, wild.as_ref()).unwrap();
        assert!((warm.report().dual / cold.report().dual - 1.0).abs() < 1e-6, "bias: {bias}");
    }
    let two_columns = faer::Mat::zeros(N, 2);
    let error = exact().fit_from(&x, &y, two_columns.as_ref()).unwrap_err();
    assert!(matches!(error, Error::Count { given: 2, .. }));
    let error = exact().fit_from(&x, &y, wild.subrows(1, N - 1)).unwrap_err();
    assert!(matches!(error, Error::Length { .. }));
    let broken = faer::Mat::from_fn(N, 1, |_, _| f64::NAN);
    let error = exact().fit_from(&x, &y, broken.as_ref()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { .. }));
    let (x, t) = monomials();
    let svr = || Svr::new(Linear).c(0.5).tolerance(1e-6);
    let cold = svr().fit(&x, &t).unwrap();
    let (_, beta) = self::svr(0.5, 0.1).fit_dual(&x, &t).unwrap();
    let warm = svr().fit_from(&x, &t, beta.as_ref()).unwrap();
    assert!((warm.report().dual / cold.report().dual - 1.0).abs() < 1e-7);
    assert!(warm.report().iterations * 10 < cold.report().iterations, "{}", warm.report());
}

#[test]
fn pairs_of_classes_start_from_coefficients() {
    let (x, y) = four();
    let one = Decomposition::OneVsOne;
    let (_, beta) = svc(1.0).multi_class(one).fit_dual(&x, &y).unwrap();
    let exact = || Svc::new(Linear).tolerance(1e-6);
    let (cold, warm) = (exact().fit(&x, &y), exact().fit_from(&x, &y, beta.as_ref()));
    let (cold, warm) = (cold.unwrap(), warm.unwrap());
    assert!((warm.report().dual / cold.report().dual - 1.0).abs() < 1e-7);
    assert!(warm.report().iterations * 10 < cold.report().iterations, "{}", warm.report());
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
        let on = |c: f64| FeatureSvc::new(Identity::new(5)).c(c).bias(bias);
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
            assert!(report.gap.is_finite() && report.gap >= 0.0, "{what}, {bias}: {report}");
            let scale = 1.0 + report.primal.abs();
            assert!((report.primal - report.dual - report.gap).abs() < 1e-9 * scale, "{what}");
        }
        for (points, labels) in [(&points, &opposite), (&x, &y)] {
            let model = on(1e10).max_iterations(200_000).fit(points, labels).unwrap();
            let report = model.report();
            assert!(report.status != Status::Converged || report.violation <= 1e-3, "{report}");
            assert!(report.gap.is_finite() && report.gap >= 0.0, "{report}");
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
    let model = svc(1.0).bias(false).fit_observed(&x, &y, &mut watch).unwrap();
    assert_eq!((model.report().status, model.report().rounds), (Status::Stopped, 3));
    assert!(model.report().gap.is_finite() && model.report().gap > 0.0);
    // Without a bias every step is on the dual objective itself.
    assert!(seen.windows(2).all(|w| w[1] <= w[0] + 1e-12), "{seen:?}");
    let model = svc(1.0).max_iterations(3).fit(&x, &y).unwrap();
    assert_eq!((model.report().status, model.report().iterations), (Status::IterationsDone, 3));
    assert!(model.report().gap > 0.0);
}

/// A map whose feature of one point is not a number.
#[derive(Debug)]
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
    assert!(matches!(svc(1.0).tolerance(0.0).fit(&x, &y), Err(Error::Core(_))));
    assert!(matches!(svc(1.0).relative_gap(-1.0).fit(&x, &y), Err(Error::Core(_))));
    assert!(matches!(svc(1.0).fit(&x, &[true; N]), Err(Error::OneClass { points: N })));
    assert!(matches!(svc(1.0).fit(&x, &y[1..]), Err(Error::Length { .. })));
    let nothing = x.select(&[]).unwrap();
    assert!(matches!(svc(1.0).fit::<_, bool>(&nothing, &[]), Err(Error::Empty)));
    assert!(matches!(svr(1.0, 0.1).fit(&nothing, &[]), Err(Error::Empty)));
    let weights = vec![f64::NAN; N];
    assert!(matches!(svc(1.0).sample_weights(weights).fit(&x, &y), Err(Error::Weight { .. })));
    assert!(matches!(svr(1.0, -0.1).fit(&x, &[0.0; N]), Err(Error::Core(_))));
    let mut values = vec![0.0; N];
    values[7] = f64::INFINITY;
    let error = svr(1.0, 0.1).fit(&x, &values).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 7, .. }));
    let wrong = FeatureSvc::new(Identity::new(4)).fit(&x, &y);
    assert!(matches!(wrong, Err(Error::Core(kern_core::Error::Dimension { .. }))));
    // The point is named by its number among those that were given.
    let error = FeatureSvc::new(Broken(3)).fit(&x, &y).unwrap_err();
    let Error::Core(kern_core::Error::NotFinite { sample, feature: 0, .. }) = error else {
        panic!("{error}")
    };
    assert!(x.item(sample)[0] < -2.9);
    assert!(matches!(FeatureSvc::new(Broken(0)).fit(&x, &y), Err(Error::Count { given: 0, .. })));
    let huge = Samples::from_row_major(5, x.as_slice().iter().map(|v| 1e200 * v).collect());
    assert!(matches!(svc(1.0).fit(&huge.unwrap(), &y), Err(Error::Core(_))));
}

#[test]
fn models_survive_a_file() {
    let (x, y) = four();
    let model = svc(1.0).tolerance(1e-3).fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let back: kern_solvers::svm::FeatureSvmClassifier<Identity, f64, usize> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(back, model);
}
