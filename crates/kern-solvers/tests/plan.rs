//! The planner: formulas by hand, growth, budgets, reasons, and calibration.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::AssumeMercer;
use kern_core::kernels::{Polynomial, Rbf};
use kern_core::{Error as CoreError, Explicit, Kernel, Samples};
use kern_gram::{MemoryBudget, sequentially};
use kern_solvers::Error;
use kern_solvers::kmeans::{KMeans, SoftKMeans};
use kern_solvers::logistic::Logistic;
use kern_solvers::plan::{
    Access, Affine, Algorithm, Machine, Plan, Precision, Rates, WORKING_SETS, Work,
};
use kern_solvers::ridge::{Ridge, RidgeSolver, RidgeTask};
use kern_solvers::sgd::{Sgd, SgdTask, Storage};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{Data, Learner, Run};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const NS: f64 = 1e-9;

/// A machine of round numbers, whatever the size of a matrix.
fn machine() -> Machine {
    let per = |rate| Affine { constant: 0.0, rate };
    let double = Rates {
        kernel_value: per(NS),
        feature: per(2.0 * NS),
        entry: 3.0 * NS,
        fresh: 4.0 * NS,
        update: Access([per(5.0 * NS); WORKING_SETS.len()]),
        dot: Access([per(3.0 * NS); WORKING_SETS.len()]),
        columns: Access([per(6.0 * NS); WORKING_SETS.len()]),
        pair: Access([per(8.0 * NS); WORKING_SETS.len()]),
        flop: NS,
    };
    let single = Rates { kernel_value: per(0.5 * NS), ..double };
    Machine {
        threads: 2,
        single,
        double,
        step: 10.0 * NS,
        feature_block: 1000.0 * NS,
        kernel_block: 2000.0 * NS,
        fit: 5000.0 * NS,
    }
}

/// n = 1000, d = 10, T = 5000, D = 100, D′ = 50.
fn task() -> SgdTask {
    SgdTask::new(1000, 10, 5000).exact_features(100).approximate_features(50)
}

const PLENTY: MemoryBudget = MemoryBudget::mebibytes(1 << 20);

fn terms(algorithm: Algorithm, task: &SgdTask, machine: &Machine) -> Vec<(Work, f64)> {
    let plan = task.plan(&PLENTY, machine).unwrap();
    let terms = plan.prediction(algorithm).unwrap().terms();
    terms.iter().map(|term| (term.work, (1e6 * term.seconds).round())).collect()
}

/// Microseconds by hand. Features: T·D·d·2 ns; ⌈T/256⌉ = 20 blocks of 1 µs; T·(10 + 5D) ns for the steps;
/// n·(D·d·2 + 10) ns for the objective. Kernel: blocks of n/8 = 125 samples, so 40 of them with 2 µs each
/// and T·(n + 2·125)·d ns for the values, on one of two threads for those among a block;
/// T·(10 + 8·124/2) ns for the steps. Gram matrix: n²/2·d ns and n²·3 ns; ⌈T/32⌉ = 157 blocks of 32·n·6 ns;
/// T·(10 + 8·31/2) ns for the steps.
#[test]
fn terms_are_those_of_the_formulas() {
    use Work::*;
    let terms = |algorithm| terms(algorithm, &task(), &machine());
    let start = (Start, 5.0);
    let on_the_fly = [(Features, 10_000.0), (Blocks, 20.0), (Steps, 2550.0), (Objective, 2010.0)];
    assert_eq!(terms(Algorithm::FeaturesOnTheFly), [&on_the_fly[..], &[start]].concat());
    let cached = [(Features, 2000.0), (Memory, 400.0), (Steps, 2550.0), (Objective, 2010.0)];
    assert_eq!(terms(Algorithm::FeaturesCached), [&cached[..], &[start]].concat());
    let kernel =
        [(KernelValues, 62_500.0), (Blocks, 80.0), (Steps, 2530.0), (Objective, 10.0), start];
    assert_eq!(terms(Algorithm::KernelOnTheFly), kernel);
    let gram = [(KernelValues, 5000.0), (Memory, 3000.0), (Products, 30_144.0), (Steps, 670.0)];
    assert_eq!(terms(Algorithm::GramCached), [&gram[..], &[(Objective, 10.0), start]].concat());
    let half = [(Features, 1000.0), (Memory, 200.0), (Steps, 1300.0), (Objective, 1010.0)];
    assert_eq!(terms(Algorithm::ApproximateCached), [&half[..], &[start]].concat());
}

