//! Logistic regression on features and on landmarks: the laws that tie them to the exact problem, their
//! certificates, the statistics that they are made of, and their errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::classes::{observed, with_weights, within};
use kern_approx::{Nystrom, NystromMap};
use kern_core::faer::{Mat, MatRef};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{FeatureMap, Identity, Points, Samples, Scalar};
use kern_gram::MemoryBudget;
use kern_solvers::logistic::Logistic;
use kern_solvers::model::Link;
use kern_solvers::statistics::{Fingerprint, LogisticStatistics, Observed};
use kern_solvers::{ClassWeights, Data, Error, Learner, MultiClass, Progress, Report, Run, Status};
use proptest::prelude::*;
use std::ops::ControlFlow;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(256);

fn unit(k: usize) -> f64 {
    (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0)
}

/// Points of [-2, 2]^dim in overlapping classes, the first of them the most common.
fn problem<T: Scalar>(n: usize, dim: usize, classes: usize) -> (Samples<T>, Vec<usize>) {
    let x: Vec<f64> = (0..n * dim).map(|k| 4.0 * unit(k) - 2.0).collect();
    let label = |i: usize| {
        let p = x[i * dim] + x[i * dim + dim - 1].sin() + unit(i + 10_000_000);
        ((p + 2.0) / 6.0 * classes as f64).clamp(0.0, classes as f64 - 0.5) as usize
    };
    let labels = (0..n).map(label).collect();
    (Samples::from_row_major(dim, x.iter().map(|&v| T::from_f64(v)).collect()).unwrap(), labels)
}

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| if i % 7 == 3 { 0.0 } else { 0.5 + (i % 3) as f64 }).collect()
}

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

fn nystrom(m: usize) -> Nystrom<Rbf> {
    Nystrom::new(rbf()).landmarks(m).seed(4)
}

fn landmarks<T: Scalar>(x: &Samples<T>, m: usize) -> NystromMap<Samples<T>, Rbf> {
    nystrom(m).fit(x, &BUDGET).unwrap()
}

fn distance<T: Scalar>(a: &Mat<T>, b: &Mat<T>) -> f64 {
    (a - b).norm_max().to_f64()
}

/// A fit that has converged, and says so by a gap within the tolerance.
fn assert_converged(report: &Report, tolerance: f64) {
    assert_eq!(report.status, Status::Converged, "{report}");
    let gap = report.gap.unwrap();
    assert!((0.0..=tolerance * report.objective).contains(&gap), "{report}");
}

