//! Runs of tests: threads, precision, observers, memory, time, and inputs that are refused.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::data::normal;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Kernel, Mercer, Points, Samples};
use kern_gram::MemoryBudget;
use kern_gram::parallel::sequentially;
use kern_solvers::dependence::{HsicTest, LinearMmd, MmdTest, Witness, hsic, mmd, mmd_on_features};
use kern_solvers::{Error, Progress, Run};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::time::Duration;

fn samples(m: usize, n: usize) -> (Samples<f64>, Samples<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    (normal(&mut rng, m, 3, 0.0), normal(&mut rng, n, 3, 0.2))
}

#[test]
fn threads_do_not_change_bits() {
    let (x, y) = samples(500, 310);
    let rest = y.select(&(0..310).collect::<Vec<_>>()).unwrap();
    let part = x.select(&(0..310).collect::<Vec<_>>()).unwrap();
    let (k, l) = (Rbf::new(0.3).unwrap(), Rbf::new(0.9).unwrap());
    let all = || {
        let one = MmdTest::on_kernel(k).permutations(140).test(&x, &y).unwrap();
        let features = MmdTest::on_features(Identity::new(3)).permutations(140).test(&x, &y);
        let pairs = HsicTest::on_kernels(k, l).permutations(20);
        let mut small = Run::new().memory(MemoryBudget::mebibytes(1));
        let low = HsicTest::on_kernels(Linear, Linear).permutations(20);
        let tests = [
            one,
            features.unwrap(),
            pairs.test(&part, &rest).unwrap(),
            low.run(&part, &rest, &mut small).unwrap(),
        ];
        (tests, mmd(&k, &x, &y).unwrap(), hsic(&k, &part, &l, &rest).unwrap())
    };
    let expected = sequentially(all);
    for threads in [2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(all), expected);
    }
}

#[test]
fn single_precision_finds_the_same() {
    let (x, y) = samples(300, 200);
    let narrow = |x: &Samples<f64>| {
        let values = x.as_slice().iter().map(|&v| v as f32).collect();
        Samples::from_row_major(3, values).unwrap()
    };
    let test = MmdTest::on_kernel(Rbf::new(0.3).unwrap()).permutations(99);
    let (wide, single) = (test.test(&x, &y).unwrap(), test.test(&narrow(&x), &narrow(&y)).unwrap());
    assert!((wide.statistic() - single.statistic()).abs() < 1e-7);
    assert_eq!(wide.p_value(), single.p_value());
}

#[test]
fn observers_see_and_stop() {
    let (x, y) = samples(600, 600);
    let test = MmdTest::on_kernel(Rbf::new(0.3).unwrap()).permutations(9);
    let mut seen = Vec::new();
    let mut watch = |p: &Progress| {
        seen.push((p.iteration, p.total));
        ControlFlow::Continue(())
    };
    let watched = test.run(&x, &y, &mut Run::new().observer(&mut watch)).unwrap();
    assert_eq!(watched, test.test(&x, &y).unwrap());
    assert!(seen.iter().all(|(done, total)| done <= total));
    assert_eq!(seen.last().map(|(done, total)| done == total), Some(true));
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let pairs = HsicTest::on_kernels(Linear, Linear).permutations(200);
    let stopped = pairs.run(&x, &y, &mut Run::new().observer(&mut stop));
    assert_eq!(stopped, Err(Error::Stopped { done: 64, total: 201 }));
    // A test that is complete is an answer.
    let mut stop = |_: &Progress| ControlFlow::Break(());
    assert!(pairs.permutations(9).run(&x, &y, &mut Run::new().observer(&mut stop)).is_ok());
}

/// A kernel that takes its time.
#[derive(Clone, Copy, Debug)]
struct Slow;

impl Kernel<Samples<f64>> for Slow {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        std::thread::sleep(Duration::from_millis(2));
        x[0] * y[0]
    }
}

impl Mercer<Samples<f64>> for Slow {}