/// Outputs multiply products and updates, precision the constants and the bytes.
#[test]
fn outputs_and_precision_count() {
    let (task, machine) = (task().outputs(3), machine());
    let of = |algorithm, work| {
        let plan = task.plan(&PLENTY, &machine).unwrap();
        plan.prediction(algorithm).unwrap().seconds_of(work)
    };
    assert!((of(Algorithm::FeaturesCached, Work::Steps) - 5000.0 * 1510.0 * NS).abs() < NS);
    assert!((of(Algorithm::GramCached, Work::Products) - 3.0 * 0.030144).abs() < NS);
    assert!(
        (of(Algorithm::GramCached, Work::Steps) - 5000.0 * (10.0 + 3.0 * 124.0) * NS).abs() < NS
    );
    assert!(of(Algorithm::GramCached, Work::Blocks) <= 0.0);
    let bytes = |task: &SgdTask, algorithm| {
        task.plan(&PLENTY, &machine).unwrap().prediction(algorithm).unwrap().bytes()
    };
    assert_eq!(bytes(&task, Algorithm::GramCached), 8 * 1000 * 1000 + 3 * 24 * 1000);
    assert_eq!(bytes(&task, Algorithm::KernelOnTheFly), 8 * 125 * 125 + 3 * 24 * 1000);
    assert_eq!(bytes(&task, Algorithm::FeaturesCached), 8 * 100 * 1003);
    assert_eq!(bytes(&task, Algorithm::ApproximateOnTheFly), 8 * 50 * (256 + 3));
    let single = task.precision(Precision::Single);
    assert_eq!(bytes(&single, Algorithm::GramCached), 4 * 1000 * 1000 + 3 * 20 * 1000);
    let values = single.plan(&PLENTY, &machine).unwrap();
    let values = values.prediction(Algorithm::GramCached).unwrap().seconds_of(Work::KernelValues);
    assert!((values - 0.0025).abs() < NS);
}

/// Half of the steps, with hinge loss, change nothing: 3 ns per number instead of 5 in w-space, and no
/// column in u-space.
#[test]
fn steps_that_change_nothing_cost_less() {
    let of = |algorithm, work| {
        let plan = task().active_fraction(0.5).plan(&PLENTY, &machine()).unwrap();
        plan.prediction(algorithm).unwrap().seconds_of(work)
    };
    assert!((of(Algorithm::FeaturesCached, Work::Steps) - 5000.0 * 410.0 * NS).abs() < NS);
    assert!((of(Algorithm::GramCached, Work::Products) - 0.015072).abs() < NS);
    assert!((of(Algorithm::GramCached, Work::Steps) - 5000.0 * 72.0 * NS).abs() < NS);
    assert!((of(Algorithm::KernelOnTheFly, Work::KernelValues) - 5000.0 * 7500.0 * NS).abs() < NS);
}

