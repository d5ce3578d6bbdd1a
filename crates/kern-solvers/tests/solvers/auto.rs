//! The space that a plan chooses: exact where it can be, landmarks where it cannot, and what they cost.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::kernels::{Polynomial, Rbf};
use kern_core::{Explicit, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::model::{EitherFunction, Regressor};
use kern_solvers::plan::{Algorithm, Machine};
use kern_solvers::ridge::Ridge;
use kern_solvers::sgd::{Schedule, Sgd};
use kern_solvers::space::{Auto, Features, NoFeatures};
use kern_solvers::{
    ClassWeights, Data, DecisionValues, Details, Error, Learner, Model, Planned, Report, Run,
};
use std::time::Duration;

/// Points on the plane, and a smooth function of them with some noise.
fn data(n: usize) -> (Samples<f64>, Vec<f64>) {
    let noise = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    let x = Samples::from_row_major(2, (0..2 * n).map(|k| 4.0 * noise(k)).collect()).unwrap();
    let y = (0..n).map(|i| x.item(i)[0].sin() + x.item(i)[1].cos() + 0.1 * noise(3 * i + 1));
    (x.clone(), y.collect())
}

fn rbf() -> Rbf {
    Rbf::new(1.0).unwrap()
}

fn planned(report: &Report) -> &Planned {
    match &report.details {
        Details::Planned(planned) => planned,
        other => panic!("{other:?}"),
    }
}

/// The same function as on the kernel, to the bit, whether it is factorised or iterated.
#[test]
fn within_the_limits_ridge_regression_is_that_on_the_kernel() {
    for (n, memory) in [(300, 1 << 30), (2300, 1 << 30), (2300, 24 << 20)] {
        let (x, y) = data(n);
        let data = Data::new(&x, &y).unwrap();
        let run = || Run::new().memory(MemoryBudget::bytes(memory));
        let auto = Ridge::auto(rbf()).lambda(1e-4).learn(&data, &mut run()).unwrap();
        let exact = Ridge::on_kernel(rbf()).lambda(1e-4).learn(&data, &mut run()).unwrap();
        let EitherFunction::Kernel(function) = auto.decision() else { panic!("a kernel") };
        let planned = planned(auto.report());
        assert!(Algorithm::RIDGE.contains(&planned.algorithm), "{planned:?}");
        assert!((planned.landmarks, planned.excess) == (None, None));
        if memory > 1 << 29 {
            assert_eq!(function, exact.decision(), "{n}: {planned:?}");
        }
        assert_eq!(auto.report().gap.is_some(), exact.report().gap.is_some());
    }
}

/// The nominal time of two passes over the kernel values of 4000 points is 16 ms. With less, landmarks are taken,
/// and the estimated gap of the exact problem is an upper bound on what they cost.
#[test]
fn beyond_the_limit_landmarks_are_taken_and_their_price_told() {
    let (x, y) = data(4000);
    let weights: Vec<f64> = (0..4000).map(|i| f64::from(i % 3)).collect();
    let outputs = kern_core::faer::Mat::from_fn(4000, 2, |i, k| y[i] * (1.0 + k as f64));
    for (intercept, weighted, lambda) in
        [(false, false, 1e-3), (true, true, 1e-3), (true, false, 1e-2)]
    {
        let data = Data::new(&x, &outputs).unwrap();
        let data = if weighted { data.weights(&weights).unwrap() } else { data };
        let auto = Ridge::auto(rbf()).lambda(lambda).intercept(intercept);
        let mut run = Run::new().time_limit(Duration::from_millis(5));
        let model = auto.learn(&data, &mut run).unwrap();
        let planned = planned(model.report());
        assert_eq!(planned.algorithm, Algorithm::Landmarks, "{planned:?}");
        assert!(planned.reason.contains("No other way is within"), "{planned:?}");
        let EitherFunction::Kernel(function) = model.decision() else { panic!("a kernel") };
        let landmarks = planned.landmarks.unwrap();
        assert!(function.points().len() <= landmarks && landmarks < 530, "{landmarks}");
        let exact = Ridge::on_kernel(rbf()).lambda(lambda).intercept(intercept);
        let exact = exact.learn(&data, &mut Run::new()).unwrap();
        let price = model.report().objective - exact.report().objective;
        let excess = planned.excess.unwrap();
        let error = 4.0 * excess.standard_error + 1e-9 * exact.report().objective;
        assert!(price > -1e-9 && excess.sampled == landmarks);
        assert!(excess.estimate >= price - error, "{excess:?}, in truth {price:e}");
        assert!(excess.estimate <= 0.1 * exact.report().objective, "{excess:?}");
    }
}

/// With all rows the estimate is the gap itself: by few landmarks it is large, and still an upper bound.
#[test]
fn the_price_of_few_landmarks_is_bounded() {
    let (x, y) = data(400);
    for landmarks in [3, 10, 40, 400] {
        let space = Auto::new(rbf()).algorithm(Algorithm::Landmarks).landmarks(landmarks);
        let model = Ridge::on(space).lambda(1e-3).fit(&x, &y).unwrap();
        let exact = Ridge::on_kernel(rbf()).lambda(1e-3).fit(&x, &y).unwrap();
        let excess = planned(model.report()).excess.unwrap();
        let price = model.report().objective - exact.report().objective;
        let error = 4.0 * excess.standard_error + 1e-9;
        assert!(excess.estimate >= price - error, "{landmarks}: {excess:?} {price:e}");
        if landmarks == 400 {
            assert!(excess.standard_error <= 0.0 && excess.estimate < 1e-6, "{excess:?}");
        }
    }
}

/// Exact features of few dimensions are less work than the kernel, approximate ones are welcome, and the way can be
/// told.
#[test]
fn features_are_taken_where_they_are_less_work() {
    let (x, y) = data(3000);
    let kernel = Polynomial::new(0.5, 1.0, 2).unwrap();
    let map = kernel.feature_map(&x).unwrap();
    let exact = Auto::new(kernel).features(Features::Exact(map.clone()));
    let model = Ridge::on(exact.clone()).lambda(1e-3).fit(&x, &y).unwrap();
    assert_eq!(planned(model.report()).algorithm, Algorithm::Features);
    let other = Ridge::on_features(map.clone()).lambda(1e-3).fit(&x, &y).unwrap();
    let EitherFunction::Features(function) = model.decision() else { panic!("features") };
    assert_eq!(function, other.decision());
    let told =
        Ridge::on(exact.clone().algorithm(Algorithm::Cholesky)).lambda(1e-3).fit(&x, &y).unwrap();
    let difference = told.decision_values(&x).unwrap() - model.decision_values(&x).unwrap();
    assert!(difference.norm_max() < 1e-8);
    let approximate = Auto::new(kernel).features(Features::Approximate(map));
    let model = Ridge::on(approximate).lambda(1e-3).fit(&x, &y).unwrap();
    assert_eq!(planned(model.report()).algorithm, Algorithm::ApproximateFeatures);
    for algorithm in [Algorithm::ApproximateFeatures, Algorithm::GramCached] {
        let error = Ridge::on(exact.clone().algorithm(algorithm)).fit(&x, &y).unwrap_err();
        assert_eq!(error, Error::NoSuchAlgorithm { algorithm: algorithm.name() });
    }
}

/// Labels, class weights and saving go through [`Auto`] as through other spaces.
#[test]
fn classes_and_files_go_through_the_space() {
    let (x, y) = data(200);
    let labels: Vec<bool> = y.iter().map(|&y| y > 1.0).collect();
    let ridge = Ridge::auto(rbf()).lambda(1e-2).class_weights(ClassWeights::Balanced);
    let model = ridge.fit(&x, &labels).unwrap();
    assert!(model.accuracy(&x, &labels).unwrap() > 0.9);
    let regressor = ridge.fit(&x, &y).unwrap();
    let text = serde_json::to_string(&regressor).unwrap();
    let read: Regressor<EitherFunction<Samples<f64>, Rbf, NoFeatures>> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(read, regressor);
    assert_eq!(read.predict(&x).unwrap(), regressor.predict(&x).unwrap());
}

/// SGD takes landmarks where neither the kernel nor features are within the limit.
#[test]
fn sgd_takes_landmarks_beyond_the_limit() {
    let (x, y) = data(3000);
    let labels: Vec<bool> = y.iter().map(|&y| y > 1.0).collect();
    let sgd = Sgd::auto(rbf()).schedule(Schedule::Constant(0.5));
    let data = Data::new(&x, &labels).unwrap();
    let exact = sgd.learn(&data, &mut Run::new()).unwrap();
    assert_eq!(planned(exact.report()).algorithm, Algorithm::GramCached);
    let plan = sgd.plan(&data, 1, &Run::new()).unwrap();
    assert_eq!(plan.recommended(), Some(Algorithm::GramCached));
    let seconds = plan.prediction(Algorithm::GramCached).unwrap().seconds();
    let mut run = Run::new().time_limit(Duration::from_secs_f64(0.9 * seconds));
    let model = sgd.learn(&data, &mut run).unwrap();
    let planned = planned(model.report());
    assert_eq!(planned.algorithm, Algorithm::Landmarks, "{planned:?}");
    let EitherFunction::Kernel(function) = model.decision() else { panic!("a kernel") };
    assert!(function.points().len() <= planned.landmarks.unwrap());
    assert!(model.accuracy(&x, &labels).unwrap() > 0.9);
    let adaptive = Sgd::auto(rbf()).schedule(Schedule::AdaGrad(0.1));
    assert_eq!(adaptive.fit(&x, &labels).unwrap_err(), Error::AdaptiveKernel);
}

/// Choices have the same bits for any number of threads: ridge regression with default parameters, of a size where its
/// plan has a choice, in its own space and in [`Auto`].
#[test]
fn choices_have_the_same_bits_for_any_number_of_threads() {
    let (x, y) = data(5000);
    let data = Data::new(&x, &y).unwrap();
    let fits = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let exact = Ridge::on_kernel(rbf()).learn(&data, &mut Run::new()).unwrap();
            let mut short = Run::new().time_limit(Duration::from_millis(15));
            let short = Ridge::auto(rbf()).learn(&data, &mut short).unwrap();
            let sgd = Sgd::auto(rbf()).epochs(1).learn(&data, &mut Run::new()).unwrap();
            (exact, short, sgd)
        })
    };
    let one = fits(1);
    assert_eq!(planned(one.1.report()).algorithm, Algorithm::Landmarks);
    for threads in [2, 8] {
        let (exact, short, sgd) = fits(threads);
        assert!(exact == one.0, "on the kernel, {threads} threads");
        assert!(short == one.1, "on landmarks, {threads} threads");
        assert!(sgd == one.2, "SGD, {threads} threads");
    }
}

