//! Ridge regression on features and on landmarks: the laws that tie them to kernel ridge, their
//! certificates, their memory, and their errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::learn::{data, learn, within};
use kern_approx::{Nystrom, NystromMap};
use kern_core::faer::Mat;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Points, Samples, Scalar};
use kern_gram::MemoryBudget;
use kern_solvers::ridge::Ridge;
use kern_solvers::statistics::{Fingerprint, NormalEquations, Observed};
use kern_solvers::{Data, Error, Run, Status};

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(256);

/// Points of [-2, 2]^dim and two smooth targets with noise.
fn problem<T: Scalar>(n: usize, dim: usize) -> (Samples<T>, Mat<T>) {
    let unit = |k: usize| (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0);
    let x: Vec<f64> = (0..n * dim).map(|k| 4.0 * unit(k) - 2.0).collect();
    let y = Mat::from_fn(n, 2, |i, k| {
        let p = x[i * dim] + 0.5 * x[i * dim + dim - 1];
        let f = if k == 0 { p.sin() + 3.0 } else { (0.5 * p).cos() };
        T::from_f64(f + 0.1 * (unit(i + 10_000_000 * (k + 1)) - 0.5))
    });
    (Samples::from_row_major(dim, x.into_iter().map(T::from_f64).collect()).unwrap(), y)
}

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| if i % 7 == 3 { 0.0 } else { 0.5 + (i % 3) as f64 }).collect()
}

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

/// The choice of m landmarks.
fn nystrom(m: usize) -> Nystrom<Rbf> {
    Nystrom::new(rbf()).landmarks(m).seed(4)
}

/// The features of those landmarks.
fn landmarks<T: Scalar>(x: &Samples<T>, m: usize) -> NystromMap<Samples<T>, Rbf> {
    nystrom(m).fit(x, &BUDGET).unwrap()
}

/// The greatest difference.
fn distance<T: Scalar>(a: &Mat<T>, b: &Mat<T>) -> f64 {
    (a - b).norm_max().to_f64()
}

#[test]
fn exact_features_give_kernel_ridge() {
    let (x, y) = problem::<f64>(200, 3);
    for (intercept, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
        let beta = if weighted { weights(200) } else { vec![1.0; 200] };
        let dual = Ridge::on_kernel(Linear).lambda(1e-3).intercept(intercept);
        let primal = Ridge::on_features(Identity::new(3)).lambda(1e-3).intercept(intercept);
        let data = data((&x, &y), Some(&beta));
        let (dual, primal) = (learn(&dual, &data), learn(&primal, &data));
        let error = distance(&dual.predict(&x).unwrap(), &primal.predict(&x).unwrap());
        assert!(error < 1e-10, "{intercept} {weighted}: {error}");
        let (a, b) = (dual.report().objective, primal.report().objective);
        assert!((a - b).abs() < 1e-10 * a, "{a} {b}");
        assert!(primal.report().gap.is_some_and(|gap| (0.0..1e-20).contains(&gap)));
    }
}

#[test]
fn all_points_as_landmarks_give_kernel_ridge() {
    let (x, y) = problem::<f64>(150, 2);
    for intercept in [false, true] {
        let exact = Ridge::on_kernel(rbf()).lambda(1e-4).intercept(intercept);
        let exact = exact.fit(&x, &y).unwrap().predict(&x).unwrap();
        let features = Ridge::on_features(landmarks(&x, 150)).lambda(1e-4).intercept(intercept);
        let features = features.fit(&x, &y).unwrap().predict(&x).unwrap();
        let falkon = Ridge::on_landmarks(nystrom(150)).lambda(1e-4).intercept(intercept);
        let falkon = falkon.tolerance(1e-16).fit(&x, &y).unwrap().predict(&x).unwrap();
        // The greater part is the cut that Nyström features have at eigenvalues near rounding.
        assert!(distance(&exact, &features) < 1e-7, "{}", distance(&exact, &features));
        assert!(distance(&exact, &falkon) < 1e-7, "{}", distance(&exact, &falkon));
    }
}

#[test]
fn falkon_and_normal_equations_find_the_same_function() {
    let (x, y) = problem::<f64>(3000, 3);
    for (intercept, weighted) in [(false, false), (true, false), (true, true)] {
        let beta = if weighted { weights(3000) } else { vec![1.0; 3000] };
        let used: Vec<usize> = (0..3000).filter(|&i| beta[i] > 0.0).collect();
        let chosen = landmarks(&x.select(&used).unwrap(), 120);
        let direct = Ridge::on_features(chosen).lambda(1e-6).intercept(intercept);
        let falkon = Ridge::on_landmarks(nystrom(120)).lambda(1e-6).intercept(intercept);
        let data = data((&x, &y), Some(&beta));
        let direct = learn(&direct, &data);
        let falkon = learn(&falkon.sampled(400).tolerance(1e-14), &data);
        let report = falkon.report();
        assert_eq!(report.status, Status::Converged);
        // The sample leaves something to do.
        assert!(report.iterations > 1, "{report}");
        let (a, b) = (direct.report().objective, report.objective);
        assert!((a - b).abs() <= 1e-12 * a, "{a} {b}");
        // The bound holds of what is left.
        assert!(report.gap.is_some_and(|gap| b - a <= gap + 1e-15 && gap < 1e-6 * a), "{report}");
        // ‖f − f*‖²ₙ ≤ J − J*, and points of weight zero are bound by the norm alone.
        let error = distance(&direct.predict(&x).unwrap(), &falkon.predict(&x).unwrap());
        assert!(error < 1e-5, "{intercept} {weighted}: {error}");
    }
}