/// log₂ of what doubling one size does to the predicted time: the exponents of the table, in the regime
/// where the term of that size dominates.
#[test]
fn predictions_grow_as_the_table_says() {
    type Sizes = [usize; 4];
    let seconds = |algorithm, [n, d, features, steps]: Sizes| {
        let task =
            SgdTask::new(n, d, steps).exact_features(features).approximate_features(features);
        task.plan(&PLENTY, &machine()).unwrap().prediction(algorithm).unwrap().seconds()
    };
    // n, d, D, T: in the first line T is large, in the second one n.
    let (steps, points): (Sizes, Sizes) = ([100_000, 500, 1000, 1 << 32], [1 << 20, 500, 1000, 1]);
    let cases = [
        (Algorithm::FeaturesOnTheFly, steps, [0.0, 1.0, 1.0, 1.0]),
        (Algorithm::FeaturesCached, points, [1.0, 1.0, 1.0, 0.0]),
        (Algorithm::FeaturesCached, steps, [0.0, 0.0, 1.0, 1.0]),
        (Algorithm::KernelOnTheFly, steps, [1.0, 1.0, 0.0, 1.0]),
        (Algorithm::GramCached, points, [2.0, 1.0, 0.0, 0.0]),
        (Algorithm::GramCached, steps, [1.0, 0.0, 0.0, 1.0]),
        (Algorithm::ApproximateOnTheFly, steps, [0.0, 1.0, 1.0, 1.0]),
        (Algorithm::ApproximateCached, points, [1.0, 1.0, 1.0, 0.0]),
        (Algorithm::ApproximateCached, steps, [0.0, 0.0, 1.0, 1.0]),
    ];
    for (algorithm, sizes, exponents) in cases {
        for (k, exponent) in exponents.into_iter().enumerate() {
            let mut doubled = sizes;
            doubled[k] *= 2;
            let growth = (seconds(algorithm, doubled) / seconds(algorithm, sizes)).log2();
            assert!(
                (growth - exponent).abs() < 0.03,
                "{algorithm}, size {k}: {growth}, not {exponent}"
            );
        }
    }
}

#[test]
fn budget_excludes_ways_and_the_reason_says_so() {
    let sizes = SgdTask::new(1000, 10, 200_000).exact_features(2000);
    let all = sizes.plan(&PLENTY, &machine()).unwrap();
    assert_eq!(all.recommended(), Some(Algorithm::GramCached));
    assert!(all.reason().starts_with("Gram matrix cached: the fastest that fits"), "{all}");
    // The Gram matrix takes 8 000 000 bytes, the coefficients and margins 24 000.
    let exactly = sizes.plan(&MemoryBudget::bytes(8_024_000), &machine()).unwrap();
    assert_eq!(exactly.recommended(), Some(Algorithm::GramCached));
    let less = sizes.plan(&MemoryBudget::bytes(8_023_999), &machine()).unwrap();
    assert_eq!(less.recommended(), Some(Algorithm::KernelOnTheFly));
    assert!(!less.prediction(Algorithm::GramCached).unwrap().fits());
    let reason = less.reason();
    assert!(reason.contains("Gram matrix cached would take") && reason.contains("MiB"), "{reason}");
    let none = sizes.plan(&MemoryBudget::bytes(1000), &machine()).unwrap();
    assert_eq!(none.recommended(), None);
    assert!(none.reason().starts_with("No way fits: the least memory is that of"), "{none}");
}

#[test]
fn approximation_is_recommended_only_if_it_is_welcome() {
    let sizes = SgdTask::new(1000, 10, 5000).approximate_features(5);
    let exact = sizes.plan(&PLENTY, &machine()).unwrap();
    assert!(exact.recommended().unwrap().is_exact());
    assert!(exact.reason().contains("Approximate features cached would take"), "{exact}");
    assert!(exact.reason().contains("approximation is not said to be welcome"), "{exact}");
    let any = sizes.allow_approximation(true).plan(&PLENTY, &machine()).unwrap();
    assert_eq!(any.recommended(), Some(Algorithm::ApproximateCached));
    assert_eq!(any.predictions().len(), 4, "there are no exact features");
}

#[test]
fn overrides_replace_the_constants() {
    let sizes = task().kernel_seconds(1e-3).exact_feature_seconds(1e-6);
    let of = |algorithm, work| {
        let plan = sizes.plan(&PLENTY, &machine()).unwrap();
        plan.prediction(algorithm).unwrap().seconds_of(work)
    };
    assert!((of(Algorithm::GramCached, Work::KernelValues) - 500.0).abs() < 1e-9);
    assert!((of(Algorithm::FeaturesCached, Work::Features) - 1e-3).abs() < 1e-12);
    assert!((of(Algorithm::ApproximateCached, Work::Features) - 1e-3).abs() < 1e-12);
}