/// A plan by counted work is the same whatever this machine does.
#[test]
fn plans_of_fits_are_nominal() {
    let (x, _) = data(2500);
    let points = Data::unlabelled(&x).unwrap();
    let ridge = Ridge::on_kernel(rbf()).lambda(1e-4);
    let run = Run::new().memory(MemoryBudget::mebibytes(1024));
    let plan = ridge.plan(&points, 1, &run).unwrap();
    let task = ridge.task(&points, 1, &run).unwrap();
    assert_eq!(task.plan(&run.budget(), &Machine::NOMINAL).unwrap(), plan);
    assert!(task.rank() <= 313 && task.iterations() >= 1.0);
    let cholesky = plan.prediction(Algorithm::Cholesky).unwrap().seconds();
    assert!(
        (cholesky - (2500.0_f64.powi(3) / 3.0 * 5e-12 + 2500.0_f64.powi(2) * 1e-9)).abs() < 1e-12
    );
}

/// The model of [`Auto`] is a model as others are.
#[test]
fn generic_code_takes_the_model() {
    fn values<P: Points, M: DecisionValues<P>>(model: &M, points: &P) -> usize {
        model.decision_values(points).unwrap().nrows()
    }
    let (x, y) = data(50);
    let model = Ridge::auto(rbf()).lambda(1e-2).fit(&x, &y).unwrap();
    assert_eq!(values(&model, &x), 50);
    assert_eq!(Model::predict(&model, &x).unwrap().len(), 50);
}