#[test]
fn merged_statistics_give_the_model_of_all_points() {
    let (x, y) = problem::<f64>(900, 2);
    let map = landmarks(&x, 40);
    let fingerprint = Fingerprint::of(&map).unwrap();
    let mut all = NormalEquations::new(map.rank(), 2, fingerprint, &BUDGET).unwrap();
    for start in [600, 0, 300] {
        let mut part = NormalEquations::new(map.rank(), 2, fingerprint, &BUDGET).unwrap();
        let points = x.select(&(start..start + 300).collect::<Vec<_>>()).unwrap();
        let y = y.as_ref().subrows(start, 300);
        part.absorb(&map, &points, &Observed::new(y), &BUDGET).unwrap();
        all.merge(&part).unwrap();
    }
    let ridge = Ridge::on_features(map.clone()).lambda(1e-4).intercept(true);
    let (of_points, run) = (ridge.fit(&x, &y).unwrap(), Run::new());
    let of_sums = ridge.solve::<f64>(&all, fingerprint, &run).unwrap();
    assert!(distance(&of_points.predict(&x).unwrap(), &of_sums.predict(&x).unwrap()) < 1e-9);
    let (a, b) = (of_points.report(), of_sums.report());
    assert!((a.objective - b.objective).abs() < 1e-11 * a.objective, "{a}; {b}");
    assert!(b.gap.is_some_and(|gap| (0.0..1e-18).contains(&gap)), "{b}");

    let other = Fingerprint::of(&landmarks(&x, 41)).unwrap();
    let refused = ridge.solve::<f64>(&all, other, &run).unwrap_err();
    assert_eq!(refused, Error::Fingerprint { expected: fingerprint, given: other });
    let empty = NormalEquations::new(2, 1, other, &BUDGET).unwrap();
    assert_eq!(ridge.solve::<f64>(&empty, other, &run).unwrap_err(), Error::Empty);
}

#[test]
fn integer_weights_are_repeated_points() {
    let (x, y) = problem::<f64>(60, 2);
    let beta: Vec<f64> = (0..60).map(|i| f64::from(i % 4)).collect();
    let repeated: Vec<usize> = (0..60).flat_map(|i| vec![i; i % 4]).collect();
    let more = x.select(&repeated).unwrap();
    let targets = Mat::from_fn(repeated.len(), 2, |i, k| y[(repeated[i], k)]);
    let map = landmarks(&x, 20);
    let lambda = 1e-3;
    let ridge = |lambda| Ridge::on_features(map.clone()).lambda(lambda).intercept(true);
    let weighted = learn(&ridge(lambda), &data((&x, &y), Some(&beta)));
    let plain = ridge(lambda * 60.0 / repeated.len() as f64);
    let plain = plain.fit(&more, &targets).unwrap();
    assert!(distance(&weighted.predict(&x).unwrap(), &plain.predict(&x).unwrap()) < 1e-10);
}

#[test]
fn in_single_precision_the_gap_bounds_what_rounding_costs() {
    let (x, y) = problem::<f32>(2000, 3);
    let (wide, wide_y) = problem::<f64>(2000, 3);
    let (m, lambda) = (60, 1e-4);
    let best = Ridge::on_features(landmarks(&wide, m)).lambda(lambda);
    let best = best.fit(&wide, &wide_y).unwrap().report().objective;
    let features = Ridge::on_features(landmarks(&x, m)).lambda(lambda);
    let features = features.fit(&x, &y).unwrap().report().clone();
    let falkon = Ridge::on_landmarks(nystrom(m)).lambda(lambda).tolerance(1e-5);
    let falkon = falkon.fit(&x, &y).unwrap().report().clone();
    // The rounded data have another minimum, by a relative 1e-6 at most.
    for report in [features, falkon] {
        assert!((report.objective - best).abs() <= report.gap.unwrap() + 1e-5 * best, "{report}");
        assert!((report.objective - best).abs() <= 1e-4 * best, "{report} {best}");
    }
}