#[test]
fn senseless_tasks_and_machines_are_errors() {
    let refused = |task: SgdTask| task.plan(&PLENTY, &machine()).unwrap_err().to_string();
    let tasks = [
        (SgdTask::new(0, 1, 1), "the number of points of a task must be at least 1, got 0"),
        (SgdTask::new(1, 0, 1), "the dimension of a task"),
        (SgdTask::new(1, 1, 0), "the number of steps of a task"),
        (task().outputs(0), "the number of outputs of a task"),
        (task().exact_features(0), "the number of exact features"),
        (task().approximate_features(0), "the number of approximate features"),
        (task().active_fraction(-0.1), "the share of active steps"),
        (task().active_fraction(1.1), "1 - the share of active steps"),
        (task().active_fraction(f64::NAN), "the share of active steps"),
        (task().kernel_seconds(0.0), "seconds per kernel value"),
        (task().exact_feature_seconds(f64::INFINITY), "seconds per point of the features"),
        (task().approximate_feature_seconds(-1.0), "seconds per point of the features"),
    ];
    for (task, message) in tasks {
        assert!(refused(task).contains(message), "{message}: {}", refused(task));
    }
    let broken = Machine { step: f64::NAN, ..machine() };
    let error = task().plan(&PLENTY, &broken).unwrap_err();
    assert!(error.to_string().contains("a constant of the machine"), "{error}");
    let mut broken = machine();
    broken.single.pair.0[4].rate = -1.0;
    assert!(matches!(task().plan(&PLENTY, &broken), Err(Error::Core(CoreError::Parameter { .. }))));
    let broken = Machine { threads: 0, ..machine() };
    assert!(matches!(task().plan(&PLENTY, &broken), Err(Error::Count { .. })));
}

#[test]
fn plans_and_machines_are_read_as_they_were_written() {
    let machine = Machine::current().unwrap();
    let text = serde_json::to_string(&*machine).unwrap();
    assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), *machine);
    let plan = task().plan(&PLENTY, &machine).unwrap();
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    let bytes = postcard::to_stdvec(&plan).unwrap();
    assert_eq!(postcard::from_bytes::<Plan>(&bytes).unwrap(), plan);
}

/// The best of some, since others run at the same time, and a measurement that was interrupted says
/// nothing.
#[test]
fn calibration_takes_less_than_a_second_and_makes_sense() {
    let makes_sense = |machine: &Machine| {
        let positive = [machine.step, machine.fit, machine.double.kernel_value.at(10.0)];
        // A column in main memory takes longer than one in cache.
        let update = machine.double.update;
        positive.iter().all(|&seconds| seconds > 0.0 && seconds < 1e-2)
            && update.seconds(1 << 30, 1000.0) > update.seconds(1 << 12, 1000.0)
    };
    let mut seen = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        let machine = Machine::calibrate().unwrap();
        let quick = start.elapsed() < Duration::from_secs(1);
        if quick && makes_sense(&machine) {
            return;
        }
        seen.push((start.elapsed(), machine));
    }
    panic!("{seen:?}");
}

#[test]
fn this_machine_is_measured_once_per_number_of_threads() {
    let first = Machine::current().unwrap();
    assert!(Arc::ptr_eq(&first, &Machine::current().unwrap()));
    let alone = sequentially(Machine::current).unwrap();
    assert_eq!(alone.threads, 1);
    assert!(Arc::ptr_eq(&alone, &sequentially(Machine::current).unwrap()));
}

/// A kernel that takes a tenth of a millisecond, and counts its values.
#[derive(Debug)]
struct Slow(AtomicUsize);

impl Kernel<Vec<f64>> for Slow {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros(100));
        x * y
    }
}