#[test]
fn memory_and_time_are_limits() {
    let (x, y) = samples(600, 600);
    let test = MmdTest::on_kernel(Rbf::new(0.3).unwrap()).permutations(1_000_000);
    let mut small = Run::new().memory(MemoryBudget::mebibytes(20));
    assert!(matches!(
        test.run(&x, &y, &mut small),
        Err(Error::Gram(kern_gram::Error::Budget { .. }))
    ));
    // Neither matrices nor factors.
    let rough = HsicTest::on_kernels(Rbf::new(50.0).unwrap(), Linear);
    let mut small = Run::new().memory(MemoryBudget::mebibytes(1));
    assert!(matches!(
        rough.run(&x, &y, &mut small),
        Err(Error::Gram(kern_gram::Error::Budget { .. }))
    ));
    let mut short = Run::new().time_limit(Duration::from_secs(1));
    let slow = MmdTest::on_kernel(Slow).run(&x, &y, &mut short);
    assert!(matches!(slow, Err(Error::TooLong { .. })), "{slow:?}");
}

#[test]
fn what_is_no_sample_is_refused() {
    let (x, y) = samples(5, 6);
    let none = x.select(&[]).unwrap();
    let one = x.select(&[0]).unwrap();
    let kernel = Rbf::new(0.3).unwrap();
    let test = MmdTest::on_kernel(kernel);
    assert_eq!(mmd(&kernel, &x, &none), Err(Error::Empty));
    assert_eq!(Witness::new(kernel, &none, &x).map(|_| ()), Err(Error::Empty));
    assert!(mmd(&kernel, &x, &one).unwrap().unbiased().is_none());
    assert!(mmd(&kernel, &x, &one).unwrap().biased() > 0.0);
    assert!(matches!(test.test(&x, &one), Err(Error::Count { given: 1, .. })));
    assert!(matches!(test.permutations(0).test(&x, &y), Err(Error::Count { given: 0, .. })));
    let no_kernels = MmdTest::on_kernels(Vec::<Rbf>::new());
    assert!(matches!(no_kernels.test(&x, &y), Err(Error::Count { given: 0, .. })));
    let other = Samples::from_rows(&[[0.0], [1.0]]).unwrap();
    assert!(matches!(mmd(&kernel, &x, &other), Err(Error::Core(_))));
    let mut run = Run::new();
    assert!(matches!(
        mmd_on_features(&Identity::new(3), &x, &other, &mut run),
        Err(Error::Core(_))
    ));
    assert!(matches!(LinearMmd::new(&kernel, &one, &x), Err(Error::Count { given: 1, .. })));
    assert!(matches!(hsic(&kernel, &x, &kernel, &y), Err(Error::Length { .. })));
    assert_eq!(hsic(&kernel, &none, &kernel, &none), Err(Error::Empty));
    let three = x.select(&[0, 1, 2]).unwrap();
    assert!(hsic(&kernel, &three, &kernel, &three).unwrap().unbiased().is_none());
    let pairs = HsicTest::on_kernels(kernel, kernel);
    assert!(matches!(pairs.test(&one, &one), Err(Error::Count { given: 1, .. })));
    assert!(matches!(pairs.permutations(0).test(&x, &x), Err(Error::Count { given: 0, .. })));
    // Values that overflow are found, with their place.
    let huge = Samples::from_rows(&[[1e200], [1.0], [2.0]]).unwrap();
    let far = mmd(&Linear, &huge, &huge);
    assert!(matches!(far, Err(Error::Gram(kern_gram::Error::NotFinite { row: 1, col: 0, .. }))));
    let far = hsic(&Linear, &huge, &Linear, &huge);
    assert!(matches!(far, Err(Error::Gram(kern_gram::Error::NotFinite { .. }))), "{far:?}");
    let four = Samples::from_rows(&[[1e200], [-1e200], [1e200], [-1e200]]).unwrap();
    assert!(matches!(LinearMmd::new(&Linear, &four, &four), Err(Error::Gram(_))));
}