#[test]
fn exact_features_give_kernel_logistic_regression() {
    let (x, labels) = problem::<f64>(150, 3, 3);
    for classes in [2, 3] {
        let labels: Vec<usize> = labels.iter().map(|&l| l.min(classes - 1)).collect();
        for (intercept, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
            let beta = if weighted { weights(150) } else { vec![1.0; 150] };
            let exact = Logistic::on_kernel(Linear).lambda(1e-2).tolerance(1e-15);
            let exact = exact.intercept(intercept).multi_class(MultiClass::OneVsRest);
            let exact = with_weights(&exact, (&x, &labels), &beta).unwrap();
            let primal = Logistic::on_features(Identity::new(3)).lambda(1e-2).tolerance(1e-15);
            let primal = with_weights(&primal.intercept(intercept), (&x, &labels), &beta).unwrap();
            assert_converged(primal.report(), 1e-15);
            assert_eq!(primal.link(), exact.link());
            let (a, b) = (exact.predict_proba(&x).unwrap(), primal.predict_proba(&x).unwrap());
            assert!(distance(&a, &b) < 1e-6, "{classes} {intercept}: {}", distance(&a, &b));
            let (a, b) = (exact.report().objective, primal.report().objective);
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }
}

#[test]
fn all_points_as_landmarks_give_kernel_logistic_regression() {
    let (x, labels) = problem::<f64>(120, 2, 3);
    let all = Nystrom::new(rbf()).fit_landmarks(x.clone(), &BUDGET).unwrap();
    for (classes, intercept) in [(2, false), (2, true), (3, true)] {
        let labels: Vec<usize> = labels.iter().map(|&l| l.min(classes - 1)).collect();
        let exact = Logistic::on_kernel(rbf()).lambda(1e-3).tolerance(1e-15).intercept(intercept);
        let exact = exact.multi_class(MultiClass::OneVsRest).fit(&x, &labels).unwrap();
        let exact = exact.predict_proba(&x).unwrap();
        let features = Logistic::on_features(all.clone()).lambda(1e-3).tolerance(1e-15);
        let features = features.intercept(intercept).fit(&x, &labels).unwrap();
        assert_converged(features.report(), 1e-15);
        let falkon = Logistic::on_landmarks(nystrom(120)).lambda(1e-3).tolerance(1e-15);
        let falkon = falkon.intercept(intercept).fit(&x, &labels).unwrap();
        assert_converged(falkon.report(), 1e-15);
        for given in [features.predict_proba(&x).unwrap(), falkon.predict_proba(&x).unwrap()] {
            assert!(distance(&exact, &given) < 1e-6, "{}", distance(&exact, &given));
        }
    }
}

#[test]
fn falkon_and_features_find_the_same_function() {
    let (x, labels) = problem::<f64>(2000, 3, 3);
    for (intercept, weighted, lambda) in
        [(false, false, 1e-6), (true, true, 1e-4), (true, false, 1e-8)]
    {
        let beta = if weighted { weights(2000) } else { vec![1.0; 2000] };
        let used: Vec<usize> = (0..2000).filter(|&i| beta[i] > 0.0).collect();
        let map = landmarks(&x.select(&used).unwrap(), 100);
        let direct = Logistic::on_features(map).lambda(lambda).intercept(intercept);
        let direct = with_weights(&direct.tolerance(1e-13), (&x, &labels), &beta).unwrap();
        assert_converged(direct.report(), 1e-13);
        for mebibytes in [1, 64] {
            // Kernel values stored, and computed in every pass.
            let falkon = Logistic::on_landmarks(nystrom(100)).lambda(lambda).intercept(intercept);
            let falkon = falkon.tolerance(1e-10).sampled(300);
            let data = Data::new(&x, &labels).unwrap().weights(&beta).unwrap();
            let mut run = Run::new().memory(MemoryBudget::mebibytes(2 + mebibytes));
            let falkon = falkon.learn(&data, &mut run).unwrap();
            let report = falkon.report();
            assert_converged(report, 1e-10);
            assert_eq!(falkon.link(), &Link::OneVsRest);
            let excess = report.objective - direct.report().objective;
            assert!(excess <= report.gap.unwrap() + 1e-13 && excess > -1e-12, "{excess} {report}");
            // |f − f*|² ≤ 2·gap/λ for kernels with unit diagonal, and slopes of at most 1/4.
            let (a, b) = (direct.predict_proba(&x).unwrap(), falkon.predict_proba(&x).unwrap());
            let allowed = if intercept { 1e-4 } else { (2e-10 * report.objective / lambda).sqrt() };
            assert!(distance(&a, &b) < allowed, "{} {allowed}", distance(&a, &b));
        }
    }
}

/// J and its gradient by w and b, point by point.
fn judge(x: &Samples<f64>, y: &[f64], w: &[f64], b: f64, lambda: f64) -> (f64, Vec<f64>) {
    let (n, dim) = (y.len() as f64, w.len());
    let mut gradient: Vec<f64> = w.iter().map(|w| lambda * w).chain([0.0]).collect();
    let mut objective = 0.5 * lambda * w.iter().map(|w| w * w).sum::<f64>();
    for (i, y) in y.iter().enumerate() {
        let z = &x.as_slice()[i * dim..(i + 1) * dim];
        let f = b + z.iter().zip(w).map(|(z, w)| z * w).sum::<f64>();
        objective += (-y * f).exp().ln_1p() / n;
        let g = -y / (1.0 + (y * f).exp()) / n;
        z.iter().chain([&1.0]).zip(&mut gradient).for_each(|(z, sum)| *sum += g * z);
    }
    (objective, gradient)
}

#[test]
fn gradients_vanish_and_gaps_bound_at_every_stage() {
    let (x, labels) = problem::<f64>(700, 3, 2);
    let y: Vec<f64> = labels.iter().map(|&l| if l == 1 { 1.0 } else { -1.0 }).collect();
    for (lambda, intercept) in [(1e-1, true), (1e-3, false), (1e-5, true)] {
        let logistic = || {
            let logistic = Logistic::on_features(Identity::new(3)).lambda(lambda);
            logistic.intercept(intercept).tolerance(1e-15)
        };
        let best = logistic().fit(&x, &labels).unwrap();
        let w: Vec<f64> = best.decision().weights().col(0).iter().copied().collect();
        let b = best.decision().intercepts()[0];
        let (objective, gradient) = judge(&x, &y, &w, b, lambda);
        assert!((objective - best.report().objective).abs() < 1e-13);
        let last = if intercept { 4 } else { 3 };
        assert!(gradient[..last].iter().all(|g| g.abs() < 1e-8), "{gradient:?}");
        assert_eq!(intercept, b != 0.0);
        for most in 0..6 {
            let mut trace = Vec::new();
            let mut observer = |p: &Progress| {
                trace.push(p.loss);
                ControlFlow::Continue(())
            };
            let model = logistic().max_iterations(most);
            let model = observed(&model, (&x, &labels), &mut observer).unwrap();
            assert!(trace.windows(2).all(|pair| pair[1] <= pair[0] + 1e-14), "{trace:?}");
            let report = model.report();
            assert_eq!(
                (report.iterations, trace.len()),
                (most.min(report.iterations), report.iterations + 1)
            );
            let excess = report.objective - best.report().objective;
            assert!(excess <= report.gap.unwrap() + 1e-15, "{most}: {excess} {report}");
        }
    }
}

#[test]
fn falkon_is_certified_at_every_stage() {
    let (x, labels) = problem::<f64>(600, 2, 2);
    let map = landmarks(&x, 50);
    let logistic = || Logistic::on_landmarks(nystrom(50)).lambda(1e-6).intercept(true);
    let best = Logistic::on_features(map.clone()).lambda(1e-6).intercept(true).tolerance(1e-14);
    let best = best.fit(&x, &labels).unwrap().report().objective;
    for most in [0, 1, 3, 6, 9] {
        let model = logistic().max_iterations(most).fit(&x, &labels).unwrap();
        let report = model.report();
        let excess = report.objective - best;
        assert!(
            excess <= report.gap.unwrap() + 1e-14 && excess > -1e-13,
            "{most} {excess} {report}"
        );
    }
    let mut trace = Vec::new();
    let mut observer = |p: &Progress| {
        trace.push(p.loss);
        if trace.len() == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = observed(&logistic(), (&x, &labels), &mut observer).unwrap();
    assert_eq!((stopped.report().status, stopped.report().iterations), (Status::Stopped, 4));
    assert!(trace.windows(2).all(|pair| pair[1] <= pair[0]), "{trace:?}");
    // Of several classes none is begun after the stop.
    let (x, labels) = problem::<f64>(600, 2, 3);
    let mut stop = |_: &Progress| ControlFlow::<()>::Break(());
    let features = Logistic::on_features(landmarks(&x, 50));
    let features = observed(&features, (&x, &labels), &mut stop).unwrap();
    let falkon = observed(&logistic(), (&x, &labels), &mut stop).unwrap();
    for report in [features.report(), falkon.report()] {
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
        assert!((report.objective - 3.0 * 2.0_f64.ln()).abs() < 1e-12, "{report}");
    }
}

#[test]
fn separable_classes_converge() {
    let x = Samples::from_rows(&[[0.0], [0.2], [0.4], [3.0], [3.3], [9.0]]).unwrap();
    let map = Nystrom::new(rbf()).fit_landmarks(x.clone(), &BUDGET).unwrap();
    for y in [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1], [0, 0, 1, 1, 2, 2]] {
        for (lambda, intercept) in [(1e-6, false), (1e-6, true), (1e-10, true)] {
            let features = Logistic::on_features(map.clone()).lambda(lambda).intercept(intercept);
            let features = features.fit(&x, &y).unwrap();
            assert_converged(features.report(), 1e-8);
            assert_eq!(features.predict(&x).unwrap(), y);
            let falkon = Logistic::on_landmarks(nystrom(6)).lambda(lambda).intercept(intercept);
            let falkon = falkon.fit(&x, &y).unwrap();
            assert_converged(falkon.report(), 1e-8);
            assert_eq!(falkon.predict(&x).unwrap(), y);
        }
    }
}

#[test]
fn integer_weights_are_repeated_points_and_class_weights_are_sample_weights() {
    let (x, labels) = problem::<f64>(200, 2, 3);
    let counts: Vec<usize> = (0..200).map(|i| [1, 2, 0, 3, 1][i % 5]).collect();
    let used: Vec<usize> = (0..200).filter(|&i| counts[i] > 0).collect();
    let map = landmarks(&x.select(&used).unwrap(), 30);
    let repeated: Vec<usize> = (0..200).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let many = x.select(&repeated).unwrap();
    let many_labels: Vec<usize> = repeated.iter().map(|&i| labels[i]).collect();
    let ratio = 200.0 / repeated.len() as f64;
    let betas: Vec<f64> = counts.iter().map(|&w| w as f64).collect();
    let features =
        |lambda| Logistic::on_features(map.clone()).lambda(lambda).intercept(true).tolerance(1e-14);
    let falkon =
        || Logistic::on_landmarks(nystrom(30)).lambda(1e-3).intercept(true).tolerance(1e-14);
    let a =
        with_weights(&features(1e-3), (&x, &labels), &betas).unwrap().predict_proba(&x).unwrap();
    let b = features(1e-3 * ratio).fit(&many, &many_labels).unwrap().predict_proba(&x).unwrap();
    assert!(distance(&a, &b) < 1e-6);
    let c = with_weights(&falkon(), (&x, &labels), &betas).unwrap().predict_proba(&x).unwrap();
    assert!(distance(&a, &c) < 1e-5, "{}", distance(&a, &c));
    let count = |c| labels.iter().filter(|&&l| l == c).count() as f64;
    let each: Vec<f64> = labels.iter().map(|&l| 200.0 / (3.0 * count(l))).collect();
    let map = landmarks(&x, 30);
    let features =
        |lambda| Logistic::on_features(map.clone()).lambda(lambda).intercept(true).tolerance(1e-14);
    let a = features(1e-3).class_weights(ClassWeights::Balanced).fit(&x, &labels).unwrap();
    let b = with_weights(&features(1e-3), (&x, &labels), &each).unwrap();
    assert!(distance(&a.predict_proba(&x).unwrap(), &b.predict_proba(&x).unwrap()) < 1e-9);
    let c = falkon().class_weights(ClassWeights::Balanced).fit(&x, &labels).unwrap();
    assert!(distance(&a.predict_proba(&x).unwrap(), &c.predict_proba(&x).unwrap()) < 1e-5);
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let (x, labels) = problem::<f64>(3000, 3, 3);
    let map = landmarks(&x, 60);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let features = Logistic::on_features(map.clone()).intercept(true).fit(&x, &labels);
            let falkon = Logistic::on_landmarks(nystrom(60)).intercept(true).fit(&x, &labels);
            let (features, falkon) = (features.unwrap(), falkon.unwrap());
            let p = (features.predict_proba(&x).unwrap(), falkon.predict_proba(&x).unwrap());
            (p, features.report().clone(), falkon.report().clone())
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8));
    // Nor do they depend on the length of the panels.
    let small = Logistic::on_features(map.clone()).intercept(true);
    let memory = MemoryBudget::bytes(8 * 60 * (64 + 600));
    let small = within(&small, (&x, &labels), memory).unwrap();
    assert!(small.predict_proba(&x).unwrap() == one.0.0);
}