/// Sleeping takes at least as long as it is asked to, on each thread; how much longer is up to the
/// system, and ten times is far beyond what it does.
#[test]
fn expensive_kernels_are_measured_with_few_values() {
    let kernel = Slow(AtomicUsize::new(0));
    let points: Vec<f64> = (0..1000).map(f64::from).collect();
    let measured = SgdTask::new(1000, 1, 1000).measure_kernel(&kernel, &points).unwrap();
    assert!(kernel.0.load(Ordering::Relaxed) < 200, "{:?}", kernel.0);
    let machine = machine();
    let plan = measured.plan(&PLENTY, &machine).unwrap();
    let seconds = plan.prediction(Algorithm::GramCached).unwrap().seconds_of(Work::KernelValues);
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let smallest = 1e-4 * 500_000.0 / threads;
    assert!((smallest..10.0 * smallest).contains(&seconds), "{seconds} s, at least {smallest} s");
}

#[test]
fn maps_are_measured_with_their_dimension() {
    let values = (0..3000).map(|k| f64::from(k % 17) / 17.0).collect();
    let x = Samples::from_row_major(3, values).unwrap();
    let map = Polynomial::new(1.0, 1.0, 2).unwrap().feature_map(&x).unwrap();
    let task = SgdTask::new(1000, 3, 1000).measure_exact(&map, &x).unwrap();
    let task = task.measure_kernel(&Rbf::new(1.0).unwrap(), &x).unwrap();
    let plan = task.plan(&PLENTY, &machine()).unwrap();
    assert_eq!(plan.prediction(Algorithm::FeaturesCached).unwrap().bytes(), 8 * 10 * 1001);
    assert!(task.to_string().contains("D = 10"), "{task}");
    let none = Samples::from_row_major(3, Vec::<f64>::new()).unwrap();
    assert_eq!(task.measure_exact(&map, &none), Err(Error::Empty));
}

#[test]
fn plans_print_as_tables() {
    let sizes = task().precision(Precision::Single).outputs(2);
    let plan = sizes.plan(&MemoryBudget::mebibytes(3), &machine()).unwrap();
    let golden = "\
n = 1000, d = 10, D = 100, D′ = 50, T = 5000, outputs: 2, f32; memory budget 3.00 MiB
  algorithm                           time    memory   terms
  features on the fly              17.1 ms   101 KiB   features 10.0 ms + blocks 20.0 µs + steps 5.05 ms + objective 2.01 ms + start 5.00 µs
> features cached                  9.46 ms   391 KiB   features 2.00 ms + memory 400 µs + steps 5.05 ms + objective 2.01 ms + start 5.00 µs
  kernel on the fly                36.4 ms   100 KiB   kernel values 31.2 ms + blocks 80.0 µs + steps 5.01 ms + objective 10.0 µs + start 5.00 µs
  Gram matrix cached               67.1 ms  3.85 MiB ! kernel values 2.50 ms + memory 3.00 ms + products 60.3 ms + steps 1.29 ms + objective 10.0 µs + start 5.00 µs
  approximate features on the fly  8.59 ms  50.4 KiB   features 5.00 ms + blocks 20.0 µs + steps 2.55 ms + objective 1.01 ms + start 5.00 µs
  approximate features cached      4.76 ms   196 KiB   features 1.00 ms + memory 200 µs + steps 2.55 ms + objective 1.01 ms + start 5.00 µs
  (!: more than the memory budget)
Features cached: the fastest that fits, predicted to take 9.46 ms, of which 5.05 ms are steps. The next, features on the fly, is predicted to take 17.1 ms. Approximate features on the fly would take 8.59 ms, but gives another answer, and approximation is not said to be welcome. Approximate features cached would take 4.76 ms, but gives another answer, and approximation is not said to be welcome.";
    assert_eq!(plan.to_string(), golden);
}

