//! Kernels without blocks: each pair is asked for once, by all threads, and no bit depends on it.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::common::BUDGET;
use kern_core::closure::{AssumeMercer, Exp, Normalized, Power, PullBack};
use kern_core::faer::Mat;
use kern_core::kernels::{Convolution, Rbf};
use kern_core::{Kernel, Samples};
use kern_gram::{
    CrossGram, DenseGram, Error, GramExt, GramOperator, LazyGram, PackedGram, sequentially,
};
use rayon::ThreadPoolBuilder;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Evaluations by which the cost of a value is measured.
const GLIMPSE: usize = 4;

/// A kernel of the user's, exp(−|x − y|), that counts how often it is asked and takes its time.
#[derive(Default)]
struct Expensive {
    evaluations: AtomicUsize,
    takes: Duration,
}

impl Expensive {
    fn taking(takes: Duration) -> Self {
        Self { takes, ..Self::default() }
    }

    fn value(&self, x: f64, y: f64) -> f64 {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        let start = Instant::now();
        while start.elapsed() < self.takes {
            std::hint::spin_loop();
        }
        (-(x - y).abs()).exp()
    }
}

impl Kernel<Vec<f64>> for Expensive {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        self.value(*x, *y)
    }
}

impl Kernel<Samples<f64>> for Expensive {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.value(x[0], y[0])
    }
}

/// The same, which remembers who asked, and sleeps.
#[derive(Default)]
struct Shared {
    threads: Mutex<HashSet<ThreadId>>,
}

impl Kernel<Vec<f64>> for Shared {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        self.threads.lock().unwrap().insert(thread::current().id());
        thread::sleep(Duration::from_micros(200));
        (-(x - y).abs()).exp()
    }
}

fn points(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.754_877_666_246_692_8).fract()).collect()
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn each_pair_is_asked_for_once_under_every_rule() {
    let (expensive, rbf) = (Expensive::default(), Rbf::new(1.0).unwrap());
    let negated = PullBack::<_, _, Vec<f64>>::new(|x: &f64| -x, &expensive);
    let sum = || AssumeMercer(&expensive) + AssumeMercer(&expensive);
    let nested = 0.5 * (Normalized::new(sum()) * Exp::new(0.1 * AssumeMercer(&expensive)));
    // With the number of evaluations for each pair, and of those for each point when norms are
    // checked.
    type Rule<'k> = (&'k str, usize, usize, &'k dyn Kernel<Vec<f64>>);
    let rules: [Rule<'_>; 8] = [
        ("alone", 1, 0, &expensive),
        ("scaled", 1, 0, &(2.0 * AssumeMercer(&expensive))),
        ("sum", 2, 0, &sum()),
        ("product", 2, 0, &(AssumeMercer(&expensive) * AssumeMercer(&expensive))),
        ("power", 1, 0, &Power::new(&expensive, 3)),
        ("normalised", 1, 1, &Normalized::new(&expensive)),
        ("pulled back", 1, 0, &negated),
        ("nested", 3, 2, &nested),
    ];
    for n in [64, 256, 300] {
        let x = points(n);
        let pairs = n * (n + 1) / 2;
        let v = Mat::full(n, 1, 1.0);
        for (name, each, checked, kernel) in rules {
            let count = |work: &(dyn Fn() + Sync)| {
                let before = expensive.evaluations.load(Ordering::Relaxed);
                on_threads(2, work);
                expensive.evaluations.load(Ordering::Relaxed) - before
            };
            let dense = count(&|| drop(DenseGram::new(kernel, &x, &BUDGET).unwrap()));
            let packed = count(&|| drop(PackedGram::new(kernel, &x, &BUDGET).unwrap()));
            let lazy =
                count(&|| drop(LazyGram::new(kernel, &x).unwrap().apply(v.as_ref()).unwrap()));
            for (way, taken) in [("dense", dense), ("packed", packed), ("lazy", lazy)] {
                let allowed = each * (pairs + GLIMPSE) + checked * n;
                assert!(taken <= allowed, "{name}, {way}, n = {n}: {taken} of {allowed}");
            }
        }
        let x = Samples::from_row_major(1, x).unwrap();
        let before = expensive.evaluations.load(Ordering::Relaxed);
        let both = AssumeMercer(&expensive) + rbf;
        on_threads(2, || DenseGram::new(&both, &x, &BUDGET).unwrap());
        let taken = expensive.evaluations.load(Ordering::Relaxed) - before;
        assert!(taken <= pairs + GLIMPSE, "with a kernel that has blocks, n = {n}: {taken}");
    }
}