#[test]
fn single_precision_is_close_to_double() {
    let (x, labels) = problem::<f64>(1500, 3, 2);
    let (narrow, _) = problem::<f32>(1500, 3, 2);
    let wide = Logistic::on_features(landmarks(&x, 60)).lambda(1e-3).intercept(true);
    let wide = wide.fit(&x, &labels).unwrap().predict_proba(&x).unwrap();
    let features = Logistic::on_features(landmarks(&narrow, 60)).lambda(1e-3).intercept(true);
    let features = features.fit(&narrow, &labels).unwrap();
    let falkon = Logistic::on_landmarks(nystrom(60)).lambda(1e-3).intercept(true);
    let falkon = falkon.fit(&narrow, &labels).unwrap();
    assert_converged(features.report(), 1e-8);
    assert_converged(falkon.report(), 1e-8);
    // Landmarks are the same points; decision values agree to √(2·1e-8·J/λ) < 5e-3 and rounding.
    for p in [features.predict_proba(&narrow).unwrap(), falkon.predict_proba(&narrow).unwrap()] {
        assert!((0..1500).all(|i| (wide[(i, 0)] - f64::from(p[(i, 0)])).abs() < 1e-2));
    }
}

#[test]
fn newton_on_merged_statistics_is_the_fit() {
    let (x, labels) = problem::<f64>(900, 2, 2);
    let map = landmarks(&x, 20);
    let fingerprint = Fingerprint::of(&map).unwrap();
    let y = Mat::from_fn(900, 1, |i, _| if labels[i] == 1 { 1.0 } else { -1.0 });
    let (mut w, mut b) = (vec![0.0; FeatureMap::<Samples<f64>>::dim(&map)], 0.0);
    let mut gap = f64::INFINITY;
    for _ in 0..12 {
        let mut all = LogisticStatistics::new(&w, b, fingerprint, &BUDGET).unwrap();
        for start in [600, 0, 300] {
            let mut part = LogisticStatistics::new(&w, b, fingerprint, &BUDGET).unwrap();
            let points = x.select(&(start..start + 300).collect::<Vec<_>>()).unwrap();
            let y = y.as_ref().subrows(start, 300);
            part.absorb(&map, &points, &Observed::new(y), &BUDGET).unwrap();
            all.merge(&serde_json::from_str(&serde_json::to_string(&part).unwrap()).unwrap())
                .unwrap();
        }
        let next = all.gap(1e-4, true);
        gap = next;
        let (step, change) = all.newton_step(1e-4, true, &BUDGET).unwrap();
        w.iter_mut().zip(step).for_each(|(w, step)| *w += step);
        b += change;
    }
    assert!(gap < 1e-18, "{gap}");
    let fit = Logistic::on_features(map).lambda(1e-4).intercept(true).tolerance(1e-15);
    let fit = fit.fit(&x, &labels).unwrap();
    assert!((fit.decision().intercepts()[0] - b).abs() < 1e-6);
    let given = fit.decision().weights();
    assert!(w.iter().enumerate().all(|(i, w)| (given[(i, 0)] - w).abs() < 1e-5));
}