/// A machine of ridge regression: seconds per kernel value, flop and number.
fn ridge_machine([kernel_value, flop, number]: [f64; 3]) -> Machine {
    let per = |rate| Affine { constant: 0.0, rate };
    let kernel_value = Affine { constant: kernel_value, rate: 0.0 };
    let columns = Access([per(number); WORKING_SETS.len()]);
    let double = Rates { kernel_value, flop, columns, ..machine().double };
    Machine { double, ..machine() }
}

#[test]
fn plans_of_ridge_regression_are_sensible() {
    let machine = ridge_machine([2e-9, 5e-11, 1e-9]);
    let plan = |points, rank, iterations, budget| {
        let task = RidgeTask::new(points, 1, Precision::Double).gradients(rank, iterations);
        task.plan(&MemoryBudget::mebibytes(budget), &machine).unwrap()
    };
    let plenty = 1 << 20;
    // n³/3·f = 0.45 s against some 50 passes of 9e6·0.5 ns.
    let small = plan(3000, 50, 3000.0, plenty);
    assert_eq!(small.recommended(), Some(Algorithm::Cholesky));
    assert_eq!(plan(30_000, 500, 50.0, plenty).recommended(), Some(Algorithm::StoredGradients));
    assert_eq!(plan(30_000, 500, 50.0, 1024).recommended(), Some(Algorithm::RecomputedGradients));
    assert_eq!(plan(30_000, 500, 1e6, plenty).recommended(), Some(Algorithm::Cholesky));
    // n³/3 flops and two passes; the formula, by hand.
    let [direct, stored, recomputed] = small.predictions() else { panic!("three ways") };
    assert!((direct.seconds() - (9e6 * 2e-9 + 9e9 * 5e-11)).abs() < 1e-12);
    assert_eq!(direct.bytes(), 3000 * 3000 * 8);
    let factor = 150_000.0 * 2e-9 + (1.5e7 + 125_000.0 / 3.0) * 5e-11;
    let each = 4.5e6 * 2e-9 + 1.8e7 * 5e-11 + 300_000.0 * 1e-9;
    let expected = 4.5e6 * 2e-9 + factor + 3000.0 * each;
    assert!((recomputed.seconds() - expected).abs() < 1e-9 * expected);
    let read = 4.5e6 * 1e-9;
    let expected = 9e6 * 2e-9 + factor + 2.0 * read + 3000.0 * (each - 4.5e6 * 2e-9 + read);
    assert!((stored.seconds() - expected).abs() < 1e-9 * expected);
    assert!(stored.seconds() < recomputed.seconds() && stored.bytes() < direct.bytes());
    let text = small.to_string();
    assert!(text.contains("> Cholesky") && text.lines().count() == 6, "{text}");
    let task = RidgeTask::new(10, 1, Precision::Double);
    assert!(task.gradients(1, f64::NAN).plan(&PLENTY, &machine).is_err());
    let none = RidgeTask::new(0, 1, Precision::Double).plan(&PLENTY, &machine);
    assert!(matches!(none, Err(Error::Count { .. })));
}

/// Landmarks and approximate features are shown, but exact ways recommended.
#[test]
fn other_spaces_of_ridge_regression_are_predicted_by_hand() {
    let task = RidgeTask::new(10_000, 2, Precision::Single).landmarks(1000).exact_features(50);
    let mut machine = ridge_machine([2e-9, 5e-11, 1e-9]);
    machine.single = machine.double;
    let plan = task.plan(&PLENTY, &machine).unwrap();
    assert_eq!(plan.recommended(), Some(Algorithm::Features));
    let seconds = |algorithm| plan.prediction(algorithm).unwrap().seconds();
    let features = 2.0 * 500_000.0 * 2e-9 + (2.5e7 + 125_000.0 / 3.0) * 5e-11;
    assert!((seconds(Algorithm::Features) - features).abs() < 1e-12);
    let landmarks = 3e7 * 2e-9 + (1e10 + 1.6e10) * 5e-11 + 14.0 * (1e7 * 1e-9 + 8e7 * 5e-11);
    assert!((seconds(Algorithm::Landmarks) - landmarks).abs() < 1e-12);
    let approximate = task.approximate_features(50).plan(&PLENTY, &machine).unwrap();
    assert_eq!(approximate.recommended(), Some(Algorithm::Cholesky));
    assert!(approximate.reason().contains("approximation is not said to be welcome"));
}