#[test]
fn threads_share_few_expensive_values() {
    for n in [64, 256] {
        let (x, kernel) = (points(n), Shared::default());
        on_threads(4, || DenseGram::new(&kernel, &x, &BUDGET).unwrap());
        let threads = kernel.threads.lock().unwrap().len();
        assert!(threads > 1, "n = {n}: {threads} threads");
    }
    let (x, kernel) = (points(64), Shared::default());
    on_threads(4, || PackedGram::new(&kernel, &x, &BUDGET).unwrap());
    assert!(kernel.threads.lock().unwrap().len() > 1);
    let (y, kernel) = (points(30), Shared::default());
    on_threads(4, || CrossGram::new(&kernel, &y, &x).unwrap().to_dense(&BUDGET).unwrap());
    assert!(kernel.threads.lock().unwrap().len() > 1);
}

#[test]
fn no_bit_depends_on_the_cut() {
    let x = points(300);
    let parts = Convolution::new(
        |x: &f64| (0..(40.0 * x) as usize).map(|i| x + i as f64).collect::<Vec<f64>>(),
        Expensive::default(),
    );
    let cheap = Normalized::new(Expensive::default());
    let expensive = Normalized::new(Expensive::taking(Duration::from_micros(4)));
    let kernels: [&dyn Kernel<Vec<f64>>; 3] = [&cheap, &expensive, &parts];
    for (number, kernel) in kernels.into_iter().enumerate() {
        let work = || {
            let dense = DenseGram::new(kernel, &x, &BUDGET).unwrap().as_mat().to_owned();
            let packed = PackedGram::new(kernel, &x, &BUDGET).unwrap().to_dense(&BUDGET).unwrap();
            (dense, packed)
        };
        let (whole, packed) = sequentially(work);
        assert_eq!(whole, packed, "kernel {number}");
        assert_eq!(whole, whole.transpose(), "kernel {number}");
        for threads in [2, 4] {
            assert!(
                on_threads(threads, work) == (whole.clone(), packed.clone()),
                "kernel {number}"
            );
        }
    }
    // The tiles of a product are not cut, and have the same values.
    let v = Mat::from_fn(300, 2, |i, j| ((i + 7 * j) as f64).sin());
    let dense = DenseGram::new(&cheap, &x, &BUDGET).unwrap().apply(v.as_ref()).unwrap();
    let lazy = LazyGram::new(&cheap, &x).unwrap().apply(v.as_ref()).unwrap();
    assert!((dense - lazy).norm_max() < 1e-12);
}

#[test]
fn an_error_is_the_same_however_a_matrix_is_cut() {
    struct Broken;
    impl Kernel<Vec<f64>> for Broken {
        fn eval(&self, x: &f64, y: &f64) -> f64 {
            if ((*x - *y).abs() - 200.0).abs() < 0.5 { f64::NAN } else { 1.0 }
        }
    }
    let x: Vec<f64> = (0..300).map(f64::from).collect();
    let fail = || DenseGram::new(&Broken, &x, &BUDGET).err().unwrap();
    let place = |error: Error| match error {
        Error::NotFinite { row, col, .. } => (row, col),
        other => panic!("{other}"),
    };
    assert_eq!(place(sequentially(fail)), (200, 0));
    assert_eq!(place(on_threads(4, fail)), (200, 0));
}