#[test]
fn bad_input_is_a_typed_error() {
    let (x, labels) = problem::<f64>(50, 2, 2);
    let map = landmarks(&x, 10);
    let features = || Logistic::on_features(map.clone());
    let falkon = || Logistic::on_landmarks(nystrom(10));
    let ones = vec![1; 50];
    assert_eq!(features().fit(&x, &ones).unwrap_err(), Error::OneClass { points: 50 });
    assert_eq!(falkon().fit(&x, &ones).unwrap_err(), Error::OneClass { points: 50 });
    assert!(matches!(features().lambda(0.0).fit(&x, &labels).unwrap_err(), Error::Core(_)));
    assert!(matches!(falkon().lambda(f64::NAN).fit(&x, &labels).unwrap_err(), Error::Core(_)));
    assert!(matches!(falkon().tolerance(-1.0).fit(&x, &labels).unwrap_err(), Error::Core(_)));
    let none = with_weights(&features(), (&x, &labels), &[0.0; 50]).unwrap_err();
    assert!(matches!(none, Error::NoWeight { .. } | Error::NoClassWeight { .. }), "{none}");
    let mut odd = vec![1.0; 50];
    odd[7] = f64::NAN;
    let error = with_weights(&falkon(), (&x, &labels), &odd).unwrap_err();
    assert!(matches!(error, Error::Weight { point: 7, .. }), "{error}");
    assert!(matches!(features().fit(&x, &labels[1..]).unwrap_err(), Error::Length { .. }));
    assert!(matches!(falkon().sampled(0).fit(&x, &labels).unwrap_err(), Error::Count { .. }));
    let tiny = MemoryBudget::bytes(2000);
    assert!(matches!(within(&features(), (&x, &labels), tiny).unwrap_err(), Error::Gram(_)));
    assert!(matches!(
        within(&falkon(), (&x, &labels), tiny).unwrap_err(),
        Error::Gram(_) | Error::Approx(_)
    ));
}