#[test]
fn same_bits_for_any_number_of_threads_and_any_budget() {
    let (x, y) = problem::<f64>(4000, 3);
    let map = landmarks(&x, 100);
    let fit = |budget: MemoryBudget| {
        let features = Ridge::on_features(map.clone()).lambda(1e-5).intercept(true);
        let features = within(&features, (&x, &y), budget).unwrap();
        let falkon = Ridge::on_landmarks(nystrom(100)).lambda(1e-5).intercept(true);
        let falkon = within(&falkon, (&x, &y), budget).unwrap();
        (
            features.decision().weights().to_owned(),
            features.decision().intercepts().to_vec(),
            falkon.decision().coefficients().to_owned(),
            falkon.decision().intercepts().to_vec(),
            falkon.report().clone(),
        )
    };
    let one = kern_gram::sequentially(|| fit(BUDGET));
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| fit(BUDGET)) == one, "{threads} threads");
    }
    // Too little for the 3.2 MB of kernel values: they are computed again in every pass.
    assert!(fit(MemoryBudget::bytes(2_700_000)) == one);
}

#[test]
fn few_iterations_are_not_hidden() {
    let (x, y) = problem::<f64>(2000, 3);
    let falkon = Ridge::on_landmarks(nystrom(80)).lambda(1e-8).sampled(80).max_iterations(2);
    let y = y.col_as_slice(0);
    let report = falkon.fit(&x, y).unwrap().report().clone();
    assert_eq!((report.status, report.iterations), (Status::IterationsDone, 2));
    let best = Ridge::on_features(landmarks(&x, 80)).lambda(1e-8).fit(&x, y).unwrap();
    let left = report.objective - best.report().objective;
    assert!(left > 0.0 && left <= report.gap.unwrap(), "{report}: {left}");
}

#[test]
fn classes_are_learned() {
    let (x, _) = problem::<f64>(600, 2);
    let labels: Vec<&str> = (0..600)
        .map(|i| match x.item(i)[0] {
            v if v < -0.7 => "left",
            v if v < 0.7 => "middle",
            _ => "right",
        })
        .collect();
    let features = Ridge::on_features(landmarks(&x, 60)).fit(&x, &labels).unwrap();
    let falkon = Ridge::on_landmarks(nystrom(60)).fit(&x, &labels).unwrap();
    assert!(features.accuracy(&x, &labels).unwrap() > 0.95);
    assert_eq!(features.predict(&x).unwrap(), falkon.predict(&x).unwrap());
}

#[test]
fn models_predict_the_same_after_a_reload() {
    let (x, y) = problem::<f64>(100, 2);
    let ridge = Ridge::on_features(landmarks(&x, 10)).intercept(true).lambda(1e-3);
    let model = ridge.fit(&x, y.col_as_slice(0)).unwrap();
    let bytes = postcard::to_stdvec(&model).unwrap();
    let mut again = model.clone();
    assert!(again == model);
    again = postcard::from_bytes(&bytes).unwrap();
    assert!(again.predict(&x).unwrap() == model.predict(&x).unwrap());
    assert!(model.decision().intercepts()[0].abs() > 1.0);
}

#[test]
fn errors_say_what_is_wrong() {
    let (x, y) = problem::<f64>(30, 2);
    let y = y.col_as_slice(0);
    let features = Ridge::on_features(landmarks(&x, 5));
    let falkon = Ridge::on_landmarks(nystrom(5));
    assert!(matches!(features.clone().lambda(0.0).fit(&x, y), Err(Error::Core(_))));
    assert!(matches!(falkon.clone().lambda(f64::NAN).fit(&x, y), Err(Error::Core(_))));
    assert!(matches!(falkon.clone().tolerance(0.0).fit(&x, y), Err(Error::Core(_))));
    assert!(matches!(falkon.clone().max_iterations(0).fit(&x, y), Err(Error::Count { .. })));
    assert!(matches!(falkon.clone().sampled(0).fit(&x, y), Err(Error::Count { .. })));
    assert!(matches!(features.fit(&x, &y[1..]), Err(Error::Length { .. })));
    assert!(matches!(falkon.fit(&x, &y[1..]), Err(Error::Length { .. })));
    let none = Data::new(&x, y).unwrap().weights(&[0.0; 30]).unwrap_err();
    assert_eq!(none, Error::NoWeight { points: 30 });
    let small = MemoryBudget::bytes(100);
    assert!(matches!(within(&features, (&x, y), small), Err(Error::Gram(_))));
    // The first to exceed it is the choice of the landmarks.
    assert!(matches!(within(&falkon, (&x, y), small), Err(Error::Gram(_) | Error::Approx(_))));
    let wide = Samples::from_row_major(3, vec![0.0; 90]).unwrap();
    assert!(matches!(features.fit(&wide, y), Err(Error::Core(_))));
    assert!(matches!(falkon.fit(&x, y).unwrap().predict(&wide), Err(Error::Gram(_))));
}