/// Within a second, 6000 points of a kernel that takes a tenth of a millisecond are refused before anything is
/// computed, in every way; with plenty of time a few of them are not.
#[test]
fn fits_beyond_the_limit_of_time_are_refused_before_they_begin() {
    let kernel = AssumeMercer(Slow(AtomicUsize::new(0)));
    let points: Vec<f64> = (0..6000).map(f64::from).collect();
    let data = Data::new(&points, &points).unwrap();
    let run = || Run::new().time_limit(Duration::from_secs(1));
    let ridge = Ridge::on_kernel(&kernel);
    let sgd = Sgd::on_kernel(&kernel);
    let labels: Vec<bool> = points.iter().map(|x| x % 2.0 > 0.5).collect();
    let (classes, alone) =
        (Data::new(&points, &labels).unwrap(), Data::unlabelled(&points).unwrap());
    let refused = [
        ridge.learn(&data, &mut run()).unwrap_err(),
        ridge.clone().solver(RidgeSolver::Cholesky).learn(&data, &mut run()).unwrap_err(),
        ridge.clone().solver(RidgeSolver::ConjugateGradients).learn(&data, &mut run()).unwrap_err(),
        ridge.factor(&data, &run()).err().unwrap(),
        ridge.decompose(&data, &run()).err().unwrap(),
        sgd.learn(&data, &mut run()).unwrap_err(),
        sgd.clone().storage(Storage::OnTheFly).learn(&data, &mut run()).unwrap_err(),
        Logistic::on_kernel(&kernel).learn(&classes, &mut run()).unwrap_err(),
        Svc::on_kernel(&kernel).learn(&classes, &mut run()).unwrap_err(),
        Svr::on_kernel(&kernel).learn(&data, &mut run()).unwrap_err(),
        OneClass::on_kernel(&kernel).learn(&alone, &mut run()).unwrap_err(),
        KMeans::on_kernel(&kernel, 2).learn(&alone, &mut run()).unwrap_err(),
        SoftKMeans::on_kernel(&kernel, 2).learn(&alone, &mut run()).unwrap_err(),
    ];
    for error in refused {
        let Error::TooLong { predicted, limit, cheaper } = &error else { panic!("{error}") };
        assert_eq!(*limit, Duration::from_secs(1));
        assert!(*predicted > Duration::from_secs(100), "{error}");
        assert!(cheaper.contains("andmarks"), "{error}");
        let text = error.to_string();
        assert!(text.contains("the time limit of 1s") && !text.contains("::"), "{text}");
    }
    assert!(kernel.0.0.load(Ordering::Relaxed) < 13 * 1000, "{:?}", kernel.0.0);
    let few = points[..40].to_vec();
    let data = Data::new(&few, &few).unwrap();
    assert!(ridge.lambda(1.0).learn(&data, &mut run().time_limit(None)).is_ok());
}

/// Ordinary fits are far below the limit, and nothing is measured for it.
#[test]
fn small_fits_are_not_refused_by_a_short_limit() {
    let x = Samples::from_row_major(1, (0..300).map(|i| f64::from(i) / 300.0).collect()).unwrap();
    let y: Vec<f64> = (0..300).map(f64::from).collect();
    let data = Data::new(&x, &y).unwrap();
    let mut run = Run::new().time_limit(Duration::from_secs(1));
    assert!(Ridge::on_kernel(Rbf::new(1.0).unwrap()).learn(&data, &mut run).is_ok());
    assert!(Sgd::on_kernel(Rbf::new(1.0).unwrap()).epochs(1).learn(&data, &mut run).is_ok());
}