#[test]
fn what_is_wrong_with_sums_is_said() {
    use kern_solvers::statistics::Error;
    let fingerprint = Fingerprint::new(1);
    let new = |w: &[f64]| LogisticStatistics::new(w, 0.0, fingerprint, &BUDGET);
    assert!(matches!(new(&[]).unwrap_err(), Error::Count { .. }));
    let error = new(&[0.0, f64::INFINITY]).unwrap_err();
    assert_eq!(error, Error::Coefficient { index: 1, given: f64::INFINITY });
    let mut sums = new(&[0.0, 1.0]).unwrap();
    assert_eq!(sums.newton_step(1.0, true, &BUDGET).unwrap_err(), Error::Empty);
    assert_eq!(sums.merge(&new(&[1.0, 1.0]).unwrap()).unwrap_err(), Error::OtherWeights);
    assert!(matches!(sums.merge(&new(&[0.0]).unwrap()).unwrap_err(), Error::Statistics { .. }));
    let other = LogisticStatistics::new(&[0.0, 1.0], 0.0, Fingerprint::new(2), &BUDGET).unwrap();
    assert!(matches!(sums.merge(&other).unwrap_err(), Error::Fingerprint { .. }));
    let z = Mat::from_fn(2, 2, |i, j| (i + j) as f64);
    let y = Mat::from_fn(2, 1, |i, _| [1.0, 0.5][i]);
    let error = sums.update(z.as_ref(), &Observed::new(y.as_ref())).unwrap_err();
    assert_eq!(error, Error::Sign { point: 1, given: 0.5 });
    assert_eq!(sums.count(), 0);
}

#[test]
fn serialised_statistics_are_checked() {
    let sums = LogisticStatistics::new(&[0.5, 1.0], 0.0, Fingerprint::new(1), &BUDGET).unwrap();
    let text = serde_json::to_string(&sums).unwrap();
    let read = |text: &str| serde_json::from_str::<LogisticStatistics>(text);
    assert!(read(&text).is_ok());
    let bad = [
        ("\"version\":1", "\"version\":2"),
        ("[0.5,1.0]", "[0.5]"),
        ("\"loss\":0.0", "\"loss\":-1.0"),
        ("\"sums\":[0.0,0.0]", "\"sums\":[0.0,-1.0]"),
    ];
    for (from, to) in bad {
        assert!(text.contains(from), "{text}");
        assert!(read(&text.replacen(from, to, 1)).is_err(), "{to}");
    }
}

proptest! {
    /// Merging is associative and commutative but for rounding, and the empty sums are its zero.
    #[test]
    fn merging_is_addition(
        rows in proptest::collection::vec(([-2.0..2.0_f64, -2.0..2.0], proptest::bool::ANY, 0.0..3.0_f64), 6..40),
        w in [-3.0..3.0_f64, -3.0..3.0],
        b in -2.0..2.0_f64,
        cut in 0.1..0.9_f64,
    ) {
        let gather = |rows: &[([f64; 2], bool, f64)]| {
            let mut sums = LogisticStatistics::new(&w, b, Fingerprint::new(7), &BUDGET).unwrap();
            if !rows.is_empty() {
                let z = Mat::from_fn(2, rows.len(), |i, j| rows[j].0[i]);
                let y: Vec<f64> = rows.iter().map(|r| if r.1 { 1.0 } else { -1.0 }).collect();
                let beta: Vec<f64> = rows.iter().map(|r| r.2).collect();
                let y = MatRef::from_column_major_slice(&y, y.len(), 1);
                sums.update(z.as_ref(), &Observed::new(y).weights(&beta)).unwrap();
            }
            sums
        };
        let at = (rows.len() as f64 * cut) as usize;
        let parts = [gather(&rows[..at / 2]), gather(&rows[at / 2..at]), gather(&rows[at..])];
        let whole = gather(&rows);
        let added = |order: [usize; 3], right: bool| {
            let mut parts = order.map(|k| parts[k].clone());
            let (one, others) = parts.split_at_mut(1);
            let (two, three) = others.split_at_mut(1);
            if right { two[0].merge(&three[0]).unwrap(); one[0].merge(&two[0]).unwrap(); }
            else { one[0].merge(&two[0]).unwrap(); one[0].merge(&three[0]).unwrap(); }
            parts[0].clone()
        };
        let numbers = |s: &LogisticStatistics| -> Vec<f64> {
            let m = s.moments();
            let mut all = vec![s.loss(), s.sums()[0], s.sums()[1], s.hessian()[(0, 0)], s.hessian()[(1, 0)], s.hessian()[(1, 1)]];
            all.extend((0..2).flat_map(|k| (0..2).map(move |i| m[(i, k)])));
            all
        };
        // Sums of 40 terms, each of at most 3·(2 + 14·…) < 60: 40 roundings of sums below 2400.
        let allowed = 40.0 * 2400.0 * f64::EPSILON;
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            for right in [false, true] {
                let sums = added(order, right);
                prop_assert_eq!(sums.count(), whole.count());
                for (a, b) in numbers(&sums).iter().zip(numbers(&whole)) {
                    prop_assert!((a - b).abs() <= allowed, "{} {}", a, b);
                }
            }
        }
        // And they are what they say they are.
        let mut expected = [0.0; 3];
        for (x, y, beta) in &rows {
            let margin = (b + w[0] * x[0] + w[1] * x[1]) * if *y { 1.0 } else { -1.0 };
            expected[0] += beta * (-margin).exp().ln_1p();
            let p = 1.0 / (1.0 + margin.exp());
            expected[1] -= beta * p * if *y { 1.0 } else { -1.0 };
            expected[2] += beta * p * (1.0 - p);
        }
        for (a, b) in expected.iter().zip(numbers(&whole)) {
            prop_assert!((a - b).abs() <= allowed, "{} {}", a, b);
        }
    }
}
